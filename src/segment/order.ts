import { hasBit, setBit } from '../lib/bits.ts';
import { compareText } from '../lib/text_order.ts';
import { comparable } from '../model/compare.ts';
import type { Dataset } from '../model/dataset.ts';
import { identityOf, type Identity } from '../model/identity.ts';
import type { CountryRange } from './meta.ts';
import type { RankedRow } from './segment.ts';

type Place = { readonly country: string | null; readonly identity: Identity; readonly id: string; readonly rank: number };

/** Holds the rows to their order and draws the country ranges. Throws on the first row out of place: the writer's caller is wrong then. */
export class OrderCheck {
  readonly #dataset: Dataset;
  readonly #ranges: [country: string | null, start: number, end: number][] = [];
  #ranks = new Int32Array(1_024);
  #rankMax = -1;
  #last: Place | null = null;
  #rows = 0;

  constructor(dataset: Dataset) {
    this.#dataset = dataset;
  }

  add({ row, rank }: RankedRow): void {
    const country = typeof row.country === 'string' ? row.country : null;
    if (typeof row.id !== 'string' || row.id === '') throw new Error(`row ${this.#rows} has no id`);
    if (country !== null && (country === '' || comparable('country', country) !== country)) throw new Error(`row ${row.id}: country is not a code`);
    const place = { country, identity: identityOf(this.#dataset, row), id: row.id, rank };
    const last = this.#last;
    if (last === null || last.country !== country) this.#openRange(country);
    else if (last.rank >= rank || comparePlaces(last, place) >= 0) throw new Error(`row ${row.id} is out of order`);
    this.#takeRank(rank);
    this.#last = place;
    this.#ranges.at(-1)![2] = ++this.#rows;
  }

  /** The ranges, once every rank from 0 on has come. */
  finish(): readonly CountryRange[] {
    if (this.#rankMax !== this.#rows - 1) throw new Error('the ranks of the rows leave gaps');
    return this.#ranges;
  }

  #openRange(country: string | null): void {
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

function comparePlaces(a: Place, b: Place): number {
  return a.identity.class - b.identity.class || compareText(a.identity.key, b.identity.key) || compareText(a.id, b.id);
}
