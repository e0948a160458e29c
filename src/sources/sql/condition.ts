import { isAscii } from '../../lib/ascii.ts';
import { isWellFormed } from '../../lib/well_formed.ts';
import { spellings } from '../../model/compare.ts';
import { countryCode } from '../../model/country.ts';
import type { Filter, FilterSpec, Interval } from '../../model/filter.ts';
import type { FilterSupport, Search } from '../source.ts';
import { all, exact, exactWherePlain, not, unknown, type Bounds } from './bounds.ts';
import { isAbsent, type Columns, type DirectKey, type Reading } from './columns.ts';
import { MOMENT_MS_END, MOMENT_MS_MIN, type Bind, type Dialect, type Sql } from './dialect.ts';
import { sieved, sieveOf } from './sieve.ts';
import { termBounds } from './terms.ts';

/**
 * A search as a condition of the engine. Presence is left to whoever gets the rows, as the contract says, but for counting: `presence`
 * says whether the condition is to hold it.
 */
export function conditionOf({ filters, terms }: Search, presence: 'asked' | 'left', reading: Reading): Bounds {
  const { dialect, columns: { vocabulary } } = reading;
  return all(dialect, [
    ...filters.map((filter) => {
      if (filter.kind === 'presence' && presence === 'left') return leavesPresence([filter]) ? unknown(dialect) : exact(dialect.yes);
      return filterBounds(filter, vocabulary.filters.find(({ name }) => name === filter.name), reading);
    }),
    ...terms.map((term) => termBounds(term, reading)),
  ]);
}

/** Whether rows may turn out to lack what they must have, or to have what they must lack. */
export function leavesPresence(filters: Search['filters']): boolean {
  return filters.some((filter) => filter.kind === 'presence' && !isOpen(filter));
}

/** How a filter will be served. Lists and times in text columns are beyond the engines' common ground. */
export function supportOf(spec: FilterSpec, columns: Columns): FilterSupport {
  if (columns.compared(spec.name) !== null) return 'pushed';
  if (!columns.has(spec.field)) return 'unsupported';
  if (spec.compares === 'presence') return 'residual';
  return isText(spec, columns) || spec.compares === 'number' || (spec.compares === 'date' && columns.time(spec.field) !== null) ? 'pushed' : 'residual';
}

function isText({ compares, field }: FilterSpec, { vocabulary }: Columns): boolean {
  return compares !== 'number' && compares !== 'date' && vocabulary.fields.some(({ name, type }) => name === field && type === 'string');
}

function isOpen({ present, absent }: Extract<Filter, { readonly kind: 'presence' }>): boolean {
  return present && absent;
}

function filterBounds(filter: Filter, spec: FilterSpec | undefined, reading: Reading): Bounds {
  const { dialect, columns } = reading;
  const has = spec !== undefined && (columns.has(spec.field) || columns.compared(spec.name) !== null);
  switch (filter.kind) {
    case 'presence': {
      if (!has) return exact(filter.absent ? dialect.yes : dialect.no);
      if (isOpen(filter)) return exact(dialect.yes);
      const isNull = isAbsent(spec.field, columns, dialect);
      return exact(filter.present ? dialect.not(isNull) : filter.absent ? isNull : dialect.no);
    }
    case 'terms': case 'intervals': {
      if (!has) return exact(filter.include === null ? dialect.yes : dialect.no);
      if (supportOf(spec, columns) === 'residual') return unknown(dialect);
      return filter.kind === 'terms'
        ? inAndNotIn(filter, (values) => textBounds(spec, values, reading), dialect)
        : inAndNotIn(filter, (intervals) => numberBounds(spec, intervals, reading), dialect);
    }
    default: return filter satisfies never;
  }
}

type Sides<V> = { readonly include: readonly V[] | null; readonly exclude: readonly V[] };

function inAndNotIn<V>({ include, exclude }: Sides<V>, within: (values: readonly V[]) => Bounds, dialect: Dialect): Bounds {
  return all(dialect, [
    include === null ? exact(dialect.yes) : within(include),
    exclude.length === 0 ? exact(dialect.yes) : not(dialect, within(exclude)),
  ]);
}

