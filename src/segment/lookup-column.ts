import { hashText } from '../lib/hash.ts';
import { NumberList } from '../lib/number-list.ts';
import { comparable, filteredText } from '../model/compare.ts';
import type { Row } from '../model/field.ts';
import type { FilterSpec } from '../model/filter.ts';
import type { SectionDrafts, Sections } from './sections.ts';

const ROWS_A_BUCKET = 8;

/**
 * Rows by the hash of their text: `NAME.buckets` where each bucket (the top bits) begins, `NAME.rows` and the low 16 bits in
 * `NAME.prints`. About 6.5 bytes a row; a hit must be verified in the row.
 */
export class LookupDraft {
  readonly #spec: FilterSpec;
  readonly #rows = new NumberList();
  readonly #hashes = new NumberList();
  #next = 0;

  constructor(spec: FilterSpec) {
    this.#spec = spec;
  }

  add(row: Row): void {
    const number = this.#next++;
    const value = row[this.#spec.field];
    const text = typeof value === 'string' ? filteredText(this.#spec, value) : null;
    if (text === null) return;
    this.#rows.push(number);
    this.#hashes.push(hashText(comparable(this.#spec.compares, text)));
  }

  draft(drafts: SectionDrafts, name: string): void {
    const hashes = this.#hashes.view();
    const bits = bucketBits(hashes.length);
    const buckets = new Uint32Array((1 << bits) + 1);
    for (const hash of hashes) buckets[bucketOf(hash, bits) + 1]!++;
    for (let bucket = 0; bucket + 1 < buckets.length; bucket++) buckets[bucket + 1]! += buckets[bucket]!;
    const next = buckets.slice();
    const rows = new Uint32Array(hashes.length);
    const prints = new Uint16Array(hashes.length);
    hashes.forEach((hash, at) => {
      const place = next[bucketOf(hash, bits)]!++;
      rows[place] = this.#rows.at(at);
      prints[place] = hash;
    });
    drafts.add(`${name}.buckets`, buckets);
    drafts.add(`${name}.rows`, rows);
    drafts.add(`${name}.prints`, prints);
  }
}

export class LookupColumn {
  readonly #buckets: Uint32Array;
  readonly #rows: Uint32Array;
  readonly #prints: Uint16Array;
  readonly #bits: number;

  constructor(sections: Sections, name: string) {
    this.#buckets = sections.u32(`${name}.buckets`);
    this.#rows = sections.u32(`${name}.rows`);
    this.#prints = sections.u16(`${name}.prints`);
    this.#bits = bucketBits(this.#rows.length);
  }

  /** Rows, ascending, that may hold the comparable text: all that do, and now and then another. */
  candidates(text: string): number[] {
    const hash = hashText(text);
    const bucket = bucketOf(hash, this.#bits);
    const rows: number[] = [];
    for (let at = this.#buckets[bucket]!; at < this.#buckets[bucket + 1]!; at++) {
      if (this.#prints[at] === (hash & 0xffff)) rows.push(this.#rows[at]!);
    }
    return rows;
  }
}

function bucketBits(rows: number): number {
  return Math.max(1, Math.ceil(Math.log2(Math.max(1, rows / ROWS_A_BUCKET))));
}

function bucketOf(hash: number, bits: number): number {
  return hash >>> (32 - bits);
}
