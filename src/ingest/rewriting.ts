import type { ExtraField } from '../model/vocabulary.ts';
import { readCurrent } from '../sources/lake/current.ts';
import { awaitLock } from '../sources/lake/lock.ts';
import type { Manifest } from '../sources/lake/manifest.ts';
import { lakePlaces, segmentsDir, stagingDir, type LakePlace } from '../sources/lake/paths.ts';
import { storageOf, type RowStorage } from '../sources/lake/row_storage.ts';
import { sweepKnown } from '../sources/lake/sweep.ts';
import type { Cutting } from './cut.ts';
import { Standings } from './division.ts';
import { withDuck, type Duck } from './duckdb.ts';
import { IngestError } from './failure.ts';
import { leadColumns, type LeadColumn } from './lead_table.ts';
import { isAsAsked, keptExtras } from './merge.ts';
import type { Stage } from './progress.ts';
import { KEEPING_NONE, type Keeping } from './rewritten.ts';
import { inWorkDir } from './work_dir.ts';

export type RewriteOrder = {
  readonly dataDir: string;
  readonly source: string;
  readonly extras: Readonly<Record<Manifest['dataset'], readonly ExtraField[]>>;
  /** Null for what the source has. */
  readonly rowForm: RowStorage | null;
  readonly signal: AbortSignal;
  readonly stage: Stage;
  readonly cutting?: Cutting;
  readonly keeping?: Keeping;
};

/** What a published source is written anew with. */
export type Rewriting = {
  readonly order: RewriteOrder;
  readonly place: LakePlace;
  readonly current: Manifest;
  readonly duck: Duck;
  readonly standings: Standings;
  readonly extras: readonly ExtraField[];
  readonly columns: readonly LeadColumn[];
  readonly workDir: string;
  readonly rowForm: RowStorage;
  /** Whether rows that are written anew would be as those that stay. */
  readonly isAsAsked: boolean;
};

/** Lends `work` a published source whose one writer it is then. */
export async function rewrite<T>(order: RewriteOrder, work: (rewriting: Rewriting) => Promise<T>): Promise<T> {
  const place = await publishedPlace(order);
  const lock = await awaitLock(place.dir);
  try {
    await sweepKnown(place.dir, lock);
    const current = (await readCurrent(place.dir))!;
    const extras = keptExtras(current, order.extras[place.dataset]);
    const asAsked = isAsAsked(current, { rowForm: order.rowForm, extras });
    const standings = new Standings(place.dir, current.segments, asAsked ? order.keeping : KEEPING_NONE);
    const rowForm = order.rowForm ?? storageOf(current);
    try {
      return await inWorkDir(stagingDir(place.dir), (workDir) => withDuck(workDir, { folders: [segmentsDir(place.dir)], files: [] }, order.signal,
        (duck) => work({ order, place, current, duck, standings, extras, columns: leadColumns(place.dataset, extras), workDir, rowForm, isAsAsked: asAsked })));
    } finally {
      standings.close();
    }
  } finally {
    await lock.release();
  }
}

async function publishedPlace({ dataDir, source }: RewriteOrder): Promise<LakePlace> {
  for (const place of await lakePlaces(dataDir)) {
    if (place.source === source && (await readCurrent(place.dir)) !== null) return place;
  }
  throw new IngestError(`there is no lake source ${source}; lds sources lists them`, { usage: true });
}
