import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '../config/limits.ts';
import type { Dataset } from '../model/dataset.ts';
import { changedExtras, vocabulary, type ExtraField } from '../model/vocabulary.ts';
import type { Manifest } from '../sources/lake/manifest.ts';
import { segmentFiles, type LakePlace } from '../sources/lake/paths.ts';
import { storageOf, type RowStorage } from '../sources/lake/row_storage.ts';
import { checkTruths } from '../sources/lake/seals.ts';
import { literal, name, type Duck } from './duckdb.ts';
import { IngestError } from './failure.ts';
import { goneRows } from './gone_rows.ts';
import { KEYS, leadKeys } from './key_table.ts';
import { createLead, LEAD, type LeadColumn } from './lead_table.ts';

export type Merged = { readonly added: number; readonly replaced: number; readonly kept: number };

/** The rows that live in segments of a lake source, as a relation with those of the given columns that it has; null where there is no segment. Their files have others beside its fields. */
export async function oldTruth(
  duck: Duck, { dir }: LakePlace, { dataset, extras, segments: published }: Manifest, segments: Manifest['segments'], columns: readonly LeadColumn[],
): Promise<string | null> {
  if (segments.length === 0) return null;
  await checkTruths(dir, segments, duck.signal);
  const whole = segments.filter(({ gone }) => gone === undefined).map(({ id }) => literal(segmentFiles(dir, id).truth));
  const relations = whole.length === 0 ? [] : [`SELECT * FROM read_parquet([${whole.join(', ')}], union_by_name = true)`];
  for (const { id, gone } of segments) if (gone !== undefined) relations.push(await livingTruth(duck, segmentFiles(dir, id).truth, id, await goneRows(duck, dir, { id, gone }, published)));
  const relation = `(${relations.join(' UNION ALL BY NAME ')})`;
  const own = new Set(vocabulary(dataset, extras).fields.map((field) => field.name));
  const there = new Set((await duck.rows(`DESCRIBE SELECT * FROM ${relation}`)).map((column) => column.column_name));
  const chosen = columns.filter((column) => own.has(column.name) && there.has(column.name)).map((column) => name(column.name));
  return `(SELECT ${chosen.join(', ')} FROM ${relation})`;
}

/** A row of a segment has the number of its row in the Parquet file. */
async function livingTruth(duck: Duck, truth: string, segment: string, gone: Uint32Array): Promise<string> {
  const table = `gone_${segment.replaceAll('-', '_')}`;
  await duck.list(table, 'row', gone);
  return `SELECT * EXCLUDE (file_row_number) FROM read_parquet(${literal(truth)}, file_row_number = true) WHERE file_row_number NOT IN (SELECT row FROM ${table})`;
}

/** What a source has in a field of its own is of the type that the field had then: it cannot stand beside values of another. */
function refuseChangedTypes({ dataset, source, extras }: Manifest, declared: readonly ExtraField[]): void {
  for (const { name: field, had, declared: now } of changedExtras(extras, declared)) {
    throw new IngestError(`the field ${field} of the ${dataset} in ${source} is of the type ${had}, and is now declared as ${now}: ingest all rows of ${source} anew with --mode replace, or declare it as ${had}`, { usage: true });
  }
}

/** The extra columns of the next snapshot: those that are declared, and those that the source has beside them, which no writer takes away who was not told of them. */
export function keptExtras(current: Manifest | null, declared: readonly ExtraField[]): readonly ExtraField[] {
  if (current === null) return declared;
  refuseChangedTypes(current, declared);
  const { fields } = vocabulary(current.dataset, declared);
  const left = current.extras.filter(({ name: own }) => !fields.some((field) => field.name === own));
  if (left.length > 0 && left.length + declared.length > LIMITS.extrasMax) {
    const names = left.map(({ name: own }) => own).join(', ');
    throw new IngestError(`${current.source} has columns that are not declared any more (${names}), and with those that are it would have more than ${LIMITS.extrasMax}: ingest all its rows anew with --mode replace`, { usage: true });
  }
  return [...declared, ...left];
}

/** Whether rows would be published as they are. */
export function isAsAsked(current: Manifest, { rowForm, extras }: { readonly rowForm: RowStorage | null; readonly extras: readonly ExtraField[] }): boolean {
  return (rowForm === null || rowForm === storageOf(current)) && isDeepStrictEqual(extras, current.extras);
}

/** Of rows with one id the last of the input stays. Says how many went. */
export async function dropRepeats(duck: Duck): Promise<number> {
  const [counted] = await duck.rows(`SELECT count(*) AS rows, count(DISTINCT id) AS ids FROM ${KEYS}`);
  const repeats = (counted!.rows as number) - (counted!.ids as number);
  if (repeats > 0) await duck.run(`DELETE FROM ${KEYS} WHERE nth NOT IN (SELECT max(nth) FROM ${KEYS} GROUP BY id)`);
  return repeats;
}

/** A query of the rows whose id one of some relations has already: `append` refuses them. */
export function knownRows(relations: readonly string[]): string {
  const known = relations.map((relation) => `id IN (SELECT id FROM ${relation})`).join(' OR ');
  return `SELECT nth, 'the key is there already: append adds new rows only' AS reason FROM ${KEYS} WHERE ${known}`;
}

type Keeping = { readonly dataset: Dataset; readonly columns: readonly LeadColumn[]; readonly first: number };

/** Brings the old rows that stay into the lead table, and their keys to those of the input, numbered from `first` on. */
export async function keepOld(duck: Duck, { dataset, columns, first }: Keeping, old: string | null): Promise<Merged> {
  const added = await count(duck, KEYS);
  if (old === null) return { added, replaced: 0, kept: 0 };
  const before = await count(duck, old);
  await duck.run(createLead(columns));
  await duck.run(`INSERT INTO ${LEAD} BY NAME SELECT * FROM ${old} old WHERE NOT EXISTS (SELECT 1 FROM ${KEYS} fresh WHERE fresh.id = old.id)`);
  await duck.run(`INSERT INTO ${KEYS} BY NAME ${leadKeys(dataset, columns, first)}`);
  const kept = await count(duck, LEAD);
  return { added: added - (before - kept), replaced: before - kept, kept };
}

export async function count(duck: Duck, relation: string): Promise<number> {
  const [counted] = await duck.rows(`SELECT count(*) AS n FROM ${relation}`);
  return counted!.n as number;
}
