import { OWN_IDENTITY } from '../model/chunk.ts';
import type { Dataset } from '../model/dataset.ts';
import { IDENTITY_FIELDS } from '../model/identity.ts';
import { ESCAPED, type ScannedRow } from './scanned_row.ts';

/** `identityOf` of a row where it stands: the bytes of its key. One instance serves row after row. */
export class ScannedIdentity {
  class = OWN_IDENTITY;
  /** The key is [from, to) of these. */
  bytes: Buffer = Buffer.alloc(0);
  from = 0;
  to = 0;
  /** From the start of the row's text to the key, where it stands there as it is compared; else -1. */
  offset = -1;
  readonly #fields: readonly number[];
  readonly #id: number;

  constructor(dataset: Dataset, row: ScannedRow) {
    this.#fields = IDENTITY_FIELDS[dataset].map((field) => row.place(field));
    this.#id = row.place('id');
  }

  read(row: ScannedRow): void {
    for (let at = 0; at < this.#fields.length; at++) if (this.#readField(row, at)) return;
    this.class = OWN_IDENTITY;
    if (row.forms[this.#id] === ESCAPED) this.#take(row.textOf(this.#id)!, -1);
    else this.#stand(row, this.#id);
  }

  /** Whether the field holds a key. */
  #readField(row: ScannedRow, at: number): boolean {
    const place = this.#fields[at]!;
    if (!row.isText(place)) return false;
    this.class = at;
    if (row.isTrim(place) && isLower(row.bytes, row.from[place]!, row.to[place]!)) {
      this.#stand(row, place);
      return true;
    }
    const text = row.textOf(place)!;
    const key = text.trim().toLowerCase();
    this.#take(key, key === text && row.forms[place] !== ESCAPED ? row.textAt[place]! : -1);
    return key !== '';
  }

  #stand(row: ScannedRow, place: number): void {
    this.bytes = row.bytes;
    this.from = row.from[place]!;
    this.to = row.to[place]!;
    this.offset = row.textAt[place]!;
  }

  #take(key: string, offset: number): void {
    this.bytes = Buffer.from(key);
    this.from = 0;
    this.to = this.bytes.length;
    this.offset = offset;
  }
}

function isLower(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (bytes[at]! >= 0x41 && bytes[at]! <= 0x5a) return false;
  return true;
}
