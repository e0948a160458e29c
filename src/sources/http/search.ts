import { LIMITS } from '../../config/limits.ts';
import { isWellFormed } from '../../lib/well_formed.ts';
import { comparable, spellings } from '../../model/compare.ts';
import { countryCode } from '../../model/country.ts';
import { withoutKept } from '../../model/kept_form.ts';
import { narrows, type Filter, type FilterSpec, type Interval } from '../../model/filter.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Term } from '../../model/query.ts';
import type { Search } from '../source.ts';

/** What may be asked of the other side. */
export type Target = {
  readonly source: string;
  readonly specs: ReadonlyMap<string, FilterSpec>;
  /** Whether it reads a filter as it is read here. */
  readonly takes: (spec: FilterSpec) => boolean;
  /** Whether it looks for words in the same fields. */
  readonly searches: boolean;
  /** Whether no row of it has the field. */
  readonly lacks: (spec: FilterSpec) => boolean;
  /** It reads values as this gateway does, in all their spellings and forms. */
  readonly isGateway: boolean;
};

/** A search in the words of a find body. `exact` where no row that comes back need be left out here; null where no row can match. */
export type Asked = { readonly body: JsonObject; readonly exact: boolean } | null;

/** A filter as it is sent. `none`: no row can match it. `loose`: what is sent, if anything, lets too many rows through. */
type Sent = 'none' | { readonly value: unknown; readonly loose: boolean };
const ANY: Sent = { value: undefined, loose: false };
const UNSENT: Sent = { value: undefined, loose: true };

/** Whatever is not sent is left to the test of the rows. */
export function askedOf({ filters, terms }: Search, target: Target): Asked {
  const sent: Record<string, unknown> = {};
  let exact = true;
  let narrow = false;
  for (const filter of filters) {
    const spec = target.specs.get(filter.name)!;
    const one = target.takes(spec) ? sentOf(filter, spec, target) : unknownThere(filter, target.lacks(spec));
    if (one === 'none') return null;
    if (one.value !== undefined) {
      sent[filter.name] = one.value;
      narrow ||= narrows(filter);
    }
    exact &&= !one.loose;
  }
  const text = terms.length === 0 ? '' : textOf(terms);
  const asksText = target.searches && narrow && text !== '' && [...text].length <= LIMITS.queryCharactersMax;
  return { body: { ...(asksText && { query: text }), ...(Object.keys(sent).length > 0 && { filters: sent }) }, exact: exact && (asksText || terms.length === 0) };
}

/** Where no row has the field, all of them count as null. */
function unknownThere(filter: Filter, lacking: boolean): Sent {
  if (!lacking) return UNSENT;
  if (filter.kind === 'presence') return filter.absent ? ANY : 'none';
  return filter.include === null ? ANY : 'none';
}

function sentOf(filter: Filter, spec: FilterSpec, target: Target): Sent {
  switch (filter.kind) {
    case 'presence': return filter.present ? (filter.absent ? ANY : { value: [true], loose: false }) : filter.absent ? { value: [false], loose: false } : 'none';
    case 'terms': return sentTexts(filter, spec, target);
    case 'intervals': return sentIntervals(filter, spec);
    default: return filter satisfies never;
  }
}

/** Null for a text that no row has; undefined for one that cannot be sent. */
function textFor(spec: FilterSpec, text: string, source: string): string | null | undefined {
  if (text.includes('\0') || !isWellFormed(text)) return null;
  if (spec.name === 'id') return text.startsWith(`${source}:`) && text.length > source.length + 1 ? text.slice(source.length + 1) : null;
  if (spec.compares === 'country') return countryCode(text) === text ? text : null;
  if (spec.compares === 'enum') return spec.values!.find((value) => comparable('enum', value) === text) ?? null;
  return text.length <= LIMITS.filterValueCharactersMax && text.trim() !== '' && comparable(spec.compares, text) === text ? text : undefined;
}

/** A text as it is sent, or as `textFor` says. */
type Spelt = string | null | undefined;

/** Each text as the other side may spell it: it may compare what it has letter by letter. Where that makes more values than a filter may have, a gateway is left to spell them. */
function sentTexts({ include, exclude }: Extract<Filter, { readonly kind: 'terms' }>, spec: FilterSpec, { source, isGateway }: Target): Sent {
  const plain = (texts: readonly string[]): Spelt[] => texts.map((text) => textFor(spec, text, source));
  const spelt = (texts: readonly string[]): Spelt[] => plain(texts).flatMap((sent, at): readonly Spelt[] => (typeof sent === 'string' && sent === texts[at] ? spellings(spec.compares, sent) : [sent]));
  const lists = include === null ? [exclude] : [exclude, include];
  const inFull = lists.map(spelt);
  const isLeft = inFull.flat().length > LIMITS.filterValuesMax && isGateway;
  const [excluded = [], included] = (isLeft ? lists.map((texts) => plain(withoutKept(spec, texts))) : inFull).map((texts) => texts.filter((one) => one !== null));
  if (included?.length === 0) return 'none';
  if (included !== undefined && (included.length > LIMITS.filterValuesMax || included.includes(undefined))) return UNSENT;
  const left = excluded.filter((one) => one !== undefined).slice(0, LIMITS.filterValuesMax - (included?.length ?? 0));
  if (included === undefined && left.length === 0) return { value: undefined, loose: excluded.length > 0 };
  return { value: { ...(included !== undefined && { include: included }), ...(left.length > 0 && { exclude: left }) }, loose: left.length < excluded.length };
}

/** The longest interval that values of rows can be in. */
const BOUNDS: Readonly<Record<'number' | 'date', Interval>> = {
  number: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  date: [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')],
};

function sentIntervals({ include, exclude }: Extract<Filter, { readonly kind: 'intervals' }>, spec: FilterSpec): Sent {
  const kind = spec.compares === 'date' ? 'date' : 'number';
  const within = (intervals: readonly Interval[]): Interval[] => intervals
    .map(([min, max]): Interval => [Math.max(Math.ceil(min), BOUNDS[kind][0]), Math.min(Math.floor(max), BOUNDS[kind][1])])
    .filter(([min, max]) => min <= max);
  const write = (value: number): unknown => (kind === 'date' ? new Date(value).toISOString() : value);
  const points = within(exclude).filter(([min, max]) => min === max).map(([value]) => write(value));
  const loose = points.length < within(exclude).length;
  const left = points.length > 0 && { exclude: points };
  if (include === null) return { value: left === false ? undefined : left, loose };
  const included = within(include);
  if (included.length === 0) return 'none';
  if (included.every(([min, max]) => min === max)) return { value: { include: included.map(([value]) => write(value)), ...left }, loose };
  const min = Math.min(...included.map(([low]) => low));
  const max = Math.max(...included.map(([, high]) => high));
  const [least, most] = BOUNDS[kind];
  // An open side stays open; something must be said all the same, so that nulls are left out.
  const range = { ...((min > least || max === most) && { min: write(min) }), ...(max < most && { max: write(max) }) };
  return { value: { ...range, ...left }, loose: loose || included.length > 1 };
}

/** The terms as somebody would type them. */
function textOf(terms: readonly Term[]): string {
  return terms.map(({ kind, words, negated }) => `${negated ? '-' : ''}${kind === 'prefix' ? `${words[0]!}*` : `"${words.join(' ')}"`}`).join(' ');
}
