import { comparable, isPresent } from '../model/compare.ts';
import type { Row } from '../model/field.ts';
import type { LookupColumn } from '../segment/lookup_column.ts';
import type { NumbersColumn } from '../segment/numbers_column.ts';
import type { RowForm } from '../segment/row_form.ts';
import { closeSegment, readRow, type Segment } from '../segment/reader.ts';
import { readGone } from '../sources/lake/gone.ts';
import type { Manifest } from '../sources/lake/manifest.ts';
import { openPublished } from '../sources/lake/published_segment.ts';

type Entry = Manifest['segments'][number];

/** What rows that go take with them of what the manifest tells. */
type Taken = { rows: number; readonly countries: Map<string, number>; readonly filled: Map<string, number>; newest: boolean };

/**
 * A published segment whose rows are looked for by their ids, and marked as gone. A look-up costs about a microsecond, and some ten where it finds a row:
 * the engine would read the ids of all rows.
 */
export class StandingSegment {
  readonly entry: Entry;
  readonly #segment: Segment;
  readonly #ids: LookupColumn;
  readonly #goneBefore: ReadonlySet<number>;
  readonly #marked = new Set<number>();
  readonly #taken: Taken = { rows: 0, countries: new Map(), filled: new Map(), newest: false };

  private constructor(entry: Entry, segment: Segment, ids: LookupColumn, gone: Uint32Array) {
    this.entry = entry;
    this.#segment = segment;
    this.#ids = ids;
    this.#goneBefore = new Set(gone);
  }

  /** Null where it cannot be opened, or is not told what of it is gone: then it is to be made again from its truth. The index is verified as a whole, a row as far as it is read. */
  static async open(dir: string, entry: Entry): Promise<StandingSegment | null> {
    try {
      const gone = await readGone(dir, entry.gone);
      const segment = openPublished(dir, entry);
      const ids = segment.columns.get('id');
      if (ids?.form === 'lookup') return new StandingSegment(entry, segment, ids.column, gone);
      closeSegment(segment);
      return null;
    } catch {
      return null;
    }
  }

  get id(): string { return this.entry.id; }
  get form(): RowForm { return this.#segment.stencils === null ? 'text' : 'compact'; }
  /** Rows that stay. */
  get rows(): number { return this.entry.rows - this.#taken.rows; }
  get gone(): number { return this.#goneBefore.size + this.#marked.size; }

  /** The living row of an id, as its number; null where there is none. */
  find(id: string): number | null {
    const row = this.#rowOf(id);
    return row === null || this.#isGone(row) ? null : row;
  }

  /** Whether a row of the id is in the files, living or gone. */
  holds(id: string): boolean {
    return this.#rowOf(id) !== null;
  }

  read(row: number): Row {
    return readRow(this.#segment, row);
  }

  /** Takes a living row out. */
  mark(row: number): void {
    const values = this.read(row);
    this.#marked.add(row);
    const taken = this.#taken;
    taken.rows += 1;
    if (typeof values.country === 'string') add(taken.countries, values.country);
    for (const field of Object.keys(this.entry.fill)) if (isPresent(values[field])) add(taken.filled, field);
    if (typeof values.updated_at === 'string' && this.entry.updatedAt !== null && Date.parse(values.updated_at) === Date.parse(this.entry.updatedAt)) taken.newest = true;
  }

  /** All rows that are gone, ascending. Null where they are those of before. */
  goneRows(): Uint32Array | null {
    return this.#marked.size === 0 ? null : Uint32Array.from([...this.#goneBefore, ...this.#marked]).sort();
  }

  /** What the manifest is to tell of it, but for what is gone. */
  left(): Pick<Entry, 'rows' | 'countries' | 'fill' | 'updatedAt'> {
    const { entry: { rows: before, countries, fill, updatedAt }, rows } = this;
    const { countries: left, filled, newest } = this.#taken;
    const counted = Object.entries(countries).map(([country, count]): [string, number] => [country, count - (left.get(country) ?? 0)]);
    // A share of before is of whole rows: rounding takes away what its division added.
    const shares = Object.entries(fill).map(([field, share]): [string, number] => [field, rows === 0 ? 0 : (Math.round(share * before) - (filled.get(field) ?? 0)) / rows]);
    return {
      rows, countries: Object.fromEntries(counted.filter(([, count]) => count > 0)), fill: Object.fromEntries(shares), updatedAt: newest ? this.#newestLeft() : updatedAt,
    };
  }

  close(): void {
    closeSegment(this.#segment);
  }

  #rowOf(id: string): number | null {
    for (const row of this.#candidates(id)) {
      const found = this.read(row).id as string;
      if (found === id) return row;
      this.#assertWhole(row, found);
    }
    return null;
  }

  /** Of the rows only the index is verified: one that is not what it was when that was written would be taken for another, and its own id for a new one. */
  #assertWhole(row: number, id: string): void {
    if (!this.#candidates(id).includes(row)) throw new Error(`row ${row} of ${this.id} is not what was indexed`);
  }

  #candidates(id: string): Uint32Array {
    return this.#ids.candidates([comparable('lower', id.trim())]);
  }

  #isGone(row: number): boolean {
    return this.#goneBefore.has(row) || this.#marked.has(row);
  }

  #newestLeft(): string | null {
    const { column } = this.#segment.columns.get('updated_at') as { readonly column: NumbersColumn };
    let newest: { readonly ms: number; readonly row: number } | null = null;
    for (let row = 0; row < this.#segment.rows; row += 1) {
      const ms = column.number(column.codes[row]!);
      if (ms !== null && (newest === null || ms > newest.ms) && !this.#isGone(row)) newest = { ms, row };
    }
    return newest === null ? null : this.read(newest.row).updated_at as string;
  }
}

function add(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
