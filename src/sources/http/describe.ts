import { LIMITS } from '../../config/limits.ts';
import { newestMoment } from '../../lib/moment.ts';
import { shareOf } from '../../lib/rounding.ts';
import { countryCode } from '../../model/country.ts';
import { FIELDS, type Row } from '../../model/field.ts';
import type { FilterSpec } from '../../model/filter.ts';
import { isCount, isObject, type JsonObject } from '../../model/json.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import type { Description, Figures, FilterSupport } from '../source.ts';
import { GIVEN, isKeyless, timeOf } from './rows.ts';

/** What is known of the other side. */
export type Remote = {
  /** Filters under its own names; null where it does not list them. */
  readonly filters: Readonly<Record<string, FilterSupport>> | null;
  /** Members of its rows; null where it is not known. */
  readonly fields: ReadonlySet<string> | null;
  /** Rows came without an id: theirs is a hash that is made here, and that nobody there can find. */
  readonly keyless: boolean;
  /** As it tells them itself. */
  readonly figures: Figures | null;
};

type Columns = Readonly<Record<string, string>>;

/** Of a gateway, by its `/v1/sources`; null where the document is something else. */
export function gatewayOf(document: JsonObject | null, vocabulary: Vocabulary, columns: Columns): Remote | null {
  if (document === null || !Array.isArray(document['sources'])) return null;
  const { dataset } = vocabulary;
  const sources = document['sources'].filter(isObject).filter(({ type }) => type === dataset);
  const filters: Record<string, FilterSupport> = {};
  for (const { filters: own } of sources) for (const [name, support] of Object.entries(isObject(own) ? own : {})) filters[name] = better(filters[name], support);
  const fields = new Set([...FIELDS[dataset].map(({ name }) => name), ...sources.flatMap((source) => textsOf(source['fields']))]);
  return { filters, fields, keyless: false, figures: figuresOf(sources, vocabulary, columns) };
}

const RANK: readonly unknown[] = ['pushed', 'residual', 'unsupported'];

function better(known: FilterSupport | undefined, support: unknown): FilterSupport {
  const at = Math.max(0, RANK.indexOf(support));
  return known !== undefined && RANK.indexOf(known) <= at ? known : RANK[at] as FilterSupport;
}

/** Of fields that rows have here, and of nothing else that the other side calls a field or a country. */
function figuresOf(sources: readonly JsonObject[], { fields }: Vocabulary, columns: Columns): Figures {
  const rowsOf = ({ rows }: JsonObject): number | null => (isCount(rows) ? rows : null);
  const counts = sources.map(rowsOf);
  const rows = counts.includes(null) ? null : counts.reduce<number>((sum, count) => sum + count!, 0);
  const filled = (column: string): number => sources.reduce((sum, source) => sum + shareIn(source['fill'], column) * (rowsOf(source) ?? 0), 0);
  const told = fields.map(({ name }) => [name, columns[name] ?? name] as const).filter(([, column]) => sources.some(({ fill }) => isObject(fill) && Object.hasOwn(fill, column)));
  return {
    rows,
    updatedAt: isRenamed('updated_at', columns) ? null : newestMoment(sources.map(({ updated_at: moment }) => (typeof moment === 'string' ? timeOf(moment) : null))),
    fill: rows === null ? {} : Object.fromEntries(told.map(([name, column]) => [name, shareOf(filled(column), rows)])),
    countries: isRenamed('country', columns) ? {} : countriesOf(sources),
  };
}

function countriesOf(sources: readonly JsonObject[]): Record<string, number> {
  const countries: Record<string, number> = {};
  for (const { countries: own } of sources) {
    for (const [code, count] of Object.entries(isObject(own) ? own : {})) if (countryCode(code) === code && isCount(count)) countries[code] = (countries[code] ?? 0) + count;
  }
  return countries;
}

function shareIn(fill: unknown, column: string): number {
  const share = isObject(fill) && Object.hasOwn(fill, column) ? fill[column] : null;
  return typeof share === 'number' ? Math.max(0, Math.min(1, share)) : 0;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** By what it sends: what none of its rows has a member for it does not have. */
export function sampledRemote(rows: readonly JsonObject[], columns: Columns): Remote {
  const keyless = rows.some((row) => isKeyless(row[columns['id'] ?? 'id']));
  return { filters: null, fields: rows.length === 0 ? null : new Set(rows.flatMap((row) => Object.keys(row))), keyless, figures: null };
}

/** Whether the other side calls a field otherwise: it then has rules of its own for it, for filters and words too. */
export function isRenamed(field: string, columns: Columns): boolean {
  return (columns[field] ?? field) !== field;
}

/** Whether the other side can be asked by a filter. */
export function takesFilter({ name, field }: FilterSpec, columns: Columns, { filters, keyless }: Remote, { extras }: Vocabulary): boolean {
  if (isRenamed(field, columns) || (field === 'id' && keyless)) return false;
  return filters === null ? !extras.some((extra) => extra.name === name) : Object.hasOwn(filters, name);
}

export function lacks(spec: FilterSpec, columns: Columns, { fields }: Remote): boolean {
  return fields !== null && spec.field !== 'id' && !fields.has(columns[spec.field] ?? spec.field);
}

export function describeRemote(remote: Remote, vocabulary: Vocabulary, columns: Columns, overclaims: boolean): Description {
  const support = (spec: FilterSpec): FilterSupport => {
    if (lacks(spec, columns, remote)) return 'unsupported';
    const isAsked = spec.compares !== 'presence' && takesFilter(spec, columns, remote, vocabulary);
    return isAsked ? remote.filters?.[spec.name] ?? 'pushed' : 'residual';
  };
  const missing = Object.entries(columns).filter(([, column]) => remote.fields !== null && !remote.fields.has(column)).map(([field]) => field);
  const has = (field: string): boolean => GIVEN.has(field) || remote.fields === null || remote.fields.has(columns[field] ?? field);
  return {
    fields: vocabulary.fields.map(({ name }) => name).filter(has),
    filters: Object.fromEntries(vocabulary.filters.map((spec) => [spec.name, support(spec)])),
    trouble: missing.length > 0 ? `columns that the configuration names are missing: those of ${missing.join(', ')}` : overclaims ? 'it sends rows that do not match what it was asked' : null,
  };
}

/** Of an API that tells none, counted on its rows where they are few. */
export function countedFigures(rows: readonly Row[], { fields }: Vocabulary): Figures {
  const filled = (name: string): number => rows.filter((row) => row[name] !== null).length;
  const countries: Record<string, number> = {};
  for (const { country } of rows) if (typeof country === 'string') countries[country] = (countries[country] ?? 0) + 1;
  return {
    rows: rows.length,
    updatedAt: newestMoment(rows.map(({ updated_at: moment }) => (typeof moment === 'string' ? moment : null))),
    fill: Object.fromEntries(fields.filter(({ nullable }) => nullable).map(({ name }) => [name, shareOf(filled(name), rows.length)])),
    countries,
  };
}

export const NO_FIGURES: Figures = { rows: null, updatedAt: null, fill: {}, countries: {} };
export const SAMPLE = { limit: LIMITS.httpSampleRows, count: 'none' } as const;
