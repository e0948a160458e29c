import { join } from 'node:path';
import type { Row } from '../model/field.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import type { RankedRow } from '../segment/segment.ts';
import { writeSegment } from '../segment/writer.ts';
import type { Manifest } from '../sources/lake/manifest.ts';
import type { LakePlace } from '../sources/lake/paths.ts';
import { newSegmentId, nextSnapshot, publish } from '../sources/lake/publish.ts';
import { literal, name, type Duck } from './duckdb.ts';
import { identitySql, LEAD, type LeadColumn } from './lead_table.ts';
import type { Stage } from './progress.ts';

export type Sealing = {
  readonly place: LakePlace;
  /** A folder of the lake's staging folder, on the same file system as its segments. */
  readonly workDir: string;
  readonly columns: readonly LeadColumn[];
  readonly extras: readonly ExtraField[];
  readonly demo: boolean;
  readonly stage: Stage;
};

/** Makes the rows of the lead table the whole of a lake source: Parquet in serving order, the segment from it, then the snapshot. */
export async function sealLead(duck: Duck, sealing: Sealing): Promise<Manifest> {
  const { place, workDir, extras, demo, stage } = sealing;
  const files = { index: join(workDir, 'segment.index'), rows: join(workDir, 'segment.rows'), truth: join(workDir, 'truth.parquet') };
  const [counted] = await duck.rows(`SELECT count(*) AS n FROM ${LEAD}`);
  await stage('sorting', duck, () => duck.run(writeTruth(sealing, files.truth)));
  const head = { dataset: place.dataset, source: place.source, extras };
  const summary = await stage('indexing', Number(counted!.n), (advance) => writeSegment(files, head, rankedRows(duck, sealing.columns, files.truth, advance)));
  const { rows, indexBytes, rowsBytes, fill, countries, updatedAt } = summary;
  const entry = { id: newSegmentId(await nextSnapshot(place.dir)), rows, indexBytes, rowsBytes, fill, countries, updatedAt };
  return publish(place.dir, { dataset: place.dataset, source: place.source, demo, extras: [...extras], kept: [], added: [{ entry, files }] });
}

/** The rank is drawn over three narrow columns; the wide rows are then sorted once, by two short keys. */
function writeTruth({ place, columns }: Sealing, truth: string): string {
  const identity = identitySql(place.dataset);
  const ranked = `SELECT rowid AS nth, row_number() OVER (ORDER BY ${identity.rank}, ${identity.key}, id) - 1 AS rank FROM ${LEAD}`;
  const wanted = columns.map((column) => `lead.${name(column.name)}`).join(', ');
  return `COPY (
    SELECT ${wanted}, ranked.rank FROM ${LEAD} JOIN (${ranked}) ranked ON ranked.nth = lead.rowid ORDER BY lead.country NULLS LAST, ranked.rank
  ) TO ${literal(truth)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`;
}

/** One text a row crosses the border: a third of the cost of a value at a time. */
async function* rankedRows(duck: Duck, columns: readonly LeadColumn[], truth: string, advance: (rows: number) => void): AsyncGenerator<RankedRow[]> {
  const members = columns.map((column) => `${name(column.name)} := ${name(column.name)}`).join(', ');
  for await (const [ranks, rows] of duck.batches(`SELECT rank::INTEGER, to_json(struct_pack(${members})) FROM read_parquet(${literal(truth)})`)) {
    yield rows!.map((text, at) => ({ rank: ranks![at] as number, row: JSON.parse(text as string) as Row }));
    advance(rows!.length);
  }
}
