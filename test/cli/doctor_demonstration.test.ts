import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkLakes } from '../../src/cli/doctor/lakes.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Config } from '../../src/config/schema.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { sealed } from '../../src/sources/lake/manifest.ts';
import { lakeDir, snapshotPath } from '../../src/sources/lake/paths.ts';
import { testLake } from '../ingest/lake.ts';

test('a demonstration that anything else has sent away is told as not served', async () => {
  const lake = await testLake();
  const { dataDir } = lake;
  await lake.ingest([await lake.file('a.csv', 'id,name\n1,Ann\n')], { source: 'shown' });
  const home = lakeDir(dataDir, 'contacts', 'shown');
  writeFileSync(snapshotPath(home, 1), sealed({ ...(await readCurrent(home))!, demo: true }));
  const told = async (changes: Partial<Config> = {}) => (await checkLakes({ ...loadConfig({}, () => ''), dataDir, ...changes })).find(({ name }) => name === 'source shown')!.detail;
  const away = '1 contact, a demonstration that is not served';
  assert.equal(await told(), '1 contact, a demonstration');
  assert.equal(await told({ sources: [{ name: 'shown', dataset: 'contacts', kind: 'lake' }] }), '1 contact, a demonstration');
  assert.equal(await told({ demo: false }), away);
  assert.equal(await told({ sources: [{ name: 'later', dataset: 'companies', kind: 'lake' }] }), away);
  await lake.ingest([await lake.file('b.csv', 'id,name\n1,Ann\n')], { source: 'real' });
  assert.equal(await told(), away);
});
