import { LIMITS } from '../config/limits.ts';
import { neighbours } from '../lib/neighbours.ts';
import { name, type Duck } from './duckdb.ts';
import type { FilePlan } from './plan_file.ts';
import { RAW } from './raw_table.ts';
import { FILE, TELLING_FILE, type Reader } from './reader_form.ts';

/** Neighbours that are alike, as an export in many parts has them: to read each by a query of its own takes longer than its rows. */
export function alike(readers: readonly Reader[]): Reader[][] {
  return neighbours(readers, ({ among }) => among?.form ?? null, LIMITS.ingestFilesTogetherMax);
}

/** A file, by its place among all, with its plan. */
export type Planned = { readonly at: number; readonly reader: Reader; readonly plan: FilePlan };

/** Neighbours that are alike, and of which the same is made. */
export function alikePlanned(planned: readonly Planned[]): Planned[][] {
  const formOf = ({ reader: { among }, plan: { mapping, dayOrders } }: Planned): string | null => (among === null ? null : JSON.stringify([among.form, mapping.feeds, [...dayOrders]]));
  return neighbours(planned, formOf, LIMITS.ingestFilesTogetherMax);
}

/** Reads several files as if nothing were wrong with any, behind the rows `before` them, and gives the rows of each. Null where something is: then none was read. */
export async function readTogether(duck: Duck, readers: readonly Reader[], before: number, fill: (relation: string) => Promise<void>): Promise<number[] | null> {
  const [{ among, input }] = readers as readonly [Reader];
  const paths = readers.map((reader) => reader.input.path);
  let counted: Awaited<ReturnType<Duck['rows']>>;
  try {
    counted = await duck.rows(`SELECT ${name(FILE)} AS path, count(*) AS rows FROM ${among!.clean(paths, TELLING_FILE)} GROUP BY ALL`);
    await fill(among!.clean(paths));
  } catch (error) {
    // What the engine says quotes the files, so that nothing is told from it: each is read alone then.
    if (duck.signal.aborted) throw error;
    return null;
  }
  const rows = new Map(counted.map((file) => [file.path as string, file.rows as number]));
  const each = paths.map((path) => rows.get(path) ?? 0);
  const all = each.reduce((sum, some) => sum + some, 0);
  const read = (await rowsRead(duck)) - before;
  if (all !== read) throw new Error(`of ${input.label} and ${readers.length - 1} more files ${read} rows were read where ${all} had been counted`);
  return each;
}

export async function rowsRead(duck: Duck): Promise<number> {
  const [counted] = await duck.rows(`SELECT count(*) AS n FROM ${RAW}`);
  return counted!.n as number;
}
