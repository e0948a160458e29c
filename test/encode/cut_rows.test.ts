import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { cutRows } from '../../src/encode/cut_rows.ts';
import { appendLine } from '../../src/encode/ndjson.ts';
import { isOfBrokenRow } from '../../src/encode/row_layout.ts';
import { rowLayout, RowShape } from '../../src/encode/rows.ts';
import { chunkOfCompact } from '../../src/federation/compact_chunk.ts';
import { chunkOfRun } from '../../src/federation/run.ts';
import type { Chunk } from '../../src/model/chunk.ts';
import type { Row } from '../../src/model/field.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { SEED } from '../support/seed.ts';
import { storeRows } from '../support/stored_rows.ts';
import { anyRow, chunkOf, CONTACTS, LAYOUT } from './rows_support.ts';

const someFields = fc.subarray([...LAYOUT.names], { minLength: 1 });
const SHAPE = new RowShape(LAYOUT, ['id', 'full_name', 'skills', 'badge']);
const ROW: Row = { ...Object.fromEntries(LAYOUT.names.map((name) => [name, null])), id: 'a:1', source: 'a', sources: ['a'], full_name: 'Ann "A"', skills: ['x', 'y, z'], badge: -7 };

/** A row's line as the slow way writes it; null of a broken row. */
function slowLine(chunk: Chunk, row: number, shape: RowShape): string | null {
  const sink = new ByteSink();
  try {
    appendLine(sink, { chunk, row, fill: null, sources: null }, shape);
  } catch (error) {
    if (isOfBrokenRow(error)) return null;
    throw error;
  }
  return Buffer.from(sink.view()).toString();
}

function slowLines(chunk: Chunk, { first, end }: { first: number; end: number }, shape: RowShape): string {
  return Array.from({ length: end - first }, (_, at) => slowLine(chunk, first + at, shape)).join('');
}

/** The texts of [first, end) as they come, piece by piece; what is left begins at `next`. */
function cutLines(chunk: Chunk, { first, end }: { first: number; end: number }, shape: RowShape): { readonly text: string; readonly next: number; readonly pieces: number } {
  let [text, row, pieces] = ['', first, 0];
  while (row < end) {
    const { bytes, next } = cutRows(chunk, { first: row, end }, shape);
    assert.ok(next >= row && next <= end);
    if (next === row) break;
    text += Buffer.from(bytes).toString();
    row = next;
    pieces += 1;
  }
  return { text, next: row, pieces };
}

function compactOf(rows: readonly Row[]): Chunk {
  const { bytes, stencils } = storeRows(CONTACTS, rows.map((row) => JSON.stringify(row)), 'compact');
  return chunkOfCompact(chunkOfRun(new Uint8Array(bytes), { rows: rows.length, start: 0, end: bytes.length - 1, mark: 0 }), stencils!, { broke: assert.fail });
}

function runOf(rows: readonly Row[]): Chunk {
  const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return chunkOfRun(bytes, { rows: rows.length, start: 0, end: bytes.length - 1, mark: 0 });
}

function apart({ bytes, rows, start, end, markAt }: Chunk): Chunk {
  return { bytes, rows, start, end, markAt, identity: null };
}

