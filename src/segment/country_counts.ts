import type { CountryRows } from './countries.ts';
import type { SegmentMeta } from './meta.ts';
import type { Sections } from './sections.ts';
import type { TextsColumn } from './texts_column.ts';

/** A choice of a column's codes: `column` is its number, `codes` are those wanted, each once, null's among them where nulls are. */
export type CountedChoice = { readonly column: number; readonly codes: readonly number[] };

/** Rows that have the presence `which`, or have it not. */
export type CountedPresence = { readonly which: number; readonly wanted: boolean };

/** All codes of either column, null's last, and where the counts of the two lie. */
type Pair = { readonly first: number; readonly second: number; readonly firstCodes: readonly number[]; readonly secondCodes: readonly number[]; readonly place: number };

/** Counts of a pair of columns in a country, from `base` on: those that stand where one of the rows meets one of the columns. `table` is its number among all of the segment. */
export type CountedCells = {
  readonly table: number; readonly base: number; readonly rows: readonly number[]; readonly cells: readonly number[]; readonly rowCells: number;
};

/** The codes of two columns, whose counts in a country take so many words. */
type CountedTable = { readonly country: CountryRows; readonly first: Codes; readonly second: Codes; readonly rowCells: number; readonly words: number };

type Codes = TextsColumn['codes'];
/** A column of one code a row. */
export type CountedColumn = { readonly values: number; readonly codes: Codes };

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
  /** Those of few counts first: of a choice of one column what stands beside it in the other is added up. */
  readonly #pairs: readonly Pair[];
  readonly #width: number;
  /** The place of each country by its first row, and by the first that lacks the field that leads. */
  readonly #places: ReadonlyMap<number, number>;
  readonly #columns: ReadonlyMap<number, CountedColumn>;
  readonly #countries: readonly CountryRows[];

  constructor(sections: Sections, { presence }: SegmentMeta, countries: readonly CountryRows[], columnOf: (column: number) => CountedColumn) {
    const made = sections.has('counts');
    const columns = made ? (sections.json('counts') as { readonly columns: readonly number[] }).columns : [];
    this.#at = made ? sections.u32('counts.at') : new Uint32Array();
    this.#data = made ? sections.u32('counts.data') : new Uint32Array();
    this.#columns = new Map(columns.map((column) => [column, columnOf(column)]));
    this.#countries = countries;
    const codes = new Map([...this.#columns].map(([column, { values }]) => [column, Array.from({ length: values + 1 }, (_, code) => code)]));
    this.#codes = codes;
    this.#pairs = pairsOf(columns)
      .map(([first, second], place): Pair => ({ first, second, firstCodes: codes.get(first)!, secondCodes: codes.get(second)!, place }))
      .sort((a, b) => a.firstCodes.length * a.secondCodes.length - b.firstCodes.length * b.secondCodes.length);
    this.#width = 1 + presence.length;
    this.#places = new Map(countries.flatMap(({ start, keyed, end }, at) => (keyed < end ? [[start, at], [keyed, at]] : [[start, at]])));
  }

  /** All codes of a column that is counted, null's last; undefined for any other. */
  codesOf(column: number): readonly number[] | undefined {
    return this.#codes.get(column);
  }

  /** Where rows with the one or two choices are counted of the country of which `start` is the first row, or the first that lacks the field that leads; null where they are not. */
  find(start: number, choices: readonly CountedChoice[]): CountedCells | null {
    const one = choices[0];
    const other = choices[1];
    if (one === undefined) return null;
    const country = this.#places.get(start);
    if (country === undefined) return null;
    for (const pair of this.#pairs) {
      const turned = pair.second === one.column;
      if (!turned && pair.first !== one.column) continue;
      if (other !== undefined && (turned ? pair.first : pair.second) !== other.column) continue;
      const table = country * this.#pairs.length + pair.place;
      const at = this.#at[table]!;
      if (at === 0) continue;
      const rows = (turned ? other : one)?.codes ?? pair.firstCodes;
      const cells = (turned ? one : other)?.codes ?? pair.secondCodes;
      return { table, base: at - 1, rows, cells, rowCells: pair.secondCodes.length };
    }
    return null;
  }

  /** What a table of a number counts. */
  tableOf(table: number): CountedTable {
    const { first, second, firstCodes, secondCodes } = this.#pairs.find(({ place }) => place === table % this.#pairs.length)!;
    return {
      country: this.#countries[Math.floor(table / this.#pairs.length)]!, first: this.#columns.get(first)!.codes, second: this.#columns.get(second)!.codes,
      rowCells: secondCodes.length, words: firstCodes.length * secondCodes.length * this.#width,
    };
  }

  /** How many rows those are; of some rows that were counted likewise, where their `counts` are given. */
  of({ base, rows, cells, rowCells }: CountedCells, presence: CountedPresence | null, counts: Uint32Array = this.#data): number {
    const width = this.#width;
    let all = 0;
    let present = 0;
    for (const row of rows) {
      for (const cell of cells) {
        const at = base + (row * rowCells + cell) * width;
        all += counts[at]!;
        if (presence !== null) present += counts[at + 1 + presence.which]!;
      }
    }
    return presence === null ? all : presence.wanted ? present : all - present;
  }
}
