import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '../config/limits.ts';
import type { Row } from '../model/field.ts';
import type { Standings } from './division.ts';
import { literal, name, SQL_TYPES, type Duck } from './duckdb.ts';
import { KEYS, PLACE, type KeyedRows } from './key_table.ts';
import type { LeadColumn } from './lead_table.ts';
import { count } from './merge.ts';

type Looked = Pick<Standings, 'divide' | 'rowsFound' | 'isSound'>;
type Compared = { readonly duck: Duck; readonly fresh: KeyedRows; readonly columns: readonly LeadColumn[] };

/**
 * Takes the rows away that the source has as they are, and says how many. Few rows are looked up, each. Of more some are, and where most of those are the same, all: one by one where the source
 * has many more; else, and where so few differ that a segment stays, as in an export of everything of which little changed, they are compared with all that there is. `old` gives that, and costs
 * less than to write them.
 */
export async function dropUnchanged(compared: Compared, standings: Looked, old: () => Promise<string | null>): Promise<number> {
  const { duck } = compared;
  const rows = await count(duck, KEYS);
  const step = Math.max(1, Math.ceil(rows / LIMITS.ingestSampleRows));
  const isMost = standings.divide(rows).kept.length === 0;
  if (step > 1 && !isMost && rows > LIMITS.ingestLookedUpRowsMax) return 0;
  const { looked, same } = await sameOf(compared, standings, step);
  if (step > 1 && (same.length * 2 < looked || isFutile(standings, rows * (1 - same.length / looked)))) return 0;
  const all = step > 1 && isMost ? await old() : null;
  if (all !== null) await duck.run(`CREATE TABLE unchanged AS ${sameAs(compared, all)}`);
  else await duck.list('unchanged', 'nth', Uint32Array.from(step === 1 ? same : (await sameOf(compared, standings, 1)).same));
  await duck.run(`DELETE FROM ${KEYS} WHERE nth IN (SELECT nth FROM unchanged)`);
  return rows - await count(duck, KEYS);
}

/** Whether so many rows that differ have all of a large source written anew: then it is the same to write those that do not, too. */
function isFutile(standings: Pick<Standings, 'divide'>, differing: number): boolean {
  return standings.divide(0).kept.length > 0 && standings.divide(differing).kept.length === 0;
}

/** Of one in so many rows, by chance, those that the source has as they are: what changed may be every second row. */
async function sameOf({ duck, fresh, columns }: Compared, standings: Looked, step: number): Promise<{ readonly looked: number; readonly same: readonly number[] }> {
  const some = `SELECT nth, nth AS place, 0 AS rank FROM ${KEYS} WHERE hash(nth) % ${step} = 0`;
  const isSame = (found: Row, row: Row): boolean => columns.every(({ name: field }) => isDeepStrictEqual(found[field] ?? null, row[field] ?? null));
  const same: number[] = [];
  let looked = 0;
  for await (const [texts] of duck.batches(`SELECT to_json(row)::VARCHAR AS row FROM (${fresh(some)}) row`)) {
    const rows = (texts as readonly string[]).map((text) => JSON.parse(text) as Row);
    looked += rows.length;
    for (const row of await standings.rowsFound(rows, isSame)) same.push(row[PLACE] as number);
  }
  return { looked, same: standings.isSound ? same : [] };
}

/** A query of the rows that are the same in a relation, which need not have all of the columns. */
function sameAs({ fresh, columns }: Compared, old: string): string {
  // As an id is made of what a row says: a hash of the engine's own is soon found for another text.
  const said = columns.map(({ name: field }) => `${literal(`${field}=`)} || ${name(field)}::VARCHAR`).join(', ');
  const digest = `md5_number(concat_ws(chr(31), ${said})) AS digest`;
  const keyed = fresh(`SELECT nth, nth AS place, 0 AS rank FROM ${KEYS}`);
  const none = `SELECT ${columns.map((column) => `NULL::${SQL_TYPES[column.kind]} AS ${name(column.name)}`).join(', ')} WHERE false`;
  const whole = `(SELECT * FROM ${old} UNION ALL BY NAME ${none})`;
  return `SELECT place AS nth FROM (SELECT ${name(PLACE)} AS place, id, ${digest} FROM (${keyed})) JOIN (SELECT id, ${digest} FROM ${whole}) USING (id, digest)`;
}
