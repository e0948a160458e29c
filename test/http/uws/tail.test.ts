import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { makeSurroundings, type Surroundings } from '../../../src/http/surroundings.ts';
import type { HttpResponse } from '../../../src/http/uws/native.ts';
import { Tail } from '../../../src/http/uws/tail.ts';

const ANSWER = new Uint8Array(1_000);

function around(t: TestContext, unreadBytesMax: number): Surroundings {
  const made = makeSurroundings({ host: '', port: 0, bounds: { unreadBytesMax } });
  t.after(() => made.stalls.stop());
  return made;
}

/** What is left of an answer of which the reader takes so much at each look. */
class Reader {
  takes = 0;
  cut = false;
  readonly tail: Tail;
  #offset = 0;

  constructor(surroundings: Surroundings) {
    const response = {
      getWriteOffset: () => this.#offset,
      onWritable: () => {},
      cork: (act: () => void) => act(),
      tryEnd: (rest: Uint8Array) => {
        this.#offset += Math.min(this.takes, rest.byteLength);
        return [true, this.#offset === ANSWER.byteLength];
      },
      close: () => { this.cut = true; this.tail.over(); },
    };
    this.tail = new Tail(response as unknown as HttpResponse, ANSWER, surroundings);
  }

  /** As the sweep does. */
  sweep(): void {
    this.tail.look();
    if (this.tail.rosterPlace !== -1) this.tail.patienceEndsMs ??= Number.MAX_SAFE_INTEGER;
  }
}

function sweep(readers: readonly Reader[]): readonly boolean[] {
  for (const reader of readers) reader.sweep();
  return readers.map(({ cut }) => cut);
}

test('where too much is unread those who take nothing are cut, as many as it needs, and those who read are not', (t) => {
  const surroundings = around(t, 2 * ANSWER.byteLength);
  const readers = Array.from({ length: 4 }, () => new Reader(surroundings));
  readers[0]!.takes = 1;
  assert.deepEqual(sweep(readers), [false, false, false, false], 'nobody had the time to take anything');
  assert.deepEqual(sweep(readers), [false, true, true, false]);
  assert.equal(surroundings.unread.bytes, 2 * ANSWER.byteLength);
  assert.deepEqual(sweep(readers), [false, true, true, false]);
});

test('while little is unread who takes nothing is waited for', (t) => {
  const surroundings = around(t, 2 * ANSWER.byteLength);
  const readers = [new Reader(surroundings), new Reader(surroundings)];
  for (let sweeps = 0; sweeps < 5; sweeps += 1) assert.deepEqual(sweep(readers), [false, false]);
});

test('what was read is held no longer', (t) => {
  const surroundings = around(t, 0);
  const reader = new Reader(surroundings);
  reader.takes = ANSWER.byteLength / 2;
  reader.sweep();
  assert.equal(surroundings.unread.bytes, ANSWER.byteLength);
  reader.sweep();
  assert.deepEqual([reader.cut, surroundings.unread.bytes], [false, 0]);
});
