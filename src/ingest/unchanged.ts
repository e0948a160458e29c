import { isDeepStrictEqual } from 'node:util';
import { LIMITS } from '../config/limits.ts';
import type { Row } from '../model/field.ts';
import type { Standings } from './division.ts';
import { name, type Duck } from './duckdb.ts';
import { KEYS, PLACE, type KeyedRows } from './key_table.ts';
import type { LeadColumn } from './lead_table.ts';
import { count } from './merge.ts';

type Compared = { readonly duck: Duck; readonly fresh: KeyedRows; readonly columns: readonly LeadColumn[] };

/** Whether most of the input is in the source as it is: what some rows of it tell. An export of everything, of which little changed, is compared with all that there is; it costs less than to write it. */
export async function isMostlyUnchanged({ duck, fresh, columns }: Compared, standings: Standings): Promise<boolean> {
  const rows = await count(duck, KEYS);
  const step = Math.ceil(rows / LIMITS.ingestSampleRows);
  const some = `SELECT nth, nth AS place, 0 AS rank FROM (SELECT nth, row_number() OVER (ORDER BY nth) AS number FROM ${KEYS}) WHERE number % ${step} = 0`;
  const sample = (await duck.rows(`SELECT to_json(row)::VARCHAR AS row FROM (${fresh(some)}) row`)).map(({ row }) => JSON.parse(row as string) as Row);
  const fields = columns.map((column) => column.name);
  const same = await standings.countFound(sample.map(({ id }) => id as string), (found, at) => fields.every((field) => isDeepStrictEqual(found[field] ?? null, sample[at]![field] ?? null)));
  return same * 2 > sample.length;
}

/** Takes the rows away that the source has as they are, and says how many. Rows are compared by 128 bits of them. */
export async function dropUnchanged({ duck, fresh, columns }: Compared, old: string): Promise<number> {
  const cells = columns.map((column) => name(column.name)).join(', ');
  const digest = `hash(${cells}) AS one, hash('other', ${cells}) AS other`;
  const keyed = fresh(`SELECT nth, nth AS place, 0 AS rank FROM ${KEYS}`);
  await duck.run(`CREATE TABLE unchanged AS SELECT place AS nth FROM (SELECT ${name(PLACE)} AS place, id, ${digest} FROM (${keyed})) JOIN (SELECT id, ${digest} FROM ${old}) USING (id, one, other)`);
  await duck.run(`DELETE FROM ${KEYS} WHERE nth IN (SELECT nth FROM unchanged)`);
  const rows = await count(duck, 'unchanged');
  await duck.run('DROP TABLE unchanged');
  return rows;
}
