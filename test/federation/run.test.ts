import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runOf } from '../../src/encode/rows.ts';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { chunkOfRun, isRun, placesIn, RunInParts } from '../../src/federation/run.ts';
import { SEED } from '../support/seed.ts';

const LINES = ['{"id":"a"}', '{"id":"ü"}', '{"id":"c","name":"x\\ny"}'];
const BEFORE = '{"id":"before"}\n';
const BYTES = new Uint8Array(Buffer.from(`${BEFORE}${LINES.join('\n')}\n{"id":"behind"}\n`)).subarray();
const END = BYTES.length - '\n{"id":"behind"}\n'.length;

test('the rows of a run stand where a table of them would say, and have marks one behind the other', () => {
  const chunk = chunkOfRun(BYTES, { rows: LINES.length, start: BEFORE.length, end: END, mark: 7 });
  const texts = LINES.map((_, row) => Buffer.from(BYTES.subarray(chunk.start[row], chunk.end[row])).toString());
  assert.deepEqual(texts, LINES);
  assert.deepEqual([chunk.start.length, chunk.end.length, chunk.end[2]], [3, 3, END]);
  assert.deepEqual(LINES.map((_, row) => chunk.markAt(row)), [7, 8, 9]);
});

test('rows of which a line end has rotted, or a byte has become one, lie within the run, and those before it where they stood', () => {
  const rotten = BYTES.slice();
  rotten[rotten.indexOf(0x0a, BEFORE.length)] = 0x4a;
  const split = BYTES.slice();
  split[BEFORE.length + LINES[0]!.length + 3] = 0x0a;
  const lastOne = BYTES.slice();
  lastOne[END] = 0x4a;
  const oneLine = BYTES.map((byte, at) => (byte === 0x0a && at > BEFORE.length ? 0x4a : byte));
  const [first, second, third] = LINES;
  for (const [bytes, texts] of [
    [rotten, [`${first}J${second}`, third, '']], [split, [first, '{"', Buffer.from(second!).subarray(3).toString()]], [lastOne, LINES], [oneLine, [LINES.join('J'), '', '']],
  ] as const) {
    const chunk = chunkOfRun(bytes, { rows: LINES.length, start: BEFORE.length, end: END, mark: 7 });
    assert.deepEqual(LINES.map((_, row) => Buffer.from(bytes.subarray(chunk.start[row], chunk.end[row])).toString()), texts);
    assert.ok(LINES.every((_, row) => chunk.start[row]! <= chunk.end[row]! && chunk.end[row]! <= END));
  }
});

test('rows of which nothing is left are empty', () => {
  const { start, end } = placesIn(new Uint8Array(0), 2, 7);
  assert.deepEqual([[...start], [...end]], [[7, 7], [7, 7]]);
});

test('rows are found behind the first 2 GiB of a file too', () => {
  const from = 2 ** 31 + 100;
  const bytes = new Uint8Array(from + BYTES.length);
  bytes.set(BYTES, from);
  const chunk = chunkOfRun(bytes, { rows: LINES.length, start: from + BEFORE.length, end: from + END, mark: 0 });
  assert.deepEqual(LINES.map((_, row) => Buffer.from(bytes.subarray(chunk.start[row], chunk.end[row])).toString()), LINES);
});

test('a run is written whole without a look at its rows, and cut where fewer are paid for', () => {
  const chunk = chunkOfRun(BYTES, { rows: LINES.length, start: BEFORE.length, end: END, mark: 0 });
  const unread = { ...chunk, get start(): never { throw new Error('a row was looked for'); } };
  assert.equal(Buffer.from(runOf(unread, 3)!).toString(), `${LINES.join('\n')}\n`);
  assert.equal(Buffer.from(runOf(chunk, 2)!).toString(), `${LINES.slice(0, 2).join('\n')}\n`);
});

test('a run is handed out in parts that lie one behind the other, none longer than was asked for unless it cannot be told where a shorter one ends', () => {
  const part = LIMITS.runPartRows;
  fc.assert(fc.property(fc.integer({ min: 2, max: 6 * part }), fc.array(fc.integer({ min: 1, max: 4 * part }), { minLength: 1 }), fc.boolean(), (rows, wanted, told) => {
    // The row at `at` takes ten bytes, the last of which is its line end.
    const endOf = (row: number): number => 1_000 + 10 * row + 9;
    const ends = told ? Array.from({ length: Math.ceil(rows / part) }, (_, nth) => endOf(Math.min(rows, (nth + 1) * part) - 1)) : [endOf(rows - 1)];
    const table = Float64Array.of(1_000, ...ends, 70);
    assert.ok(isRun(table, rows));
    const parts = new RunInParts(table, rows);
    let given = 0;
    for (let ask = 0; !parts.isGiven; ask++) {
      const most = wanted[ask % wanted.length]!;
      const run = parts.next(most);
      assert.deepEqual([run.start, run.end, run.mark], [endOf(given - 1) + 1, endOf(given + run.rows - 1), 70 + given]);
      const least = told ? Math.min(part - given % part, rows - given) : rows;
      assert.ok(run.rows > 0 && run.rows <= Math.max(most, least), `${run.rows} rows of ${most}`);
      if (told && run.rows <= most && given + run.rows < rows) assert.ok(run.rows + part > most, 'no more than a part too few');
      given += run.rows;
    }
    assert.equal(given, rows);
  }), { seed: SEED });
});

test('what a table tells of a run is told from what it tells of each row, of whatever rows', () => {
  for (let rows = 1; rows < 3 * LIMITS.runPartRows; rows += 1) {
    assert.ok(isRun(new Float64Array(2 + Math.ceil(rows / LIMITS.runPartRows)), rows) && isRun(new Float64Array(3), rows));
    assert.equal(isRun(new Float64Array(3 * rows), rows), rows === 1, 'one row is told in the same way by either');
  }
});
