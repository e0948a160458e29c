import { LIMITS } from '../config/limits.ts';
import type { Dataset } from '../model/dataset.ts';
import { IDENTITY_FIELDS } from '../model/identity.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import { columnOf, joined, makeDictionary, type Dictionary, type RowCountry } from './dictionary.ts';
import { literal, name, SQL_TYPES, type Duck } from './duckdb.ts';
import { keyFields, KEYS, PLACE, type KeyedRows } from './key_table.ts';
import { comparedSql, type LeadColumn } from './lead_table.ts';
import { BYTES, FAULT, RAW } from './raw_table.ts';
import { askedSql, rulesOf, DERIVED, DERIVING_RULES, type Rule } from './rules.ts';
import { RANK } from './truth/truth_rows.ts';

/** What of a field could not be understood: it is empty there, if no other field tells it. */
export type Note = { readonly field: string; readonly rows: number; readonly examples: readonly string[]; /** Whether other fields may tell it. */ readonly derived?: true };

type Target = { readonly dataset: Dataset; readonly source: string; readonly extras: readonly ExtraField[]; readonly columns: readonly LeadColumn[]; readonly fed: ReadonlySet<string> };

type Normalised = { readonly notes: readonly Note[]; readonly rows: KeyedRows };

/**
 * Makes what the normal forms of the raw table's rows take, and the table of their keys. The rows themselves are put together when they are
 * written: a second table as wide as the first would cost more than all else here.
 */
export async function normaliseRaw(duck: Duck, target: Target): Promise<Normalised> {
  const dictionaries: Dictionary[] = [];
  const known = rulesOf(target.dataset, target.extras);
  const isFed = ({ field }: Rule): boolean => target.fed.has(field);
  const rules = known.filter(isFed);
  for (const [at, rule] of [...rules, ...DERIVING_RULES[target.dataset].filter(isFed)].entries()) {
    dictionaries.push(await makeDictionary(duck, rule, known, `dictionary_${at}`, countryOfRow(dictionaries)));
  }
  await duck.run(`CREATE TABLE ${KEYS} AS ${keysSql(target, dictionaries)}`);
  const notes = await Promise.all(dictionaries.slice(0, rules.length).filter(({ empty }) => !empty).map((dictionary) => noteOf(duck, dictionary)));
  return { notes: notes.filter((note) => note.rows > 0), rows: (places) => rowsSql(target, dictionaries, places) };
}

/** No field has a name with a blank. */
const OWN = name('own key');
const NTH = name('raw row');

function rowsSql(target: Target, dictionaries: readonly Dictionary[], places: string): string {
  const others = target.columns.filter(({ name: field }) => field !== 'id');
  const rows = normalSql(target, dictionaries, { columns: others, more: [`places.rank AS ${name(RANK)}`, `places.place AS ${name(PLACE)}`], from: `${RAW} raw JOIN (${places}) places ON places.nth = raw.rowid` });
  const id = `CASE WHEN ${OWN} IS NULL THEN ${hashedIdSql(target)} ELSE ${ownIdSql(target)} END`;
  return `SELECT ${target.columns.map(({ name: field }) => (field === 'id' ? `${id} AS id` : name(field))).join(', ')}, ${name(RANK)}, ${name(PLACE)} FROM (${rows})`;
}

/** The keys of a row that came with one of its own take few columns, that of any other all of them. */
function keysSql(target: Target, dictionaries: readonly Dictionary[]): string {
  const { dataset, columns } = target;
  const others = columns.filter(({ name: field }) => field !== 'id');
  const telling = others.filter(({ name: field }) => [...keyFields(dataset), ...NAMING[dataset]].includes(field));
  const keys = (id: string, came: string, wanted: readonly LeadColumn[]): string => {
    const rows = normalSql(target, dictionaries, { columns: wanted, more: [`raw.rowid AS ${NTH}`, `raw.${name(BYTES)}`], from: `${RAW} raw`, where: `raw.${name(FAULT)} IS NULL AND raw.id ${came}` });
    return `SELECT ${NTH} AS nth, ${keyFields(dataset).map(name).join(', ')}, ${name(BYTES)} AS bytes, ${faultSql(target)} AS fault FROM (SELECT *, ${id} AS id FROM (${rows}))`;
  };
  return `${keys(ownIdSql(target), 'IS NOT NULL', telling)} UNION ALL ${keys(hashedIdSql(target), 'IS NULL', others)}`;
}

type Normal = { readonly columns: readonly LeadColumn[]; readonly more: readonly string[]; readonly from: string; readonly where?: string };

/** A query of the normal forms of some columns, and of the key with which a row came. */
function normalSql(target: Target, dictionaries: readonly Dictionary[], { columns, more, from, where = 'true' }: Normal): string {
  const values = valuesSql(target, dictionaries);
  const chosen = columns.map((column) => `${values.get(column.name) ?? 'NULL'}::${SQL_TYPES[column.kind]} AS ${name(column.name)}`);
  return `SELECT ${[...more, `raw.id AS ${OWN}`, ...chosen].join(', ')} FROM ${from} ${joinsOf(chosen.join(), dictionaries)} WHERE ${where}`;
}