describe('rows cut down on the desk', () => {
  it('are those that are cut one by one, in whatever form they are stored', () => {
    fc.assert(fc.property(fc.array(anyRow, { minLength: 1, maxLength: 9 }), someFields, fc.nat(9), fc.nat(9), (rows, fields, a, b) => {
      const part = { first: Math.min(a, b, rows.length), end: Math.min(Math.max(a, b), rows.length) };
      const shape = new RowShape(LAYOUT, fields);
      const wanted = slowLines(chunkOf(rows), part, shape);
      for (const chunk of [chunkOf(rows), chunkOf(rows, 5), runOf(rows), compactOf(rows)]) {
        assert.deepEqual(cutLines(chunk, part, shape), { text: wanted, next: part.end, pieces: part.first === part.end ? 0 : 1 });
      }
    }), { numRuns: 400, seed: SEED });
  });

  it('come in pieces where they are more than a desk holds, up to one that is longer alone', () => {
    const rows = Array.from({ length: 2_500 }, (_, at): Row => ({ ...ROW, id: `a:${at}`, headline: 'h'.repeat((at * 31) % 1_200) }));
    const long = [...rows, { ...ROW, headline: 'y'.repeat(LIMITS.expandScratchBytes) }, ROW];
    for (const chunk of [apart(runOf(rows)), runOf(rows), compactOf(rows)]) {
      const { text, next, pieces } = cutLines(chunk, { first: 1, end: 2_499 }, SHAPE);
      assert.equal(text, slowLines(chunk, { first: 1, end: 2_499 }, SHAPE));
      assert.ok(next === 2_499 && pieces > 1, `${pieces} pieces up to ${next}`);
    }
    for (const chunk of [runOf(long), apart(runOf(long))]) {
      assert.equal(cutLines(chunk, { first: 0, end: 2_502 }, SHAPE).next, 2_500);
      assert.equal(cutLines(chunk, { first: 2_501, end: 2_502 }, SHAPE).next, 2_502);
    }
  });

  it('end before one that does not stand as this service writes rows', () => {
    const text = JSON.stringify(ROW);
    const others = {
      'a blank': text.replace('"source":', '"source": '), 'a blank before a comma': text.replace('"a:1",', '"a:1" ,'), 'another order': JSON.stringify({ source: 'a', ...ROW }),
      'a member more': text.replace('"sources":', '"more":{"x":"}"},"sources":'), 'a member less': text.replace('"full_name":"Ann \\"A\\"",', ''), 'a nested list': text.replace('["x"', '[["x"]'),
      'an object': text.replace('"Ann \\"A\\""', '{"first":"Ann"}'), 'a sign of control': text.replace('Ann', 'A\u0001n'), 'numbers in a list': text.replace('["x",', '["x",1,'), 'no field at all': '{}',
    };
    for (const [what, line] of Object.entries(others)) {
      const lines = [text, line, text];
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
      const chunk = chunkOfRun(bytes, { rows: 3, start: 0, end: bytes.length - 1, mark: 0 });
      assert.equal(cutLines(chunk, { first: 0, end: 3 }, SHAPE).next, 1, what);
      assert.equal(cutLines(chunk, { first: 2, end: 3 }, SHAPE).next, 3, what);
    }
  });

  it('are none of those that stand in the midst of another, as where a disk gives the block of others', () => {
    const { bytes, start, end } = chunkOf([ROW, ROW, ROW, ROW]);
    const torn: Chunk = { bytes, rows: 3, start: [start[0]!, start[1]!, start[3]!], end: [end[0]!, end[2]!, end[3]!], markAt: (row) => row, identity: null };
    assert.equal(slowLine(torn, 1, SHAPE), null);
    assert.equal(cutLines(torn, { first: 0, end: 3 }, SHAPE).next, 1);
    assert.equal(cutLines(torn, { first: 2, end: 3 }, SHAPE).next, 3);
  });

  it('may lack fields at their end that are not asked for', () => {
    const { badge: _, ...older } = ROW;
    const chunk = chunkOf([older, ROW]);
    const shape = new RowShape(LAYOUT, ['id', 'full_name']);
    assert.deepEqual(cutLines(chunk, { first: 0, end: 2 }, shape), { text: slowLines(chunk, { first: 0, end: 2 }, shape), next: 2, pieces: 1 });
    assert.equal(cutLines(chunk, { first: 0, end: 2 }, SHAPE).next, 0);
  });

  it('that have rotted are those of the slow way, or are left to it', () => {
    const three = chunkOf([ROW, { ...ROW, linkedin_url: 'https://x.y/\u00e9' }, ROW]);
    let left = 0;
    for (let at = three.start[1]!; at <= three.end[1]!; at += 1) {
      for (const byte of [0x00, 0x0a, 0x20, 0x22, 0x2b, 0x2c, 0x3a, 0x5b, 0x5c, 0x5d, 0x78, 0x7b, 0x7d, 0xff]) {
        const bytes = Buffer.from(three.bytes);
        if (bytes[at] === byte) continue;
        bytes[at] = byte;
        const chunk = { ...three, bytes };
        const { text, next } = cutLines(chunk, { first: 0, end: 3 }, SHAPE);
        assert.ok(next > 0);
        if (next < 3) left += 1;
        assert.equal(text, Array.from({ length: next }, (_, row) => slowLine(chunk, row, SHAPE)).join(''), `byte ${at - three.start[1]!} is ${byte}`);
      }
    }
    assert.ok(left > 500, `${left} were left`);
  });

  it('may be of one dataset after the other, and of an extra column with the longest name', () => {
    const longName = `x${'_'.repeat(63)}`;
    const words = vocabulary('companies', [{ name: longName, type: 'string', description: '' }]);
    const shape = new RowShape(rowLayout(words), ['name', longName]);
    const companies = chunkOf([{ ...Object.fromEntries(words.fields.map(({ name }) => [name, null])), id: 'b:1', name: 'B', [longName]: 'held' }]);
    for (let turn = 0; turn < 2; turn += 1) {
      assert.equal(cutLines(companies, { first: 0, end: 1 }, shape).text, `{"name":"B","${longName}":"held"}\n`);
      assert.equal(cutLines(chunkOf([ROW]), { first: 0, end: 1 }, SHAPE).text, '{"id":"a:1","full_name":"Ann \\"A\\"","skills":["x","y, z"],"badge":-7}\n');
    }
  });
});
