import { countBits, setBit } from '../lib/bits.ts';
import { BLOCK_ROWS } from './layout.ts';
import type { ScannedRow } from './scanned_row.ts';
import type { SectionDrafts } from './sections.ts';

/** One bit a row, and the running count before each block. */
export class PresenceDraft {
  readonly #place: number;
  #bits = new Int32Array(1_024);

  constructor(field: string, row: ScannedRow) {
    this.#place = row.place(field);
  }

  add(row: ScannedRow, at: number): void {
    if (!row.isPresent(this.#place)) return;
    if (at >>> 5 >= this.#bits.length) {
      const larger = new Int32Array(Math.max((at >>> 5) + 1, this.#bits.length * 2));
      larger.set(this.#bits);
      this.#bits = larger;
    }
    setBit(this.#bits, at);
  }

  draft(drafts: SectionDrafts, name: string, rows: number): Int32Array {
    const bits = new Int32Array((rows + 31) >>> 5);
    bits.set(this.#bits.subarray(0, bits.length));
    const before = new Uint32Array(Math.ceil(rows / BLOCK_ROWS) + 1);
    for (let block = 0; block + 1 < before.length; block++) {
      before[block + 1] = before[block]! + countBits(bits, block * BLOCK_ROWS, Math.min(rows, (block + 1) * BLOCK_ROWS));
    }
    drafts.add(`${name}.bits`, bits);
    drafts.add(`${name}.before`, before);
    return bits;
  }
}
