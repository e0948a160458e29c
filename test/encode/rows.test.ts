import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { writeCsv } from '../../src/encode/csv.ts';
import { encodeJson, writeResults } from '../../src/encode/json.ts';
import { encodeMsgpack, packRows } from '../../src/encode/msgpack.ts';
import { appendLine, controlLine } from '../../src/encode/ndjson.ts';
import { RowShape, runEnd, type RowOut } from '../../src/encode/rows.ts';
import { unpack } from 'msgpackr';
import type { FindAnswer } from '../../src/model/answer.ts';
import type { Row } from '../../src/model/field.ts';
import { turnsMeanwhile } from '../support/turns_meanwhile.ts';
import { ANSWER, CONTACTS, LAYOUT, anyRow, asStored, chunkOf, fillOf } from './rows_support.ts';

const NAMES = CONTACTS.fields.map(({ name }) => name);

function written(shape: RowShape, row: RowOut): string {
  const sink = new ByteSink();
  shape.append(sink, row);
  return Buffer.from(sink.view()).toString();
}

test('a row that stands as it is leaves byte for byte', () => {
  fc.assert(fc.property(anyRow, (row) => {
    assert.equal(written(new RowShape(LAYOUT, null), asStored(chunkOf([row]))[0]!), JSON.stringify(row));
  }));
});

test('only the wanted fields of a row are returned, in row order', () => {
  fc.assert(fc.property(anyRow, fc.subarray(NAMES, { minLength: 1 }), (row, wanted) => {
    const expected = JSON.stringify(Object.fromEntries(wanted.map((name) => [name, row[name]])));
    assert.equal(written(new RowShape(LAYOUT, wanted), asStored(chunkOf([row]))[0]!), expected);
  }));
});

test('null fields of the winner are filled from the others in their order, and sources says who had the row', () => {
  const anyDonors = fc.oneof(fc.array(anyRow, { maxLength: 3 }), fc.array(anyRow, { minLength: 40, maxLength: 70 }));
  fc.assert(fc.property(anyRow, anyDonors, fc.option(fc.subarray(NAMES, { minLength: 1 })), (winner, donors, wanted) => {
    const filled: Row = { ...winner, sources: ['a', 'ü"'] };
    for (const name of NAMES) filled[name] ??= donors.find((donor) => donor[name] !== null)?.[name] ?? null;
    const expected = JSON.stringify(Object.fromEntries((wanted ?? NAMES).map((name) => [name, filled[name]])));
    assert.equal(written(new RowShape(LAYOUT, wanted), { chunk: chunkOf([winner]), row: 0, fill: fillOf(donors, wanted ?? NAMES), sources: ['a', 'ü"'] }), expected);
  }));
});

test('a row of other spacing, order or members is read by name, and a field it lacks is null', () => {
  const bytes = Buffer.from('{ "source" : "a", "other": [{"id":"x]"}],"id" :"a:1" ,\n "badge": -7 }');
  const row = { chunk: { ...chunkOf([]), bytes, start: [0], end: [bytes.length] }, row: 0, fill: null, sources: null };
  assert.equal(written(new RowShape(LAYOUT, ['id', 'source', 'email', 'badge']), row), '{"id":"a:1","source":"a","email":null,"badge":-7}');
});

test('a JSON page is the rows and then the members of the answer, whether its rows lie together or not', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyRow, { maxLength: 6 }), fc.array(fc.nat(5)), fc.nat(2), async (rows, order, gap) => {
    const stored = asStored(chunkOf(rows, gap));
    const picked = order.filter((at) => at < rows.length);
    for (const [out, expected] of [[stored, rows], [picked.map((at) => stored[at]!), picked.map((at) => rows[at]!)]] as const) {
      const sink = new ByteSink();
      assert.equal(await writeResults(sink, out, new RowShape(LAYOUT, null)), expected.length);
      encodeJson(sink, ANSWER);
      assert.equal(Buffer.from(sink.view()).toString(), JSON.stringify({ results: expected, ...ANSWER }));
    }
  }));
});

const FULL_ANSWER: FindAnswer = {
  ...ANSWER, next_cursor: 'abc', client_ref: 'ü', partial: true, facets: { country: [{ value: 'US', count: 70_000 }], seniority: [] },
  sources: [{ source: 'crm', status: 'partial', reason: 'timed out', returned: 3, matched: null, took_ms: 0.25, filters: { pushed: ['country'], residual: [], unsupported: [] } }],
};

