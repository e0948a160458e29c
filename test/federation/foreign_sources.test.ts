import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { LIMITS } from '../../src/config/limits.ts';
import { ForeignSources } from '../../src/federation/foreign_sources.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { ForeignRequest } from '../../src/pool/foreign_protocol.ts';
import type { ForeignScan } from '../../src/pool/foreign_scan.ts';
import type { ForeignRunner } from '../../src/pool/foreign_threads.ts';
import type { ForeignSettings } from '../../src/sources/source.ts';
import { seeded } from '../../bench/support/figures.ts';
import { scanForeign } from '../../src/worker/foreign/scan.ts';
import { memoryChannel } from '../simulation/memory_port.ts';
import { hold, memorySource } from '../simulation/rows.ts';
import { VirtualTime } from '../simulation/virtual_time.ts';
import { MEMORY_VOCABULARY } from '../support/memory_lanes.ts';

const SETTINGS: ForeignSettings = {
  config: { name: 'far', dataset: 'contacts', kind: 'postgres', url: 'postgres://nowhere', table: 'people', columns: {}, compared: {}, concurrency: 1 },
  vocabulary: MEMORY_VOCABULARY,
};
const TIME_MS = 2 * LIMITS.breakerTimeoutMsMin;

const PAGE_ROWS = 10;

/** Describes itself well, and answers no scan. */
const MUTE: ForeignRunner = {
  openChannel: memoryChannel,
  run: (task) => Promise.resolve(task.kind === 'scan' ? null : { ok: true, description: { fields: [], filters: {}, trouble: null }, figures: null }),
  close: () => Promise.resolve(),
};

