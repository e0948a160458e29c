import { TABLE_COLUMNS, type RowsMessage } from '../../pool/foreign_protocol.ts';
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
    const rows = kept.length;
    this.#kept = [];
    this.#bytes = 0;
    const size = kept.reduce((sum, { row }) => sum + Buffer.byteLength(row.json) + 1 + Buffer.byteLength(row.key), 0);
    // A buffer of its own, not of the pool: it is transferred.
    const bytes = Buffer.allocUnsafeSlow(size);
    const table = new Float64Array(rows * TABLE_COLUMNS);
    let at = 0;
    kept.forEach(({ row: { json } }, nth) => {
      table[nth] = at;
      at += typeof json === 'string' ? bytes.write(json, at) : json.copy(bytes, at);
      table[rows + nth] = at;
      bytes[at++] = NEWLINE;
    });
    kept.forEach(({ row, seen }, nth) => {
      table[2 * rows + nth] = row.phase;
      table[3 * rows + nth] = seen;
      table[4 * rows + nth] = at;
      at += bytes.write(row.key, at);
      table[5 * rows + nth] = at;
      table[6 * rows + nth] = row.keyClass;
    });
    return { kind: 'rows', rows, table, bytes, last };
  }
}

const NEWLINE = 0x0a;
