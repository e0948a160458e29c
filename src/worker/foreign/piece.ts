import { TABLE_WIDTH, type RowsMessage } from '../../pool/foreign_protocol.ts';
import type { FoundRow } from '../../sources/source.ts';

type Kept = { readonly row: FoundRow; readonly seen: number };

/** Rows gathered for one message. */
export class Piece {
  #kept: Kept[] = [];
  #bytes = 0;

  get rows(): number { return this.#kept.length; }
  /** Bytes so far, a few short where texts are beyond ASCII. */
  get bytes(): number { return this.#bytes; }

  add(row: FoundRow, seen: number): void {
    this.#kept.push({ row, seen });
    this.#bytes += row.json.length + row.key.length + 1;
  }

  /** The message, and an empty piece again. */
  take(last: boolean): RowsMessage {
    const kept = this.#kept;
    this.#kept = [];
    this.#bytes = 0;
    const size = kept.reduce((sum, { row }) => sum + Buffer.byteLength(row.json) + 1 + Buffer.byteLength(row.key), 0);
    // A buffer of its own, not of the pool: it is transferred.
    const bytes = Buffer.allocUnsafeSlow(size);
    const table = new Float64Array(kept.length * TABLE_WIDTH);
    let at = 0;
    kept.forEach(({ row }, index) => {
      table[index * TABLE_WIDTH] = at;
      at += bytes.write(row.json, at);
      table[index * TABLE_WIDTH + 1] = at;
      bytes[at++] = NEWLINE;
    });
    kept.forEach(({ row, seen }, index) => {
      const start = at;
      at += bytes.write(row.key, at);
      table.set([row.phase, seen, start, at, row.keyClass], index * TABLE_WIDTH + 2);
    });
    return { kind: 'rows', rows: kept.length, table, bytes, last };
  }
}

const NEWLINE = 0x0a;
