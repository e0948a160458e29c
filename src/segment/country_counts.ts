import type { CountryRows } from './countries.ts';
import type { SegmentMeta } from './meta.ts';
import type { Sections } from './sections.ts';

/** A choice of a column's codes: `column` is its number, `codes` are those wanted, each once, null's among them where nulls are. */
export type CountedChoice = { readonly column: number; readonly codes: readonly number[] };

/** Rows that have the presence `which`, or have it not. */
export type CountedPresence = { readonly which: number; readonly wanted: boolean };

type Pair = { readonly first: number; readonly second: number; readonly place: number };

/** Every two of the columns that are counted, in the order in which their counts lie. */
export function pairsOf<T>(columns: readonly T[]): (readonly [first: T, second: T])[] {
  return columns.flatMap((first, at) => columns.slice(at + 1).map((second) => [first, second] as const));
}

/** How many rows of a large country have some values of one or two columns: see `draftCountryCounts`. Of a segment that was made before there were any it tells nothing. */
export class CountryCounts {
  readonly #at: Uint32Array;
  readonly #data: Uint32Array;
  /** All codes of each column that is counted, by its number: null's is the last. */
  readonly #codes: ReadonlyMap<number, readonly number[]>;
  readonly #pairs: readonly Pair[];
  readonly #width: number;
  /** The place of each country by its first row, and by the first that lacks the field that leads. */
  readonly #places: ReadonlyMap<number, number>;

  /** `valuesOf`: how many values a column has. */
  constructor(sections: Sections, { presence }: SegmentMeta, countries: readonly CountryRows[], valuesOf: (column: number) => number) {
    const made = sections.has('counts');
    const columns = made ? (sections.json('counts') as { readonly columns: readonly number[] }).columns : [];
    this.#at = made ? sections.u32('counts.at') : new Uint32Array();
    this.#data = made ? sections.u32('counts.data') : new Uint32Array();
    this.#codes = new Map(columns.map((column) => [column, Array.from({ length: valuesOf(column) + 1 }, (_, code) => code)]));
    this.#pairs = pairsOf(columns).map(([first, second], place) => ({ first, second, place }));
    this.#width = 1 + presence.length;
    this.#places = new Map(countries.flatMap(({ start, keyed, end }, at) => (keyed < end ? [[start, at], [keyed, at]] : [[start, at]])));
  }

  /** All codes of a column that is counted, null's last; undefined for any other. */
  codesOf(column: number): readonly number[] | undefined {
    return this.#codes.get(column);
  }

  /** Rows with the one or two choices of the country of which `start` is the first row, or the first that lacks the field that leads; null where that is not counted. */
  of(start: number, [one, other]: readonly CountedChoice[], presence: CountedPresence | null): number | null {
    if (one === undefined) return null;
    const country = this.#places.get(start);
    if (country === undefined) return null;
    for (const { first, second, place } of this.#pairs) {
      const turned = second === one.column;
      if (!turned && first !== one.column) continue;
      if (other !== undefined && (turned ? first : second) !== other.column) continue;
      const at = this.#at[country * this.#pairs.length + place]!;
      if (at !== 0) return this.#sum(at - 1, { first, second }, turned ? [other, one] : [one, other], presence);
    }
    return null;
  }

  #sum(base: number, { first, second }: Omit<Pair, 'place'>, [ofFirst, ofSecond]: readonly (CountedChoice | undefined)[], presence: CountedPresence | null): number {
    const width = this.#width;
    const secondCodes = this.#codes.get(second)!;
    const rows = ofFirst?.codes ?? this.#codes.get(first)!;
    const cells = ofSecond?.codes ?? secondCodes;
    let all = 0;
    let present = 0;
    for (const row of rows) {
      for (const cell of cells) {
        const at = base + (row * secondCodes.length + cell) * width;
        all += this.#data[at]!;
        if (presence !== null) present += this.#data[at + 1 + presence.which]!;
      }
    }
    return presence === null ? all : presence.wanted ? present : all - present;
  }
}
