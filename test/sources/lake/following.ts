import { loadSegments } from '../../../src/pool/loader.ts';
import { Lakes, type LakesState } from '../../../src/sources/lake/lakes.ts';
import type { LoadSegments } from '../../../src/sources/lake/loading.ts';
import { testLake, type TestLake } from '../../ingest/lake.ts';
import { MovedClock } from '../../support/moved_clock.ts';

/** One whose wall clock alone is put to another time. */
class SetClock extends MovedClock {
  setMs = 0;
  override unixMs(): number { return super.unixMs() + this.setMs; }
}

type Followed = { readonly lakes: Lakes; readonly clock: SetClock; readonly troubles: unknown[]; state(): LakesState };

export async function following(
  load: LoadSegments = loadSegments, before: (lake: TestLake) => Promise<void> = async () => {}, setMs = 0,
): Promise<Followed & { readonly dataDir: string; readonly lake: TestLake }> {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'id,name,email\n1,Ann,ann@b.co\n')]);
  await before(lake);
  const troubles: unknown[] = [];
  const clock = new SetClock();
  clock.setMs = setMs;
  let state: LakesState = { lakes: [], retained: [], held: [], restoring: [] };
  const lakes = new Lakes(lake.dataDir, load, { memoryBytes: 1_000_000, mapped: true }, (next) => { state = next; }, (error) => troubles.push(error), clock);
  await lakes.reload();
  return { lakes, clock, troubles, state: () => state, dataDir: lake.dataDir, lake };
}