test('an answer in MessagePack is the same object as the one in JSON', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyRow, { maxLength: 40 }), async (rows) => {
    for (const answer of [ANSWER, FULL_ANSWER]) {
      const sink = new ByteSink();
      const packed = encodeMsgpack(sink, await packRows(sink, asStored(chunkOf(rows)), new RowShape(LAYOUT, null)), answer);
      assert.deepEqual(unpack(packed), JSON.parse(JSON.stringify({ results: rows, ...answer })));
    }
  }), { numRuns: 50 });
});

test('an integer in MessagePack is read as the same number as in JSON, however large', async () => {
  const badges = [-1, 2 ** 32 - 1, 2 ** 32, 9_000_000_000, Number.MAX_SAFE_INTEGER, -(2 ** 31) - 1, Number.MIN_SAFE_INTEGER];
  const rows = badges.map((badge) => Object.fromEntries(NAMES.map((name) => [name, name === 'badge' ? badge : null])));
  const sink = new ByteSink();
  const packed = encodeMsgpack(sink, await packRows(sink, asStored(chunkOf(rows)), new RowShape(LAYOUT, null)), { ...ANSWER, total: 2 ** 40 });
  const { results, total } = unpack(packed) as { results: { badge: unknown }[]; total: unknown };
  assert.deepEqual([results.map(({ badge }) => badge), total], [badges, 2 ** 40]);
});

test('a large answer lets others run while it is made', async () => {
  const row = Object.fromEntries(NAMES.map((name) => [name, 'some text, and more']));
  const rows = asStored(chunkOf(Array.from({ length: 50 }, () => row)));
  const many = Array.from({ length: 200 }, () => rows).flat();
  const cut = new RowShape(LAYOUT, NAMES.slice(1));
  for (const write of [packRows, writeCsv, writeResults]) {
    const { turns } = await turnsMeanwhile<unknown>(() => write(new ByteSink(), many, cut));
    assert.ok(turns > 2, `${turns} turns`);
  }
});

test('a line of a stream is a bare row, as stored or cut down, or an object of one key', () => {
  fc.assert(fc.property(fc.array(anyRow, { maxLength: 5 }), fc.option(fc.constant(['id', 'email'])), (rows, wanted) => {
    const sink = new ByteSink();
    for (const row of asStored(chunkOf(rows))) appendLine(sink, row, new RowShape(LAYOUT, wanted));
    const lines = Buffer.from(sink.view()).toString().split('\n');
    assert.equal(lines.pop(), '');
    assert.deepEqual(lines, rows.map((row) => JSON.stringify(wanted === null ? row : { id: row.id, email: row.email })));
  }));
  assert.equal(Buffer.from(controlLine({ '@cursor': 'abc' })).toString(), '{"@cursor":"abc"}\n');
});

test('rows lie together only where nothing but a line end stands between them', () => {
  const row = { id: 'a:1', source: 'a' };
  assert.equal(runEnd(chunkOf([row, row, row]), 0, { end: 3 }), 3);
  assert.equal(runEnd(chunkOf([row, row, row]), 0, { end: 2 }), 2);
  assert.equal(runEnd(chunkOf([row, row, row], 1), 0, { end: 3 }), 1);
  assert.equal(runEnd(chunkOf([row, row, row], 1), 2, { end: 3 }), 3);
  const three = chunkOf([row, row, row]);
  assert.equal(runEnd(three, 0, { end: 3, bytesMax: three.end[0]! - three.start[0]! + 1 }), 2);
});

test('a sink grows to its bound and refuses to pass it', () => {
  const sink = new ByteSink(100_000);
  sink.text('ü'.repeat(20_000));
  sink.bytes(new Uint8Array(60_000));
  assert.equal(sink.length, 100_000);
  assert.throws(() => sink.byte(1), /more than 100000 bytes/);
  sink.reset();
  sink.text('again');
  assert.equal(Buffer.from(sink.view()).toString(), 'again');
});

test('a page in JSON or MessagePack of rows that are too many bytes together ends behind the first of them', async () => {
  const [row] = asStored(chunkOf([{ id: 'a:1', source: 'a', sources: ['a'], headline: 'x'.repeat(1_048_576) }], 1));
  const rows = Array.from({ length: 300 }, () => row!);
  const shape = new RowShape(LAYOUT, ['id', 'headline']);
  const sink = new ByteSink();
  assert.equal(await writeResults(sink, rows, shape), LIMITS.answerBytesMax / 1_048_576);
  assert.equal((JSON.parse(Buffer.from(encodeJson(sink, ANSWER)).toString()) as { results: unknown[] }).results.length, LIMITS.answerBytesMax / 1_048_576);
  assert.equal(await packRows(new ByteSink(), rows, shape), LIMITS.answerBytesMax / 1_048_576);
});
