import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { UNREACHABLE } from '../../src/federation/outcome.ts';
import { LateOutlet, type StreamOutlet } from '../../src/find/late_outlet.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import { seeded } from '../../bench/support/figures.ts';
import { VirtualTime } from '../simulation/virtual_time.ts';

/** Takes one write at a time, each for as long as a slow reader does, as a connection does; a second one beside it is a failure. */
class SlowOutlet implements StreamOutlet {
  readonly gone = false;
  readonly written: string[] = [];
  readonly #pause: () => Promise<void>;
  #writing = false;

  constructor(pause: () => Promise<void>) { this.#pause = pause; }

  chunk(_: unknown, count: number): Promise<number> { return this.#write('chunk').then(() => count); }
  rows(): Promise<void> { return this.#write('rows'); }
  sourceEnded({ source }: Outcome): Promise<void> { return this.#write(source); }
  cursor(): Promise<void> { return this.#write('cursor'); }
  afford(rows: number): number { return rows; }

  async #write(what: string): Promise<void> {
    assert.ok(!this.#writing, `${what} is written while a write still waits`);
    this.#writing = true;
    await this.#pause();
    this.#writing = false;
    this.written.push(what);
  }
}

function missing(source: string): Outcome {
  return { source, status: 'failed', reason: UNREACHABLE, returned: 0, matched: null, took_ms: 0, filters: { pushed: [], residual: [], unsupported: [] } };
}

describe('a stream whose begin was put off', () => {
  it('writes the sources that were missing before all else, though rows come while their lines still wait for a slow reader', async () => {
    await VirtualTime.during(seeded(1), async (time) => {
      const slow = new SlowOutlet(() => time.pause(50));
      const late = new LateOutlet(() => slow, String, true);
      for (const source of ['one', 'two']) await late.sourceEnded(missing(source));
      assert.equal(late.begun, false);
      // The timer begins it; its lines are still on their way when the first rows come.
      await time.pause(LIMITS.streamBeginMsMax + 10);
      assert.equal(late.begun, true);
      await late.rows([]);
      await late.sourceEnded(missing('three'));
      assert.deepEqual(slow.written, ['one', 'two', 'rows', 'three']);
    });
  });

  it('that cannot begin says so to whoever writes next, and to nobody else', async () => {
    await VirtualTime.during(seeded(1), async (time) => {
      const late = new LateOutlet(() => { throw new Error('no room'); }, String, true);
      await time.pause(LIMITS.streamBeginMsMax + 10);
      await assert.rejects(late.rows([]), /no room/);
    });
  });
});
