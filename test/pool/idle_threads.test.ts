import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { lakeDir, segmentsDir } from '../../src/sources/lake/paths.ts';
import { testLake } from '../ingest/lake.ts';
import { Served } from '../ingest/life/served.ts';
import { MovedClock } from '../support/moved_clock.ts';
import { until } from '../support/until.ts';

const MAPS = '/proc/self/maps';

test('what was erased leaves the disk though nothing is searched any more', { skip: existsSync(MAPS) ? false : 'mappings are told by Linux alone' }, async (t) => {
  const lake = await testLake();
  await lake.ingest([await lake.file('old.csv', 'id,name\n1,Ann\n2,Bo\n')]);
  const clock = new MovedClock();
  const served = await Served.open(lake.dataDir, clock, true);
  t.after(() => served.close());
  assert.equal((await served.stream({})).length, 2);
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const mapped = (): string[] => readFileSync(MAPS, 'utf8').split('\n').filter((line) => line.includes(dir));
  assert.ok(mapped().length > 0);

  await lake.ingest([await lake.file('new.csv', 'id,name\n2,Bo\n')], { mode: 'replace' });
  await served.reload();
  clock.shiftMs = LIMITS.snapshotRetainMs + 1;
  await served.reload();
  assert.deepEqual((await readdir(segmentsDir(dir))).filter((name) => name.startsWith('000001-')), []);
  await until(async () => {
    clock.shiftMs += LIMITS.leftMappingsMs;
    await served.reload();
    return mapped().every((line) => !line.includes('000001-'));
  });
});
