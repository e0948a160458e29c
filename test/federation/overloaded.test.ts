import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seeded } from '../../bench/support/figures.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { ForeignSources } from '../../src/federation/foreign_sources.ts';
import type { ForeignRunner } from '../../src/pool/foreign_threads.ts';
import type { ForeignSettings } from '../../src/sources/source.ts';
import { memoryChannel } from '../simulation/memory_port.ts';
import { VirtualTime } from '../simulation/virtual_time.ts';
import { MEMORY_VOCABULARY } from '../support/memory_lanes.ts';

const SETTINGS: ForeignSettings = {
  config: { name: 'far', dataset: 'contacts', kind: 'http', url: 'http://nowhere/v1/find', headers: {}, columns: {} },
  vocabulary: MEMORY_VOCABULARY,
};

test('a source that was described once, and then has no room to be, is not left out for that', async () => {
  await VirtualTime.during(seeded(1), async (time) => {
    let described = 0;
    const full: ForeignRunner = {
      openChannel: memoryChannel,
      run: async (task) => {
        if (task.kind === 'describe' && (described += 1) > 1) return { ok: false, code: 'overloaded', detail: 'HTTP 429' };
        return { ok: true, description: { fields: [], filters: {}, trouble: null }, figures: { rows: null, updatedAt: null, fill: {}, countries: {} } };
      },
      close: () => Promise.resolve(),
    };
    const sources = new ForeignSources(full, [SETTINGS], () => {}, () => {});
    await sources.open();
    await sources.look('far');
    while (described < 2 * LIMITS.breakerFailures) await time.pause(LIMITS.probeMsMax);
    assert.equal(sources.catalogSources()[0]!.status, 'ok');
    await sources.close();
  });
});