/** Has more rows than a page, which are read a page at a time, and counts how often; while it is mute it answers no scan. */
class Far implements ForeignRunner {
  readonly openChannel = memoryChannel;
  mute = false;
  statements = 0;
  readonly #rows = hold('far', false, 2 * PAGE_ROWS + 5, seeded(1));
  async run(task: Parameters<ForeignRunner['run']>[0]): ReturnType<ForeignRunner['run']> {
    if (task.kind !== 'scan' || this.mute) return MUTE.run(task);
    const count = async (): Promise<void> => { this.statements += 1; };
    await scanForeign(() => memorySource(this.#rows, PAGE_ROWS, count), MEMORY_VOCABULARY, task.request, task.port);
    return null;
  }
  close(): Promise<void> { return Promise.resolve(); }
}

function request(order: ForeignRequest['order'] = 'stored'): ForeignRequest {
  return {
    filters: [], terms: [], order, after: '', fields: null, suppressions: null,
    rowsMax: PAGE_ROWS, whole: false, count: false, facets: [], deadlineMs: monotonicMs() + TIME_MS,
  };
}

/** The state of the source, and what its operator is told of it, after scans that all ran out of time, so many at once, again and again. */
function stateAfter(times: number, atOnce: number): Promise<{ readonly status: string; readonly trouble: string | null; readonly code: string | null }> {
  return VirtualTime.during(seeded(1), async () => {
    const sources = new ForeignSources(MUTE, [SETTINGS], () => {}, () => {});
    await sources.open();
    for (let time = 0; time < times; time += 1) {
      const scans = Array.from({ length: atOnce }, () => sources.scan('far', request()));
      assert.deepEqual(await Promise.all(scans.map((scan) => scan.next())), scans.map(() => null));
      assert.deepEqual(scans.map(({ end }) => end!.why), scans.map(() => 'deadline'));
    }
    const { status, trouble } = sources.catalogSources()[0]!;
    const code = sources.lastFailure('far')?.code ?? null;
    await sources.close();
    return { status, trouble, code };
  });
}

describe('a source that does not answer', () => {
  it('is left out once so many scans of it in a row ran out of time, and is not said to be unreachable', async () => {
    assert.deepEqual(await stateAfter(LIMITS.breakerFailures - 1, 1), { status: 'ok', trouble: null, code: null });
    assert.deepEqual(await stateAfter(LIMITS.breakerFailures, 1), { status: 'down', trouble: 'no answer in time', code: 'timed_out' });
  });

  it('is not blamed for scans that waited in line behind another all their time', async () => {
    assert.equal((await stateAfter(1, LIMITS.breakerFailures + 1)).status, 'ok');
  });

  it('is not left out for scans between which it gave pages, though there were more rows behind them', async () => {
    await VirtualTime.during(seeded(1), async () => {
      const far = new Far();
      const sources = new ForeignSources(far, [SETTINGS], () => {}, () => {});
      await sources.open();
      for (let time = 0; time < 3 * LIMITS.breakerFailures; time += 1) {
        far.mute = time % LIMITS.breakerFailures !== 0;
        const scan = sources.scan('far', request());
        assert.equal((await scan.next())?.rows ?? null, far.mute ? null : PAGE_ROWS);
        scan.close();
        assert.equal(sources.catalogSources()[0]!.status, 'ok');
      }
      await sources.close();
    });
  });
});

/** The state of a source after it answered none of so many scans, one after the other; once they began, it tells what it can or nothing at all. */
function statusAfter(settings: ForeignSettings, count: number, { ms, tells, answerMs }: { readonly ms: number; readonly tells: boolean; readonly answerMs: number }): Promise<string> {
  return VirtualTime.during(seeded(1), async (time) => {
    let isHung = false;
    const hanging: ForeignRunner = {
      ...MUTE,
      run: (task) => (task.kind === 'describe' && isHung ? time.pause(task.deadlineMs - monotonicMs()).then(() => null) : MUTE.run(task)),
    };
    const sources = new ForeignSources(hanging, [settings], () => {}, () => {});
    await sources.open();
    isHung = !tells;
    for (let scan = 0; scan < count; scan += 1) await sources.scan('far', { ...request(), deadlineMs: monotonicMs() + ms }).next();
    await time.pause(answerMs);
    const { status } = sources.catalogSources()[0]!;
    await sources.close();
    return status;
  });
}

describe('a source of files that does not answer', () => {
  const FILES: ForeignSettings = { ...SETTINGS, config: { name: 'far', dataset: 'contacts', kind: 'parquet', path: 'nowhere', columns: {}, compared: {}, concurrency: 1 } };
  const late = (count: number, tells: boolean): Promise<string> => statusAfter(FILES, count, { ms: TIME_MS, tells, answerMs: LIMITS.describeMs });

  it('is asked all the same by whoever comes: more was asked than its engine can do', async () => {
    assert.equal(await late(4 * LIMITS.breakerFailures, true), 'ok');
  });

  it('is left out where it does not even tell what it has, as on a disk that hangs', async () => {
    assert.equal(await late(4 * LIMITS.breakerFailures, false), 'down');
    assert.equal(await late(LIMITS.breakerFailures - 1, false), 'ok');
  });
});

describe('a source that is asked with little time alone', () => {
  const SHORT_MS = LIMITS.breakerTimeoutMsMin / 2;
  const ENOUGH = 2 + LIMITS.breakerSilenceMs / (SHORT_MS - LIMITS.foreignKeptMsMax);
  const short = (count: number, tells: boolean): Promise<string> => statusAfter(SETTINGS, count, { ms: SHORT_MS, tells, answerMs: LIMITS.breakerSilenceMs });

  it('is left out where it does not even tell what it can', async () => {
    assert.equal(await short(ENOUGH, false), 'down');
  });

  it('is not left out where it tells that, nor before it was silent for long', async () => {
    assert.equal(await short(3 * ENOUGH, true), 'ok');
    assert.equal(await short(LIMITS.breakerFailures + 1, false), 'ok');
  });
});

describe('a source that refuses a search', () => {
  /** Tells what it has as often as it is asked, and refuses whatever is searched. */
  class Changed implements ForeignRunner {
    readonly openChannel = memoryChannel;
    described = 0;
    gone = false;
    slowMs = 0;
    async run(task: Parameters<ForeignRunner['run']>[0]): ReturnType<ForeignRunner['run']> {
      if (task.kind === 'scan') task.port.postMessage({ kind: 'failed', code: 'refused', detail: 'there is no such column' });
      if (task.kind !== 'describe') return MUTE.run(task);
      if (this.gone) return { ok: false, code: 'refused', detail: 'there is no such table' };
      this.described += 1;
      if (this.slowMs > 0) await new Promise((resolve) => { setTimeout(resolve, this.slowMs); });
      return { ok: true, description: { fields: [`field${this.described}`], filters: {}, trouble: null }, figures: null };
    }
    close(): Promise<void> { return Promise.resolve(); }
  }

  function withChanged(use: (sources: ForeignSources, changed: Changed, time: VirtualTime) => Promise<void>): Promise<void> {
    return VirtualTime.during(seeded(1), async (time) => {
      const changed = new Changed();
      const sources = new ForeignSources(changed, [SETTINGS], () => {}, () => {});
      await sources.open();
      await use(sources, changed, time);
      await sources.close();
    });
  }

  async function search(sources: ForeignSources, time: VirtualTime): Promise<void> {
    const scan = sources.scan('far', request());
    assert.equal(await scan.next(), null);
    assert.equal(scan.end!.failure, 'refused');
    await time.pause(1);
  }

  it('is looked at anew at once, for it may have changed, and once a second at most', async () => {
    await withChanged(async (sources, changed, time) => {
      for (let times = 0; times < 5; times += 1) await search(sources, time);
      assert.deepEqual(sources.catalogSources()[0]!.fields, ['field2']);
      await time.pause(LIMITS.refusedEveryMs);
      await search(sources, time);
      assert.deepEqual([sources.catalogSources()[0]!.fields, changed.described], [['field3'], 3]);
    });
  });

  it('is looked at once at a time, however long that takes', async () => {
    await withChanged(async (sources, changed, time) => {
      changed.slowMs = 3.5 * LIMITS.refusedEveryMs;
      for (let times = 0; times < 4; times += 1) {
        await search(sources, time);
        await time.pause(LIMITS.refusedEveryMs);
      }
      assert.equal(changed.described, 2);
    });
  });

  it('is down before long where it cannot be described either, and back as soon as it can', async () => {
    await withChanged(async (sources, changed, time) => {
      changed.gone = true;
      await search(sources, time);
      assert.equal(sources.catalogSources()[0]!.status, 'ok');
      await time.pause(2 ** LIMITS.breakerFailures * LIMITS.probeMsMin);
      assert.equal(sources.catalogSources()[0]!.status, 'down');
      changed.gone = false;
      await time.pause(LIMITS.probeMsMax);
      assert.equal(sources.catalogSources()[0]!.status, 'ok');
    });
  });
});

describe('a source that tells what it has and fails what is searched', () => {
  const stateOf = (sources: ForeignSources): unknown[] => sources.catalogSources().map(({ status, trouble }) => [status, trouble]);

  it('is degraded after so many failures in a row, and well again with the first search that it serves', async () => {
    await VirtualTime.during(seeded(1), async (time) => {
      const far = new Far();
      let isFull = true;
      let changes = 0;
      const full: ForeignRunner = {
        ...MUTE,
        run: async (task) => {
          if (task.kind !== 'scan' || !isFull) return far.run(task);
          await time.pause(1);
          task.port.postMessage({ kind: 'failed', code: 'overloaded', detail: 'no memory is left' });
          return null;
        },
      };
      const sources = new ForeignSources(full, [SETTINGS], () => { changes += 1; }, () => {});
      await sources.open();
      await time.pause(1);
      const before = changes;
      for (let times = 0; times < 2 * LIMITS.breakerFailures; times += 1) {
        assert.deepEqual(stateOf(sources), [times < LIMITS.breakerFailures ? ['ok', null] : ['degraded', 'its last searches failed']]);
        const scan = sources.scan('far', request());
        assert.equal(await scan.next(), null);
        assert.equal(scan.end!.failure, 'overloaded');
        await time.pause(1);
      }
      isFull = false;
      const scan = sources.scan('far', request());
      assert.equal((await scan.next())?.rows, PAGE_ROWS);
      scan.close();
      assert.deepEqual([stateOf(sources), changes - before], [[['ok', null]], 2]);
      await sources.close();
    });
  });
});

describe('a page of a source that has more', () => {
  /** Statements before a second page is asked for and after, and the rows of both. */
  function statementsOf(order: ForeignRequest['order']): Promise<readonly [number, number, number]> {
    return VirtualTime.during(seeded(1), async (time) => {
      const far = new Far();
      const sources = new ForeignSources(far, [SETTINGS], () => {}, () => {});
      await sources.open();
      const scan = sources.scan('far', request(order));
      const first = await scan.next();
      await time.pause(TIME_MS / 4);
      const { statements } = far;
      const second = await scan.next();
      await time.pause(TIME_MS / 4);
      scan.close();
      await sources.close();
      return [statements, far.statements, first!.rows + second!.rows] as const;
    });
  }

  it('costs it one statement; more are read only when they are asked for', async () => {
    assert.deepEqual(await statementsOf('stored'), [1, 2, 2 * PAGE_ROWS]);
  });

  it('is read on at once where rows share an identity: a merge may take several of them for one', async () => {
    const [before] = await statementsOf('identity');
    assert.ok(before > 1);
  });
});

describe('a scan that no thread took', () => {
  const lines: MessagePort[] = [];
  const channelled = (run: ForeignRunner['run']): ForeignRunner => ({
    ...MUTE, run,
    openChannel: () => {
      const { port1: near, port2: far } = new MessageChannel();
      lines.push(far);
      return { near, far };
    },
  });
  const scanned = async (runner: ForeignRunner, times: number, act: (scans: readonly ForeignScan[]) => void): Promise<void> => {
    lines.length = 0;
    const sources = new ForeignSources(runner, [SETTINGS], () => {}, () => {});
    await sources.open();
    const scans = Array.from({ length: times }, () => sources.scan('far', request()));
    const closed = once(lines.at(-1)!, 'close');
    act(scans);
    await sources.close();
    await closed;
  };

  it('leaves no line open where it waited to its end', () => scanned(channelled(MUTE.run), 2, ([, waiting]) => waiting!.close()));

  it('leaves none where it found no room to wait', () => scanned(channelled(MUTE.run), 2 + LIMITS.waitingPerPlace, (scans) => {
    assert.equal(scans.at(-1)!.end?.failure, 'overloaded');
  }));

  it('leaves none where the thread could not be had', () => {
    const lost: ForeignRunner['run'] = (task) => (task.kind === 'scan' ? Promise.reject(new Error('gone')) : MUTE.run(task));
    return scanned(channelled(lost), 1, () => {});
  });
});
