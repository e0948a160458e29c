import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { Backlog } from '../../../src/http/node/backlog.ts';
import { makeSurroundings, type Surroundings } from '../../../src/http/surroundings.ts';

const ANSWER_BYTES = 1_000;

function around(t: TestContext, unreadBytesMax: number): Surroundings {
  const made = makeSurroundings({ host: '', port: 0, bounds: { unreadBytesMax } });
  t.after(() => made.stalls.stop());
  return made;
}

function reader(surroundings: Surroundings): { readonly backlog: Backlog; isCut(): boolean } {
  const socket = new PassThrough();
  const backlog = Backlog.of(socket, surroundings);
  backlog.hold(ANSWER_BYTES);
  return { backlog, isCut: () => socket.destroyed };
}

/** As the sweeps do. */
function sweep(readers: readonly { readonly backlog: Backlog; isCut(): boolean }[]): readonly boolean[] {
  for (const { backlog } of readers) {
    backlog.look();
    if (backlog.rosterPlace !== -1) backlog.patienceEndsMs ??= Infinity;
  }
  return readers.map(({ isCut }) => isCut());
}

test('where too much is unread those who take nothing are cut, as many as it needs, and those who read are not', (t) => {
  const surroundings = around(t, 2 * ANSWER_BYTES);
  const readers = Array.from({ length: 4 }, () => reader(surroundings));
  assert.deepEqual(sweep(readers), [false, false, false, false], 'nobody had the time to take anything');
  readers[0]!.backlog.took();
  assert.deepEqual(sweep(readers), [false, true, true, false]);
  assert.equal(surroundings.unread.bytes, 2 * ANSWER_BYTES);
  assert.deepEqual(sweep(readers), [false, true, true, false]);
});

test('while little is unread who takes nothing is waited for', (t) => {
  const surroundings = around(t, 2 * ANSWER_BYTES);
  const readers = [reader(surroundings), reader(surroundings)];
  for (let sweeps = 0; sweeps < 5; sweeps += 1) assert.deepEqual(sweep(readers), [false, false]);
});

test('what was read is held no longer, and what comes after it has its own time', (t) => {
  const surroundings = around(t, 0);
  const one = reader(surroundings);
  sweep([one]);
  one.backlog.release(ANSWER_BYTES);
  assert.deepEqual([surroundings.unread.bytes, one.backlog.rosterPlace], [0, -1]);
  one.backlog.hold(ANSWER_BYTES);
  assert.deepEqual(sweep([one]), [false]);
});

test('an answer behind another is not held where too much is, and what a cut connection tells later counts for nothing', (t) => {
  const surroundings = around(t, 2 * ANSWER_BYTES);
  const [one, other] = [reader(surroundings), reader(surroundings)];
  other.backlog.hold(ANSWER_BYTES);
  assert.deepEqual([one.isCut(), other.isCut(), surroundings.unread.bytes], [false, true, ANSWER_BYTES]);
  other.backlog.release(ANSWER_BYTES);
  other.backlog.release(ANSWER_BYTES);
  assert.equal(surroundings.unread.bytes, ANSWER_BYTES);
});
