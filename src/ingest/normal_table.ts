import type { Dataset } from '../model/dataset.ts';
import { IDENTITY_FIELDS } from '../model/identity.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import { joined, makeDictionary, type Dictionary, type RowCountry } from './dictionary.ts';
import { literal, name, SQL_TYPES, type Duck } from './duckdb.ts';
import { LEAD, type LeadColumn } from './lead_table.ts';
import { RAW } from './raw_table.ts';
import { FULL_NAME, HEADS, rulesOf, SITE, TITLE, type Rule } from './rules.ts';

/** What of a field could not be understood and was left empty. */
export type Note = { readonly field: string; readonly rows: number; readonly examples: readonly string[] };

type Target = { readonly dataset: Dataset; readonly source: string; readonly extras: readonly ExtraField[]; readonly columns: readonly LeadColumn[]; readonly fed: ReadonlySet<string> };

/** Makes the lead table of the raw one: a column `nth`, the row's place in the raw table, then the columns of the rows. */
export async function normaliseRaw(duck: Duck, target: Target): Promise<Note[]> {
  const dictionaries: Dictionary[] = [];
  const known = rulesOf(target.dataset, target.extras);
  const rules = known.filter(({ field }) => target.fed.has(field));
  for (const [at, rule] of [...rules, ...derivingRules(target)].entries()) {
    dictionaries.push(await makeDictionary(duck, rule, known, `dictionary_${at}`, countryOfRow(dictionaries)));
  }
  await duck.run(leadSql(target, dictionaries));
  const notes = await Promise.all(dictionaries.slice(0, rules.length).filter(({ empty }) => !empty).map((dictionary) => noteOf(duck, dictionary)));
  for (const { table } of dictionaries) await duck.run(`DROP TABLE ${table}`);
  return notes.filter(({ rows }) => rows > 0);
}

/** Fields that may be told from another, where that one is given. */
function derivingRules({ dataset, fed }: Target): Rule[] {
  const rules = dataset === 'contacts' ? [TITLE, FULL_NAME] : [SITE, HEADS];
  return rules.filter(({ field }) => fed.has(field));
}

function leadSql(target: Target, dictionaries: readonly Dictionary[]): string {
  const country = countryOfRow(dictionaries).sql;
  const values = valuesSql(target, dictionaries);
  const chosen = target.columns.filter((column) => column.name !== 'id').map((column) => `${values.get(column.name) ?? 'NULL'}::${SQL_TYPES[column.kind]} AS ${name(column.name)}`);
  const joins = dictionaries.filter((dictionary) => !isIdle(dictionary)).map((dictionary) => joined(dictionary, country)).join(' ');
  const rows = `SELECT raw.rowid AS nth, raw.id AS own, ${chosen.join(', ')} FROM ${RAW} raw ${joins} WHERE raw.fault IS NULL`;
  const others = target.columns.filter((column) => column.name !== 'id').map((column) => name(column.name));
  return `CREATE TABLE ${LEAD} AS SELECT nth, ${idSql(target)} AS id, ${others.join(', ')} FROM (${rows})`;
}

/** The expression of each field: its dictionary's value, or the cell itself where that is settled; then what others tell of it. */
function valuesSql({ dataset, columns, fed }: Target, dictionaries: readonly Dictionary[]): Map<string, string> {
  const values = new Map(columns.filter(({ name: field }) => fed.has(field)).map((column) => [column.name, `raw.${name(column.name)}`]));
  for (const dictionary of dictionaries) {
    const { rule, table } = dictionary;
    if (isDeriving(rule)) continue;
    const settled = rule.settledAs?.value(`raw.${name(rule.field)}`) ?? `raw.${name(rule.field)}`;
    const looked = rule.settled === undefined ? `${table}.value0` : `CASE WHEN ${table}.text IS NULL THEN ${settled} ELSE ${table}.value0 END`;
    values.set(rule.field, isIdle(dictionary) ? settled : looked);
  }
  const tableOf = (rule: Rule): string | null => dictionaries.find((dictionary) => dictionary.rule === rule)?.table ?? null;
  const also = (field: string, sql: string | null): void => {
    if (sql !== null) values.set(field, values.has(field) ? `coalesce(${values.get(field)!}, ${sql})` : sql);
  };
  if (dataset === 'companies') {
    const [site, heads] = [tableOf(SITE), tableOf(HEADS)];
    also('domain', site && `${site}.value0`);
    also('size', heads && `${heads}.value0`);
    return values;
  }
  const [title, full] = [tableOf(TITLE), tableOf(FULL_NAME)];
  also('seniority', title && `${title}.value0`);
  also('department', title && `${title}.value1`);
  also('full_name', fed.has('first_name') || fed.has('last_name') ? joinedName(fed) : null);
  also('first_name', full && splitSql(full, 0));
  also('last_name', full && splitSql(full, 1));
  return values;
}