/** Joins the dictionaries that an expression names, and those before them that these need. */
function joinsOf(sql: string, dictionaries: readonly Dictionary[]): string {
  const country = countryOfRow(dictionaries).sql;
  return dictionaries.reduceRight((joins, dictionary) => (`${sql} ${joins}`.includes(`${dictionary.table}.`) ? `${joined(dictionary, country)} ${joins}` : joins), '');
}

/** The expression of each field: its dictionary's value, or the cell itself where that is settled; then what others tell of it. */
function valuesSql({ dataset, columns, fed }: Target, dictionaries: readonly Dictionary[]): Map<string, string> {
  const values = new Map(columns.filter(({ name: field }) => fed.has(field)).map((column) => [column.name, `raw.${name(column.name)}`]));
  const also = (field: string, sql: string): void => { values.set(field, values.has(field) ? `coalesce(${values.get(field)!}, ${sql})` : sql); };
  if (dataset === 'contacts' && (fed.has('first_name') || fed.has('last_name'))) also('full_name', joinedName(fed));
  for (const dictionary of dictionaries) {
    const { field, derives } = dictionary.rule;
    if (derives === undefined) values.set(field, valueSql(dictionary, 0));
    else for (const [output, derived] of derives.entries()) also(derived, valueSql(dictionary, output));
  }
  return values;
}

/** An output of a rule: what the dictionary has for the text, or what the engine makes of a settled one. */
function valueSql(dictionary: Dictionary, output: number): string {
  const { rule } = dictionary;
  const looked = columnOf(dictionary, `value${output}`);
  if (rule.settled === undefined) return looked;
  const cell = `raw.${name(rule.field)}`;
  return `CASE WHEN ${[`${columnOf(dictionary, 'text')} IS NULL`, ...askedSql(rule)].join(' AND ')} THEN ${rule.settledAs?.value(cell, output) ?? cell} ELSE ${looked} END`;
}

/** `joinName`: East Asian scripts write the family name first, and no blank between. */
function joinedName(fed: ReadonlySet<string>): string {
  const [first, last] = ['first_name', 'last_name'].map((field) => (fed.has(field) ? `raw.${field}` : 'NULL::VARCHAR'));
  const eastAsian = [first, last].map((part) => `regexp_matches(${part}, '^[\\p{Han}\\p{Hangul}\\p{Hiragana}\\p{Katakana}]')`).join(' AND ');
  return `CASE WHEN ${eastAsian} THEN ${last} || ${first} ELSE nullif(concat_ws(' ', ${first}, ${last}), '') END`;
}

/** The source's name and its own key. */
function ownIdSql({ source }: Target): string {
  const prefix = literal(prefixOf(source));
  return `CASE WHEN starts_with(${OWN}, ${prefix}) THEN ${OWN} ELSE ${prefix} || ${OWN} END`;
}

const prefixOf = (source: string): string => `${source}:`;

/** Without a key of its own: a hash of what the row says, but for when it was said. */
function hashedIdSql({ source, columns }: Target): string {
  const said = columns.filter((column) => column.name !== 'id' && column.name !== 'updated_at')
    .map((column) => `'${column.name}=' || ${comparedSql(column.name)}::VARCHAR`).join(', ');
  return `${literal(prefixOf(source))} || substr(md5(concat_ws(chr(31), ${said})), 1, 24)`;
}

/** The normalised country of a row of the raw table, and the join it takes. */
function countryOfRow(dictionaries: readonly Dictionary[]): RowCountry {
  const known = dictionaries.find(({ rule }) => rule.field === 'country');
  return known === undefined || known.empty ? { sql: 'NULL::VARCHAR', join: '' } : { sql: columnOf(known, 'value0'), join: joined(known, '') };
}

/** The texts that were not understood, with how many rows have each; only fields with a dictionary can have some. */
async function noteOf(duck: Duck, { rule, table }: Dictionary): Promise<Note> {
  const lost = `SELECT text FROM ${table} WHERE value0 IS NULL GROUP BY text`;
  const counted = `SELECT raw.${name(rule.field)} AS text, count(*) AS n FROM ${RAW} raw WHERE raw.${name(FAULT)} IS NULL AND raw.${name(rule.field)} IN (${lost}) GROUP BY 1`;
  const found = await duck.rows(`SELECT coalesce(sum(n), 0)::BIGINT AS n, (list(rtrim(text) ORDER BY n DESC, text))[:3] AS examples FROM (${counted})`);
  return { field: rule.field, rows: Number(found[0]!.n), examples: (found[0]!.examples as string[] | null) ?? [], ...(DERIVED.has(rule.field) && { derived: true }) };
}

/** What may identify a row beside the identity and the key. A contact's parts of the name tell the full one. */
const NAMING: Readonly<Record<Dataset, readonly string[]>> = { contacts: ['full_name'], companies: ['name', 'linkedin_url'] };

/** Rows that nothing identifies, or whose key is too long to be one. */
function faultSql({ dataset, source }: Target): string {
  const nothing = [...IDENTITY_FIELDS[dataset], ...NAMING[dataset]].map((field) => `${name(field)} IS NULL`).join(' AND ');
  const words = dataset === 'contacts' ? 'no name, email or LinkedIn address' : 'no name, domain or LinkedIn address';
  const most = LIMITS.idCharactersMax;
  return `CASE WHEN ${nothing} THEN 'nothing identifies this row: ${words}' WHEN length(id) > ${prefixOf(source).length + most} THEN 'the key is longer than ${most} characters' END`;
}
