import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerBytes, decodeHeader } from '../../src/segment/header.ts';
import { openSegment, verifyRows } from '../../src/segment/reader.ts';
import { sealedMemory } from '../../src/segment/sealed_bytes.ts';
import { SegmentRefused, type RefusedCode } from '../../src/segment/refused.ts';
import { fullRow, inFolder, inOrder, load, shared, write } from './support.ts';

const { index, rows } = await inFolder(async (folder) => {
  const some = Array.from({ length: 40 }, (_, at) => fullRow('contacts', { id: `test:${at}`, email: `p${at}@x.com`, country: at % 2 ? 'DE' : 'US', job_title: `Head of ${at}` }));
  return load(await write(folder, 'contacts', inOrder('contacts', some)));
});

function refusal(open: () => unknown): RefusedCode {
  try {
    open();
  } catch (error) {
    assert.ok(error instanceof SegmentRefused, String(error));
    return error.code;
  }
  return assert.fail('it was opened');
}

function flipped(buffer: SharedArrayBuffer, at: number, bit: number): SharedArrayBuffer {
  const copy = new Uint8Array(buffer).slice();
  copy[at]! ^= 1 << bit;
  return shared(copy);
}

test('a flip of any bit of the header is refused', () => {
  const bytes = headerBytes(decodeHeader(sealedMemory(index)).sections.length);
  for (let at = 0; at < bytes; at++) refusal(() => openSegment(flipped(index, at, at % 8), rows));
});

test('a flip of any byte of the sections is refused as a bad checksum', () => {
  const first = headerBytes(decodeHeader(sealedMemory(index)).sections.length);
  for (let at = first; at < index.byteLength; at += 7) assert.equal(refusal(() => openSegment(flipped(index, at, at % 8), rows)), 'checksum');
});

test('a segment cut at any place, or with bytes behind it, is refused', () => {
  const bytes = new Uint8Array(index);
  for (let length = 0; length < bytes.length; length += length < 8_192 ? 61 : 509) refusal(() => openSegment(shared(bytes.slice(0, length)), rows));
  const longer = new Uint8Array(bytes.length + 64);
  longer.set(bytes);
  assert.equal(refusal(() => openSegment(shared(longer), rows)), 'truncated');
});

test('each damage has its code', () => {
  assert.equal(refusal(() => openSegment(shared(new Uint8Array(10)), rows)), 'truncated');
  assert.equal(refusal(() => openSegment(flipped(index, 0, 0), rows)), 'magic');
  assert.equal(refusal(() => openSegment(flipped(index, 8, 1), rows)), 'version');
  assert.equal(refusal(() => openSegment(flipped(index, 40, 1), rows)), 'checksum');
  assert.equal(refusal(() => openSegment(index, new SharedArrayBuffer(rows.byteLength - 1))), 'rows_length');
});

test('a flip in the rows is found by the checksum of their block', () => {
  verifyRows(openSegment(index, rows));
  for (let at = 0; at < rows.byteLength; at += 501) {
    assert.equal(refusal(() => verifyRows(openSegment(index, flipped(rows, at, at % 8), { trusted: true }))), 'rows_checksum');
  }
});
