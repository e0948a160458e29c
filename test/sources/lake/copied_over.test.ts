import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSegments } from '../../../src/pool/loader.ts';
import { Lakes, type LakesState } from '../../../src/sources/lake/lakes.ts';
import { lakeDir } from '../../../src/sources/lake/paths.ts';
import { testLake } from '../../ingest/lake.ts';

const HEADER = 'id,name,email\n';
const ANN = '1,Ann,ann@b.co\n';

/** A lake of one source, published once. */
async function published(rows: string): Promise<string> {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', HEADER + rows)]);
  return lake.dataDir;
}

test('a source that was made anew elsewhere is served once it is copied over, also where its CURRENT came before the manifest of the same number', async () => {
  const dataDir = await published(ANN);
  let state: LakesState = { lakes: [], retained: [], held: [], restoring: [] };
  const lakes = new Lakes(dataDir, loadSegments, { memoryBytes: 1_000_000, mapped: true }, (next) => { state = next; }, (error) => assert.fail(error as Error));
  await lakes.reload();
  const from = lakeDir(await published(`${ANN}2,Bo,bo@b.co\n`), 'contacts', 'crm');
  const rows = (): number => state.lakes[0]!.snapshot!.manifest.segments.reduce((sum, segment) => sum + segment.rows, 0);
  for (const [part, served] of [['CURRENT', 1], ['segments', 1], ['snapshots', 2]] as const) {
    await cp(join(from, part), join(lakeDir(dataDir, 'contacts', 'crm'), part), { recursive: true });
    await lakes.reload();
    assert.deepEqual([part, rows(), state.lakes[0]!.trouble], [part, served, null]);
  }
  assert.equal(state.retained.length, 1, 'cursors go on');
  await lakes.close();
});
