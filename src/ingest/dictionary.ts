import { name, SQL_TYPES, type Cell, type Columns, type Duck } from './duckdb.ts';
import { oddSql, RAW } from './raw_table.ts';
import { askedSql, unsettled, type Rule } from './rules.ts';

/** A table from the different unsettled texts of a field to their values: `text`, `country` where it matters, `value0`, `value1` ... */
export type Dictionary = { readonly rule: Rule; readonly table: string; readonly empty: boolean };

export type RowCountry = { readonly sql: string; readonly join: string };

/** Reads each different text once, normalises it here, and gives it back: what repeats in millions of rows is worked out once. */
export async function makeDictionary(duck: Duck, rule: Rule, rules: readonly Rule[], table: string, country: RowCountry): Promise<Dictionary> {
  const outputs = rule.outputs.map((kind, at) => `value${at} ${SQL_TYPES[kind]}`).join(', ');
  await duck.run(`CREATE TABLE ${table} (text VARCHAR, country VARCHAR, ${outputs})`);
  const lookup = rule.byCountry === true ? country : { sql: 'NULL::VARCHAR', join: '' };
  const distinct = `SELECT DISTINCT raw.${name(rule.field)}, ${lookup.sql} FROM ${RAW} raw ${lookup.join} WHERE ${unsettled(rule, oddSql(rule, rules))}`;
  let empty = true;
  await duck.append(table, ['text', 'text', ...rule.outputs], normalised(duck.batches(distinct), rule, () => { empty = false; }));
  return { rule, table, empty };
}

async function* normalised(batches: AsyncIterable<Columns>, rule: Rule, onSome: () => void): AsyncGenerator<Columns> {
  for await (const [texts, countries] of batches) {
    onSome();
    const rows = texts!.map((text, at) => rule.normalise(text as string, countries![at] as string | null));
    yield [texts!, countries!, ...rule.outputs.map((_, output) => rows.map((row): Cell => row[output] ?? null))];
  }
}

/** The FROM clause's part; `country` is the normalised country of the row. Only what is an equality as a whole is joined by hash: any other join looks at each text for each row. */
export function joined({ rule, table }: Dictionary, country: string): string {
  const sameCountry = rule.byCountry === true ? ` AND ${table}.country IS NOT DISTINCT FROM ${country}` : '';
  const asked = askedSql(rule);
  const text = `raw.${name(rule.field)}`;
  return `LEFT JOIN ${table} ON ${table}.text = ${asked.length === 0 ? text : `CASE WHEN ${asked.join(' AND ')} THEN ${text} END`}${sameCountry}`;
}

/** A column of the dictionary, which is joined only where it holds something. */
export function columnOf({ table, empty }: Dictionary, column: string): string {
  return empty ? 'NULL' : `${table}.${column}`;
}