const isDeriving = (rule: Rule): boolean => [TITLE, FULL_NAME, SITE, HEADS].includes(rule);

/** Every cell of the field is settled: there is nothing to look up. */
const isIdle = ({ rule, empty }: Dictionary): boolean => empty && rule.settled !== undefined && !isDeriving(rule);

/** `joinName`: East Asian scripts write the family name first, and no blank between. */
function joinedName(fed: ReadonlySet<string>): string {
  const [first, last] = ['first_name', 'last_name'].map((field) => (fed.has(field) ? `raw.${field}` : 'NULL::VARCHAR'));
  const eastAsian = [first, last].map((part) => `regexp_matches(${part}, '^[\\p{Han}\\p{Hangul}\\p{Hiragana}\\p{Katakana}]')`).join(' AND ');
  return `CASE WHEN ${eastAsian} THEN ${last} || ${first} ELSE nullif(concat_ws(' ', ${first}, ${last}), '') END`;
}

/** A name of two words needs no dictionary; both parts are told from the full name, or none. */
function splitSql(table: string, part: 0 | 1): string {
  const settled = `regexp_full_match(raw.full_name, '${FULL_NAME.settled!}') AND raw.first_name IS NULL AND raw.last_name IS NULL`;
  return `CASE WHEN ${table}.text IS NOT NULL THEN ${table}.value${part} WHEN ${settled} THEN split_part(raw.full_name, ' ', ${part + 1}) END`;
}

/** The source's name and its own key; without one, a hash of what the row says, but for when it was said. */
function idSql({ source, columns }: Target): string {
  const prefix = `${source}:`;
  const said = columns.filter((column) => column.name !== 'id' && column.name !== 'updated_at')
    .map((column) => `'${column.name}=' || ${name(column.name)}::VARCHAR`).join(', ');
  const own = `CASE WHEN starts_with(own, ${literal(prefix)}) THEN own ELSE ${literal(prefix)} || own END`;
  return `CASE WHEN own IS NULL THEN ${literal(prefix)} || substr(md5(concat_ws(chr(31), ${said})), 1, 24) ELSE ${own} END`;
}

/** The normalised country of a row of the raw table, and the join it takes. */
function countryOfRow(dictionaries: readonly Dictionary[]): RowCountry {
  const known = dictionaries.find(({ rule }) => rule.field === 'country');
  return known === undefined ? { sql: 'NULL::VARCHAR', join: '' } : { sql: `${known.table}.value0`, join: joined(known, '') };
}

/** The texts that were not understood, with how many rows have each; only fields with a dictionary can have some. */
async function noteOf(duck: Duck, { rule, table }: Dictionary): Promise<Note> {
  const lost = `SELECT text FROM ${table} WHERE value0 IS NULL GROUP BY text`;
  const counted = `SELECT raw.${name(rule.field)} AS text, count(*) AS n FROM ${RAW} raw WHERE raw.fault IS NULL AND raw.${name(rule.field)} IN (${lost}) GROUP BY text`;
  const found = await duck.rows(`SELECT coalesce(sum(n), 0)::BIGINT AS n, (list(text ORDER BY n DESC, text))[:3] AS examples FROM (${counted})`);
  return { field: rule.field, rows: Number(found[0]!.n), examples: (found[0]!.examples as string[] | null) ?? [] };
}

/** Rows that nothing identifies, or whose key is too long to be one. */
export function faultSql(dataset: Dataset, idCharactersMax: number): string {
  const identifying = [...IDENTITY_FIELDS[dataset], ...(dataset === 'contacts' ? ['full_name', 'first_name', 'last_name'] : ['name', 'linkedin_url'])];
  const nothing = identifying.map((field) => `${name(field)} IS NULL`).join(' AND ');
  const words = dataset === 'contacts' ? 'no name, email or LinkedIn address' : 'no name, domain or LinkedIn address';
  return `CASE WHEN ${nothing} THEN 'nothing identifies this row: ${words}' WHEN length(id) > ${idCharactersMax} THEN 'the key is longer than ${idCharactersMax} characters' END`;
}
