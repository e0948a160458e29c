import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countBits, setBit } from '../../src/lib/bits.ts';
import { compareText } from '../../src/lib/text_order.ts';
import { decodeHeader } from '../../src/segment/header.ts';
import { sealedMemory } from '../../src/segment/sealed_bytes.ts';
import { fullRow, segmentOf } from './support.ts';
import type { Row } from '../../src/model/field.ts';

test('texts are ordered by their UTF-8 bytes', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
    assert.equal(Math.sign(compareText(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }));
});

test('bits are counted within any bounds', () => {
  fc.assert(fc.property(fc.uniqueArray(fc.nat(199)), fc.nat(200), fc.nat(200), (bits, a, b) => {
    const [from, to] = [Math.min(a, b), Math.max(a, b)];
    const words = new Int32Array(7);
    for (const bit of bits) setBit(words, bit);
    assert.equal(countBits(words, from, to), bits.filter((bit) => from <= bit && bit < to).length);
  }));
});

const company = (id: number, given: Row): Row => fullRow('companies', { id: `test:${id}`, ...given });

test('a column of numbers keeps order, nulls and values, on a grid or off it', async () => {
  for (const values of [[1990, 2024, null, 2000], [0, 3_000_000_000, 7, null], [1e15, -1e15, 3], [null, null], [0.5, 1.5, null]]) {
    const { segment, stored } = await segmentOf('companies', values.map((founded_year, at) => company(at, { founded_year })));
    const entry = segment.columns.get('founded_year');
    assert.ok(entry?.form === 'numbers');
    const { column } = entry;
    assert.deepEqual(Array.from(column.codes, (code) => column.number(code)), stored.map(({ founded_year }) => founded_year));
    for (const min of [-Infinity, 0, 0.5, 1990, 2 ** 31]) {
      const [low, high] = column.codesWithin(min, Infinity);
      const within = Array.from(column.codes, (code) => low <= code && code <= high);
      assert.deepEqual(within, stored.map(({ founded_year: year }) => typeof year === 'number' && year >= min), `from ${min} of ${values.join()}`);
    }
  }
});

test('years of a range take one byte each, and numbers without a grid eight', async () => {
  const bytesOf = async (years: number[]): Promise<number> => {
    const { segment } = await segmentOf('companies', years.map((founded_year, at) => company(at, { founded_year })));
    const section = `column${segment.meta.columns.findIndex(({ name }) => name === 'founded_year')}.numbers`;
    return decodeHeader(sealedMemory(segment.index.buffer)).sections.find(({ name }) => name === section)!.length;
  };
  assert.equal(await bytesOf([1900, 2024, 2000]), 3);
  assert.equal(await bytesOf([1, 2, 4e12]), 24);
});

test('a dictionary finds a text, and the texts that begin with another', async () => {
  const names = ['acme', 'acme inc', 'acmes', 'be', 'żak', '😀', '\ue000'];
  const { segment } = await segmentOf('companies', names.map((name, at) => company(at, { name })));
  const entry = segment.columns.get('name');
  assert.ok(entry?.form === 'texts');
  const { keys } = entry.column;
  const sorted = Array.from({ length: keys.size }, (_, code) => keys.text(code));
  assert.deepEqual(sorted, sorted.toSorted(compareText));
  sorted.forEach((text, code) => assert.equal(keys.find(text), code));
  assert.equal(keys.find('acm'), -1);
  const prefixed = (prefix: string): string[] => sorted.slice(...keys.prefixed(prefix));
  assert.deepEqual(prefixed('acme'), ['acme', 'acme inc', 'acmes']);
  assert.deepEqual(prefixed('b'), ['be']);
  assert.deepEqual(prefixed('x'), []);
  assert.equal(prefixed('').length, keys.size);
});
