import { seeded } from '../../bench/support/figures.ts';
import { fold, words } from '../../src/lib/fold.ts';
import { filteredTexts } from '../../src/model/compare.ts';
import { SEARCHABLE, type Row } from '../../src/model/field.ts';
import { FILTERS, type FilterSpec } from '../../src/model/filter.ts';

export type Body = { readonly type: 'contacts'; readonly query?: string; readonly filters?: Readonly<Record<string, unknown>>; readonly limit: number; readonly facets?: readonly string[] };

/** Every so many values of a text filter, and words of a query, are of no row. */
const ABSENT_ONE_IN = 15;
const LIMITS_ASKED = [1, 2, 7, 25, 100, 1_000];
const FILTERS_ASKED = [0, 1, 1, 2, 2, 3, 3, 6];
/** The last is of two lists as many as one filter takes. */
const VALUES_ASKED = [1, 1, 1, 2, 2, 3, 3, 12, 12, 500];

/** Searches as callers write them, the `nth` of a seed always the same over the same rows. */
export class Searches {
  readonly #seed: number;
  readonly #rows: readonly Row[];

  constructor(seed: number, rows: readonly Row[]) {
    this.#seed = seed;
    this.#rows = rows;
  }

  at(nth: number): Body {
    const draw = new Draw(this.#seed * 1_000_003 + nth, this.#rows);
    const specs = draw.some(FILTERS.contacts, draw.one(FILTERS_ASKED));
    const filters = Object.fromEntries(specs.map((spec) => [spec.name, draw.filter(spec)]));
    const narrows = specs.some((spec) => spec.compares !== 'presence' && isNarrowing(filters[spec.name]));
    const facets = draw.chance(0.4) ? draw.some(FILTERS.contacts.filter(({ name }) => name !== 'id'), 1 + draw.below(3)).map(({ name }) => name) : [];
    return {
      type: 'contacts', limit: draw.one(LIMITS_ASKED),
      ...(specs.length > 0 ? { filters } : {}),
      ...(narrows && draw.chance(0.6) ? { query: draw.query() } : {}),
      ...(facets.length > 0 ? { facets } : {}),
    };
  }
}

function isNarrowing(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value) || 'include' in (value as object) || 'min' in (value as object) || 'max' in (value as object);
}

class Draw {
  readonly #next: () => number;
  readonly #rows: readonly Row[];

  constructor(seed: number, rows: readonly Row[]) {
    this.#next = seeded(seed);
    this.#rows = rows;
  }

  below(n: number): number {
    return Math.floor(this.#next() * n);
  }

  chance(share: number): boolean {
    return this.#next() < share;
  }

  one<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  some<T>(items: readonly T[], count: number): T[] {
    const chosen = new Set<T>();
    while (chosen.size < count) chosen.add(this.one(items));
    return [...chosen];
  }

  filter(spec: FilterSpec): unknown {
    switch (spec.compares) {
      case 'presence': return this.one([['true'], ['false'], true, false, ['true', 'false'], { include: ['true'] }, { exclude: ['true'] }, { exclude: ['false'] }]);
      case 'date': return this.#range();
      case 'number': throw new Error('contacts are filtered by no number');
      case 'country': case 'enum': case 'folded': case 'lower': case 'domain': case 'email': return this.#terms(spec);
      default: return spec.compares satisfies never;
    }
  }

  query(): string {
    return Array.from({ length: 1 + this.below(3) }, (_, nth) => {
      const text = this.#words();
      const at = this.below(text.length);
      const piece = this.one([
        () => text[at]!,
        () => `${[...text[at]!].slice(0, 1 + this.below(5)).join('')}*`,
        () => `"${text.slice(Math.max(0, Math.min(at, text.length - 2)), at + 2).join(' ')}"`,
      ])();
      return `${nth > 0 && this.chance(0.3) ? '-' : ''}${this.chance(0.2) ? piece.toUpperCase() : piece}`;
    }).join(' ').slice(0, 256);
  }

  #terms(spec: FilterSpec): unknown {
    const values = (): string[] => Array.from({ length: this.one(VALUES_ASKED) }, () => this.#value(spec));
    if (this.chance(0.5)) return values();
    return this.one([() => values()[0]!, () => ({ include: values() }), () => ({ exclude: values() }), () => ({ include: values(), exclude: values() })])();
  }

  /** A value of some row, at times in another spelling that folds alike. */
  #value(spec: FilterSpec): string {
    const closed = spec.compares === 'enum' || spec.compares === 'country';
    const found = filteredTexts(spec, this.one(this.#rows))[0] ?? filteredTexts(spec, this.one(this.#rows))[0];
    if (found === undefined || (!closed && this.below(ABSENT_ONE_IN) === 0)) return closed ? spec.values?.[0] ?? 'US' : 'of no row';
    if (closed) return this.chance(0.2) ? found.toLowerCase() : found;
    const spelling = this.below(8);
    return (spelling === 0 ? found.normalize('NFD') : spelling === 1 ? ` ${found} ` : spelling === 2 && !/[ıİßẞς]/.test(found) ? found.toUpperCase() : found).slice(0, 1_000);
  }

  #range(): unknown {
    const listed = (): string[] => Array.from({ length: 1 + this.below(20) }, () => this.#moment());
    const moments = [this.#moment(), this.#moment()].sort();
    const [min, max] = moments as [string, string];
    const range = this.one([{ min }, { max }, { min, max }, { min, max: min }]);
    return this.one([() => range, () => range, () => listed(), () => ({ exclude: listed() }), () => ({ include: listed(), exclude: listed() }), () => ({ ...range, exclude: listed() })])();
  }

  #moment(): string {
    const text = this.one(this.#rows).updated_at;
    return typeof text === 'string' ? (this.chance(0.3) ? text.slice(0, 10) : text) : '2024-06-01';
  }

  /** The words of some searchable text. */
  #words(): string[] {
    const row = this.one(this.#rows);
    const texts = SEARCHABLE.contacts.flatMap((field) => row[field] ?? []).filter((text) => typeof text === 'string').map((text) => words(fold(text))).filter((text) => text.length > 0);
    return texts.length === 0 || this.below(ABSENT_ONE_IN) === 0 ? ['of', 'no', 'row'] : this.one(texts);
  }
}
