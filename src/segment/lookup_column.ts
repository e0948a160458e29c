import { hashLowerAscii, hashText } from '../lib/hash.ts';
import { NumberList } from '../lib/number_list.ts';
import { comparable, filteredText } from '../model/compare.ts';
import type { FilterSpec } from '../model/filter.ts';
import type { ScannedRow } from './scanned_row.ts';
import type { SectionDrafts, Sections } from './sections.ts';

const ROWS_A_BUCKET = 8;

/**
 * Rows by the hash of their text: `NAME.buckets` where each bucket (the top bits) begins, `NAME.rows` and the lowest 8 bits in
 * `NAME.prints`. About 5.7 bytes a row. A hit must be verified in the row; one look-up in thirty of an absent text reads one in vain.
 */
export class LookupDraft {
  readonly #spec: FilterSpec;
  readonly #rows = new NumberList();
  readonly #hashes = new NumberList();
  #next = 0;

  readonly #place: number;

  constructor(spec: FilterSpec, row: ScannedRow) {
    this.#spec = spec;
    this.#place = row.place(spec.field);
  }

  add(row: ScannedRow): void {
    const number = this.#next++;
    const hash = this.#hashOf(row);
    if (hash === null) return;
    this.#rows.push(number);
    this.#hashes.push(hash);
  }

  #hashOf(row: ScannedRow): number | null {
    const place = this.#place;
    const { compares } = this.#spec;
    if (row.isTrim(place) && (compares === 'lower' || compares === 'email')) return hashLowerAscii(row.bytes, row.from[place]!, row.to[place]!);
    const value = row.textOf(place);
    const text = value === null ? null : filteredText(this.#spec, value);
    return text === null ? null : hashText(comparable(compares, text));
  }

  draft(drafts: SectionDrafts, name: string): void {
    const hashes = this.#hashes.view();
    const bits = bucketBits(hashes.length);
    const buckets = new Uint32Array((1 << bits) + 1);
    for (let at = 0; at < hashes.length; at++) buckets[bucketOf(hashes[at]!, bits) + 1]!++;
    for (let bucket = 0; bucket + 1 < buckets.length; bucket++) buckets[bucket + 1]! += buckets[bucket]!;
    const next = buckets.slice();
    const given = this.#rows.view();
    const rows = new Uint32Array(hashes.length);
    const prints = new Uint8Array(hashes.length);
    for (let at = 0; at < hashes.length; at++) {
      const place = next[bucketOf(hashes[at]!, bits)]!++;
      rows[place] = given[at]!;
      prints[place] = hashes[at]!;
    }
    drafts.add(`${name}.buckets`, buckets);
    drafts.add(`${name}.rows`, rows);
    drafts.add(`${name}.prints`, prints);
  }
}

export class LookupColumn {
  readonly #buckets: Uint32Array;
  readonly #rows: Uint32Array;
  readonly #prints: Uint8Array;
  readonly #bits: number;

  constructor(sections: Sections, name: string) {
    this.#buckets = sections.u32(`${name}.buckets`);
    this.#rows = sections.u32(`${name}.rows`);
    this.#prints = sections.u8(`${name}.prints`);
    this.#bits = bucketBits(this.#rows.length);
  }

  /** Rows, ascending and each once, that may hold one of the comparable texts: all that do, and now and then another. */
  candidates(texts: readonly string[]): Uint32Array {
    const found = new NumberList(ROWS_A_BUCKET * texts.length);
    for (const text of texts) this.#addCandidates(text, found);
    const rows = found.view().sort();
    let kept = 0;
    for (let at = 0; at < rows.length; at++) if (at === 0 || rows[at] !== rows[at - 1]) rows[kept++] = rows[at]!;
    return rows.slice(0, kept);
  }

  #addCandidates(text: string, found: NumberList): void {
    const hash = hashText(text);
    const bucket = bucketOf(hash, this.#bits);
    for (let at = this.#buckets[bucket]!; at < this.#buckets[bucket + 1]!; at++) {
      if (this.#prints[at] === (hash & 0xff)) found.push(this.#rows[at]!);
    }
  }
}

function bucketBits(rows: number): number {
  return Math.max(1, Math.ceil(Math.log2(Math.max(1, rows / ROWS_A_BUCKET))));
}

function bucketOf(hash: number, bits: number): number {
  return hash >>> (32 - bits);
}
