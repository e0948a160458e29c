import { LIMITS } from '../../config/limits.ts';
import type { Leaf } from '../../filter/leaf.ts';
import { read } from '../../filter/read.ts';
import type { Reading } from '../../filter/reading.ts';
import { hasBit, setBit } from '../../lib/bits.ts';
import { NumberList } from '../../lib/number_list.ts';
import type { Filter } from '../../model/filter.ts';
import type { Term } from '../../model/query.ts';
import type { SegmentMount } from '../../segment/mount.ts';
import { closeSegment, openSegment, type Segment } from '../../segment/reader.ts';
import { DeadCounts } from './dead_counts.ts';

/** A mounted segment as this thread scans it. */
export type ScanTarget = { readonly segment: Segment; readonly dead: Dead | null; readonly readings: Readings };

/** Opens a mount whose checksums the mounting side has verified. Of another mount of the same segment all but the dead rows is taken over. */
export function mountTarget(mount: SegmentMount, other: ScanTarget | null = null): ScanTarget {
  if (other !== null) return { ...other, dead: Dead.of(mount, other.segment.rows) };
  const segment = withoutColumns(openSegment(mount.index, mount.rows, { trusted: true }), mount.hidden ?? []);
  try {
    return { segment, dead: Dead.of(mount, segment.rows), readings: new Readings(segment) };
  } catch (error) {
    closeSegment(segment);
    throw error;
  }
}

function withoutColumns(segment: Segment, names: readonly string[]): Segment {
  return names.length === 0 ? segment : { ...segment, columns: new Map([...segment.columns].filter(([name]) => !names.includes(name))) };
}

export function unmountTarget({ segment }: ScanTarget): void {
  closeSegment(segment);
}

/**
 * Rows that are as if they were not there. What a mount has of them is put together when they are asked for: most of what is mounted is never asked again. It takes
 * an eighth of a byte for each row of the segment and more, in each thread, of every mount that was asked.
 */
export class Dead {
  readonly #suppressed: SharedArrayBuffer | null;
  readonly #gone: Uint32Array;
  readonly #rowsTotal: number;
  #bits: Int32Array | null = null;
  #rows: Uint32Array | null = null;
  #counts: DeadCounts | null = null;

  /** Null where all rows live. */
  static of({ dead, gone }: Pick<SegmentMount, 'dead' | 'gone'>, rows: number): Dead | null {
    return dead === null && gone.length === 0 ? null : new Dead(dead, rows, gone);
  }

  /** Whether the dead rows of a mount are the same still; those that are gone always are. */
  static isOf(dead: Dead | null, { dead: now }: Pick<SegmentMount, 'dead'>): boolean {
    const had = dead === null ? null : dead.#suppressed;
    return had === null || now === null ? had === now : Buffer.from(had).equals(Buffer.from(now));
  }

  constructor(suppressed: SharedArrayBuffer | null, rows: number, gone: Uint32Array = new Uint32Array()) {
    if (suppressed !== null && suppressed.byteLength * 8 < rows) throw new Error('the dead bits are fewer than the rows');
    if (gone.length > 0 && gone.at(-1)! >= rows) throw new Error('a row is gone that was never there');
    this.#suppressed = suppressed;
    this.#gone = gone;
    this.#rowsTotal = rows;
  }

  get bits(): Int32Array {
    return (this.#bits ??= this.#combined());
  }

  #combined(): Int32Array {
    const words = (this.#rowsTotal + 31) >>> 5;
    const suppressed = this.#suppressed;
    if (suppressed !== null && this.#gone.length === 0 && suppressed.byteLength >= words * 4) return new Int32Array(suppressed, 0, words);
    const bits = new Int32Array(words);
    if (suppressed !== null) new Uint8Array(bits.buffer).set(new Uint8Array(suppressed, 0, Math.min(suppressed.byteLength, words * 4)));
    for (const row of this.#gone) setBit(bits, row);
    return bits;
  }

  /** The dead rows, ascending; listed once. */
  get rows(): Uint32Array {
    return (this.#rows ??= this.#suppressed === null ? this.#gone : this.#listed());
  }

  get counts(): DeadCounts {
    return (this.#counts ??= new DeadCounts(this.rows));
  }

  /** Gives back the memory of what was put together. Who goes on with it has it still. */
  letGo(): void {
    this.#bits = null;
    this.#rows = null;
    this.#counts = null;
  }

  #listed(): Uint32Array {
    const rows = new NumberList();
    for (let word = 0; word < this.bits.length; word++) {
      if (this.bits[word] === 0) continue;
      const end = Math.min(this.#rowsTotal, word * 32 + 32);
      for (let row = word * 32; row < end; row++) if (hasBit(this.bits, row)) rows.push(row);
    }
    return rows.view().slice();
  }
}

/** Readings that were dear to make, kept for the next slice of the same scan: the least recently used go first. */
export class Readings {
  readonly #segment: Segment;
  readonly #kept = new Map<string, { readonly reading: Reading; readonly bytes: number }>();
  #bytes = 0;

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  read(filters: readonly Filter[], terms: readonly Term[]): Reading {
    if (!isDear(this.#segment, filters, terms)) return read(this.#segment, filters, terms);
    const key = JSON.stringify([filters, terms]);
    const known = this.#kept.get(key);
    const entry = known ?? this.#made(read(this.#segment, filters, terms));
    this.#kept.delete(key);
    this.#kept.set(key, entry);
    this.#trim();
    return entry.reading;
  }

  get size(): number {
    return this.#kept.size;
  }

  #made(reading: Reading): { readonly reading: Reading; readonly bytes: number } {
    const entry = { reading, bytes: ownBytes(reading, this.#segment.index.buffer) };
    this.#bytes += entry.bytes;
    return entry;
  }

  #trim(): void {
    for (const [key, { bytes }] of this.#kept) {
      if (this.#kept.size <= LIMITS.readingsKept && this.#bytes <= LIMITS.readingsBytesMax) return;
      this.#kept.delete(key);
      this.#bytes -= bytes;
    }
  }
}

/** Whether reading the search may read rows, or join many posting lists. */
function isDear(segment: Segment, filters: readonly Filter[], terms: readonly Term[]): boolean {
  return terms.some(({ kind }) => kind !== 'word') || filters.some((filter) => filter.kind === 'terms'
    && ((filter.include?.length ?? 0) + filter.exclude.length > LIMITS.unionLeavesMax || segment.columns.get(filter.name)?.form === 'lookup'));
}

/** Bytes of what does not lie in the segment. */
function ownBytes({ clauses, rowClauses }: Reading, index: ArrayBufferLike): number {
  const leaves = [...clauses.flatMap((clause) => clause.leaves), ...rowClauses.map(({ among }) => among)];
  return leaves.reduce((sum, leaf) => sum + leafBytes(leaf, index), 1_024);
}

function leafBytes(leaf: Leaf, index: ArrayBufferLike): number {
  const view = leaf.form === 'rows' ? leaf.rows : leaf.form === 'bits' ? leaf.bits : null;
  return view === null || view.buffer === index ? 0 : view.byteLength;
}
