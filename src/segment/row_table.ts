import { ROW_BLOCK } from './layout.ts';
import type { Sections } from './sections.ts';

const BLOCK_SHIFT = Math.log2(ROW_BLOCK);

/** Where each row begins in the row bytes, and its last byte. */
export class RowTable {
  readonly rows: number;
  readonly #bases: Float64Array;
  readonly #starts: Uint32Array;

  constructor(sections: Sections) {
    this.#bases = sections.f64('rows.base');
    this.#starts = sections.u32('rows.start');
    this.rows = this.#starts.length;
  }

  /** Offset of the row's first byte; of the end of all rows for the row after the last. */
  start(row: number): number {
    return row === this.rows ? this.#bases[this.#bases.length - 1]! : this.#bases[row >>> BLOCK_SHIFT]! + this.#starts[row]!;
  }

  /** Offset of the row's last byte: of a row that is its text, the newline. */
  end(row: number): number {
    return this.start(row + 1) - 1;
  }

  get blocks(): number {
    return this.#bases.length - 1;
  }

  blockStart(block: number): number {
    return this.#bases[block]!;
  }
}
