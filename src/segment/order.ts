import { hasBit, setBit } from '../lib/bits.ts';
import { compareText } from '../lib/text_order.ts';
import { comparable } from '../model/compare.ts';
import type { CountryRange } from './meta.ts';
import type { ScannedIdentity } from './scanned_identity.ts';
import { unquoted, type ScannedRow } from './scanned_row.ts';

/** Holds the rows to their order and draws the country ranges. Throws on the first row out of place: the writer's caller is wrong then. */
export class OrderCheck {
  readonly #ranges: [country: string | null, start: number, end: number][] = [];
  readonly #country: number;
  readonly #id: number;
  #ranks = new Int32Array(1_024);
  #rankMax = -1;
  #rows = 0;
  /** Of the row before: its bytes are gone by now. */
  #lastCountryForm = -1;
  readonly #lastCountry = new KeptBytes();
  #lastRank = -1;
  #lastClass = -1;
  readonly #lastKey = new KeptBytes();
  readonly #lastId = new KeptBytes();

  constructor(row: ScannedRow) {
    this.#country = row.place('country');
    this.#id = row.place('id');
  }

  add(row: ScannedRow, identity: ScannedIdentity, rank: number): void {
    if (!row.isText(this.#id) || row.from[this.#id] === row.to[this.#id]) throw new Error(`row ${this.#rows} has no id`);
    if (!this.#isOfLastCountry(row)) this.#openRange(row.textOf(this.#country), row);
    else if (this.#lastRank >= rank || this.#isBelowLast(row, identity)) throw new Error(`row ${row.textOf(this.#id)!} is out of order`);
    this.#takeRank(rank);
    this.#lastRank = rank;
    this.#lastClass = identity.class;
    this.#lastKey.keep(identity.bytes, identity.from, identity.to);
    this.#lastId.keep(row.bytes, row.from[this.#id]!, row.to[this.#id]!);
    this.#ranges.at(-1)![2] = ++this.#rows;
  }

  /** Told by the bytes, of which the same country has the same in every row. */
  #isOfLastCountry(row: ScannedRow): boolean {
    const country = this.#country;
    if (this.#rows > 0 && row.forms[country] === this.#lastCountryForm && this.#lastCountry.compare(row.bytes, row.from[country]!, row.to[country]!) === 0) return true;
    this.#lastCountryForm = row.forms[country]!;
    this.#lastCountry.keep(row.bytes, row.from[country]!, row.to[country]!);
    return false;
  }

  /** Whether the row does not come after the one before it, by class, key and id. */
  #isBelowLast(row: ScannedRow, identity: ScannedIdentity): boolean {
    if (this.#lastClass !== identity.class) return this.#lastClass > identity.class;
    const keys = this.#lastKey.compare(identity.bytes, identity.from, identity.to);
    return keys > 0 || (keys === 0 && compareText(this.#lastId.unquoted(), row.textOf(this.#id)!) >= 0);
  }

  /** The ranges, once every rank from 0 on has come. */
  finish(): readonly CountryRange[] {
    if (this.#rankMax !== this.#rows - 1) throw new Error('the ranks of the rows leave gaps');
    return this.#ranges;
  }

  #openRange(country: string | null, row: ScannedRow): void {
    if (country !== null && (country === '' || comparable('country', country) !== country)) throw new Error(`row ${row.textOf(this.#id)!}: country is not a code`);
    const before = this.#ranges.at(-1)?.[0];
    const descends = before === null || (before !== undefined && country !== null && compareText(before, country) >= 0);
    if (descends) throw new Error(`country ${country ?? 'null'} is out of order`);
    this.#ranges.push([country, this.#rows, this.#rows]);
  }

  #takeRank(rank: number): void {
    if (!Number.isInteger(rank) || rank < 0 || rank >= 2 ** 31) throw new Error(`rank ${rank} is none`);
    if (rank >>> 5 >= this.#ranks.length) {
      const larger = new Int32Array(Math.max((rank >>> 5) + 1, this.#ranks.length * 2));
      larger.set(this.#ranks);
      this.#ranks = larger;
    }
    if (hasBit(this.#ranks, rank)) throw new Error(`rank ${rank} comes twice`);
    setBit(this.#ranks, rank);
    this.#rankMax = Math.max(this.#rankMax, rank);
  }
}

/** A copy of some bytes, in memory that is used again. */
class KeptBytes {
  #bytes = Buffer.alloc(64);
  #length = 0;

  keep(bytes: Uint8Array, from: number, to: number): void {
    this.#length = to - from;
    if (this.#length > this.#bytes.length) this.#bytes = Buffer.alloc(this.#length * 2);
    for (let at = 0; at < this.#length; at++) this.#bytes[at] = bytes[from + at]!;
  }

  compare(bytes: Uint8Array, from: number, to: number): number {
    const shorter = Math.min(this.#length, to - from);
    for (let at = 0; at < shorter; at++) if (this.#bytes[at] !== bytes[from + at]) return this.#bytes[at]! - bytes[from + at]!;
    return this.#length - (to - from);
  }

  unquoted(): string {
    return unquoted(this.#bytes, 0, this.#length);
  }
}
