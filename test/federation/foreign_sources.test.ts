import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { ForeignSources } from '../../src/federation/foreign_sources.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { ForeignRequest } from '../../src/pool/foreign_protocol.ts';
import type { ForeignRunner } from '../../src/pool/foreign_threads.ts';
import type { ForeignSettings } from '../../src/sources/source.ts';
import { seeded } from '../../bench/support/figures.ts';
import { memoryChannel } from '../simulation/memory_port.ts';
import { VirtualTime } from '../simulation/virtual_time.ts';
import { MEMORY_VOCABULARY } from '../support/memory_lanes.ts';

const SETTINGS: ForeignSettings = { config: { name: 'far', dataset: 'contacts', kind: 'postgres', url: 'postgres://nowhere', table: 'people', columns: {}, compared: {}, concurrency: 1 }, vocabulary: MEMORY_VOCABULARY };
const TIME_MS = 2 * LIMITS.breakerTimeoutMsMin;

/** Describes itself well, and answers no scan. */
const MUTE: ForeignRunner = {
  openChannel: memoryChannel,
  run: (task) => Promise.resolve(task.kind === 'scan' ? null : { ok: true, description: { fields: [], filters: {}, trouble: null }, figures: null }),
  close: () => Promise.resolve(),
};

function request(): ForeignRequest {
  return { filters: [], terms: [], order: 'stored', after: '', fields: null, suppressions: null, rowsMax: 10, whole: false, identities: false, count: false, facets: [], deadlineMs: monotonicMs() + TIME_MS };
}

/** The state of the source after scans that all ran out of time, so many at once, again and again. */
function statusAfter(times: number, atOnce: number): Promise<string> {
  return VirtualTime.during(seeded(1), async () => {
    const sources = new ForeignSources(MUTE, [SETTINGS], () => {}, () => {});
    await sources.open();
    for (let time = 0; time < times; time += 1) {
      const scans = Array.from({ length: atOnce }, () => sources.scan('far', request()));
      assert.deepEqual(await Promise.all(scans.map((scan) => scan.next())), scans.map(() => null));
      assert.deepEqual(scans.map(({ end }) => end!.why), scans.map(() => 'deadline'));
    }
    const { status } = sources.catalogSources()[0]!;
    await sources.close();
    return status;
  });
}

describe('a source that does not answer', () => {
  it('is left out once so many scans of it in a row ran out of time', async () => {
    assert.equal(await statusAfter(LIMITS.breakerFailures - 1, 1), 'ok');
    assert.equal(await statusAfter(LIMITS.breakerFailures, 1), 'down');
  });

  it('is not blamed for scans that waited in line behind another all their time', async () => {
    assert.equal(await statusAfter(1, LIMITS.breakerFailures + 1), 'ok');
  });
});