function textBounds(spec: FilterSpec, asked: readonly string[], reading: Reading): Bounds {
  const { dialect, columns, bind } = reading;
  // No row of the engine holds such a text.
  const values = asked.filter((value) => isWellFormed(value) && (dialect.holdsNul || !value.includes('\0')));
  if (values.length === 0) return exact(dialect.no);
  const compared = columns.compared(spec.name);
  if (compared !== null) return exact(bind.isIn(compared, values.flatMap((value) => spellings(spec.compares, value))));
  if (spec.name === 'id' && columns.directKey) return exact(idsByKey(values, columns.directKey, reading));
  const value = columns.value(spec.field);
  const text = spec.name === 'email_domain' ? dialect.domain(value) : value;
  switch (spec.compares) {
    case 'country': return exact(countryIn(spec.field, values, reading));
    case 'lower': case 'domain': case 'email': return sieved(sieveOf(spec.field, values, reading), reading, exactWherePlain(dialect, text, bind.isIn(dialect.lower(text), values)));
    case 'folded': case 'enum': {
      const folded = dialect.folded(columns.untrimmed?.(spec.field) ?? text);
      return sieved(sieveOf(spec.field, values, reading), reading, foldedIn(folded, values, reading));
    }
    case 'number': case 'date': case 'presence': throw new Error(`${spec.name} compares no texts`);
    default: return spec.compares satisfies never;
  }
}

/** What is equal to a plain text is plain. */
function foldedIn(folded: Sql, values: readonly string[], { dialect, bind }: Reading): Bounds {
  const plain = values.filter(isAscii);
  const sure = plain.length === 0 ? dialect.no : bind.isIn(folded, plain);
  return { sure, maybe: `(NOT ${dialect.isPlain(folded)} OR ${sure})` };
}

function countryIn(field: string, values: readonly string[], { columns, bind }: Reading): Sql {
  const code = columns.code?.(field) ?? null;
  if (code === null) return bind.isIn(columns.value(field), values);
  const codes = values.filter((value) => countryCode(value) === value);
  return bind.isIn(code, codes.includes('GB') ? [...codes, 'UK'] : codes);
}

/** An id is the source's name and its key; of a row without a key it is a hash, which no key is written like. */
function idsByKey(ids: readonly string[], { stored, whole, written }: DirectKey, { source, dialect, columns, bind }: Reading): Sql {
  const begin = `${source.toLowerCase()}:`;
  const own = ids.filter((id) => id.startsWith(begin)).map((id) => ({ id, key: written(id.slice(begin.length)) }));
  const direct = own.flatMap(({ key }) => key ?? []);
  const hashes = whole ? [] : own.filter(({ key }) => key === null).map(({ id }) => id);
  const parts = [
    ...(direct.length > 0 ? [`${stored} IN (${direct.join(', ')})`] : []),
    ...(hashes.length > 0 ? [`${dialect.isNull(stored)} AND ${bind.isIn(dialect.lower(columns.value('id')), hashes)}`] : []),
  ];
  return parts.length === 0 ? dialect.no : `(${parts.map((part) => `(${part})`).join(' OR ')})`;
}

function numberBounds(spec: FilterSpec, intervals: readonly Interval[], { dialect, columns, bind }: Reading): Bounds {
  const parts = spec.compares === 'date' ? momentParts(columns.time(spec.field)!, intervals, dialect, bind) : numberParts(columns.value(spec.field), intervals, bind);
  return exact(parts.length === 0 ? dialect.no : `(${parts.map((part) => `(${part})`).join(' OR ')})`);
}

/** Single numbers as a list: of a condition for each some engines take a time that grows with the square of their number, or refuse a thousand. */
function numberParts(value: Sql, intervals: readonly Interval[], bind: Bind): Sql[] {
  const within = joined(intervals, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const single = within.filter(([low, high]) => low === high).map(([low]) => bind.number(low));
  const ranges = within.filter(([low, high]) => low < high).map(([low, high]) => `${value} >= ${bind.number(low)} AND ${value} <= ${bind.number(high)}`);
  return single.length === 0 ? ranges : [`${value} IN (${single.join(', ')})`, ...ranges];
}

/** Rows show their times to the millisecond, rounded down: one that is stored between two belongs to the first. */
function momentParts(time: Sql, intervals: readonly Interval[], dialect: Dialect, bind: Bind): Sql[] {
  return joined(intervals, MOMENT_MS_MIN, MOMENT_MS_END - 1).map(([low, high]) => `${time} >= ${dialect.moment(low, bind)} AND ${time} < ${dialect.moment(high + 1, bind)}`);
}

/** The whole numbers of the intervals that are within these bounds, in as few intervals as hold them. */
function joined(intervals: readonly Interval[], least: number, most: number): Interval[] {
  const whole = intervals.map(([min, max]): [low: number, high: number] => [Math.max(Math.ceil(min), least), Math.min(Math.floor(max), most)]);
  const held: [low: number, high: number][] = [];
  for (const [low, high] of whole.filter(([from, to]) => from <= to).toSorted(([a], [b]) => a - b)) {
    const last = held.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else held.push([low, high]);
  }
  return held;
}
