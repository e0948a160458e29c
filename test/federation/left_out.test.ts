import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seeded } from '../../bench/support/figures.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { ForeignSources } from '../../src/federation/foreign_sources.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { ForeignRequest } from '../../src/pool/foreign_protocol.ts';
import type { ForeignScan } from '../../src/pool/foreign_scan.ts';
import type { ForeignRunner } from '../../src/pool/foreign_threads.ts';
import type { ForeignSettings } from '../../src/sources/source.ts';
import { scanForeign } from '../../src/worker/foreign/scan.ts';
import { memoryChannel } from '../simulation/memory_port.ts';
import { hold, memorySource } from '../simulation/rows.ts';
import { VirtualTime } from '../simulation/virtual_time.ts';
import { MEMORY_VOCABULARY } from '../support/memory_lanes.ts';

const SETTINGS: ForeignSettings = {
  config: { name: 'far', dataset: 'contacts', kind: 'postgres', url: 'postgres://nowhere', table: 'people', columns: {}, compared: {}, concurrency: 2 },
  vocabulary: MEMORY_VOCABULARY,
};
const TIME_MS = 2 * LIMITS.breakerTimeoutMsMin;
const PAGE_ROWS = 10;

function request(inMs: number): ForeignRequest {
  return {
    filters: [], terms: [], order: 'stored', after: '', fields: null, suppressions: null,
    rowsMax: PAGE_ROWS, whole: false, count: false, facets: [], deadlineMs: monotonicMs() + inMs,
  };
}

/** Goes on with the scans that it has begun once it is lost, and answers nothing else. */
class Far implements ForeignRunner {
  readonly openChannel = memoryChannel;
  isLost = false;
  readonly #rows = hold('far', false, 2 * PAGE_ROWS + 5, seeded(1));
  readonly #time: VirtualTime;

  constructor(time: VirtualTime) { this.#time = time; }

  async run(task: Parameters<ForeignRunner['run']>[0]): ReturnType<ForeignRunner['run']> {
    if (task.kind === 'scan' && !this.isLost) await scanForeign(() => memorySource(this.#rows, PAGE_ROWS, async () => {}), MEMORY_VOCABULARY, task.request, task.port);
    if (task.kind === 'scan' || task.kind === 'close') return null;
    if (!this.isLost) return { ok: true, description: { fields: [], filters: {}, trouble: null }, figures: null };
    await this.#time.pause(task.deadlineMs - monotonicMs());
    return null;
  }

  close(): Promise<void> { return Promise.resolve(); }
}

/** How a source is told to be once it was lost amid a page, and after what becomes of that; then how it is. */
function statusAround(then: (page: ForeignScan) => Promise<void>): Promise<readonly string[]> {
  return VirtualTime.during(seeded(1), async (time) => {
    const far = new Far(time);
    let told = '';
    const sources: ForeignSources = new ForeignSources(far, [SETTINGS], () => { told = sources.catalogSources()[0]!.status; }, () => {});
    await sources.open();
    const page = sources.scan('far', request(2 * LIMITS.breakerFailures * TIME_MS));
    assert.equal((await page.next())?.rows, PAGE_ROWS);
    far.isLost = true;
    for (let scan = 0; scan < LIMITS.breakerFailures; scan += 1) await sources.scan('far', request(TIME_MS)).next();
    const lost = told;
    await then(page);
    page.close();
    const after = [lost, told, sources.catalogSources()[0]!.status];
    await sources.close();
    return after;
  });
}

describe('a source that is left out', () => {
  it('stays so where a page is closed that came before it was lost', async () => {
    assert.deepEqual(await statusAround(async () => {}), ['down', 'down', 'down']);
  });

  it('is told to be there again where more comes of what was begun before', async () => {
    assert.deepEqual(await statusAround(async (page) => { assert.equal((await page.next())?.rows, PAGE_ROWS); }), ['down', 'ok', 'ok']);
  });
});
