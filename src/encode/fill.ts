import { LIMITS } from '../config/limits.ts';
import { rowBytes, type Chunk, type RowAt } from '../model/chunk.ts';
import type { ByteSink } from './byte_sink.ts';
import { isOfBrokenRow, type RowLayout } from './row_layout.ts';

const LETTER_N = 0x6e;

/** Of the donors that were read. */
type Lent = {
  /** The first donors of some field, in their order. */
  readonly kept: RowAt[];
  keptBytes: number;
  /** By place: the row that lends the field, and where in it the value stands. */
  readonly lenders: (Uint8Array | undefined)[];
  readonly spans: Float64Array;
  lacking: number;
};

/**
 * What the rows of one identity in other sources lend to those that stand: of each field the first value that is not null. All rows
 * of the group share one, so a donor is read at most once, and only while a wanted field has no lender. Donors are not held: a few
 * wait unread, of the others stays a copy of those that lend something, at most one a field. Most are never read here: where all is
 * put together at once, see `merge_table`, they only wait.
 */
export class Fill {
  readonly #layout: RowLayout;
  readonly #wanted: readonly number[];
  readonly #waiting: RowAt[];
  #lent: Lent | null = null;

  /** `wanted`: the places of the fields that may be asked for. `donors`: the first few, in the order in which they lend; the list is given away. */
  constructor(layout: RowLayout, wanted: readonly number[], donors: RowAt[] = []) {
    this.#layout = layout;
    this.#wanted = wanted;
    this.#waiting = donors;
  }

  /** Whether another donor could still lend something. */
  get open(): boolean { return (this.#lent?.lacking ?? this.#wanted.length) > 0; }

  /** Donors are offered in the order in which they lend. */
  offer(donor: RowAt): void {
    this.#waiting.push(donor);
    if (this.#waiting.length < LIMITS.donorsWaitingMax) return;
    for (const waiting of this.#waiting.splice(0)) if (this.open) this.#read(waiting);
  }

  /** All that lend, or may. */
  donors(): readonly RowAt[] {
    return this.#lent === null ? this.#waiting : [...this.#lent.kept, ...this.#waiting];
  }

  /** Bytes of all these: a row is lent no more. */
  get heldBytes(): number {
    let bytes = this.#lent?.keptBytes ?? 0;
    for (const waiting of this.#waiting) bytes += rowBytes(waiting);
    return bytes;
  }

  /** The same for other donors. */
  of(donors: readonly RowAt[]): Fill {
    const fill = new Fill(this.#layout, this.#wanted);
    for (const donor of donors) fill.offer(donor);
    return fill;
  }

  lends(place: number): boolean {
    while (this.#lent?.lenders[place] === undefined && this.#waiting.length > 0) this.#read(this.#waiting.shift()!);
    return this.#lent?.lenders[place] !== undefined;
  }

  /** Appends the value that is lent. */
  append(sink: ByteSink, place: number): void {
    const { lenders, spans } = this.#lent!;
    sink.bytes(lenders[place]!, spans[2 * place], spans[2 * place + 1]);
  }

  /** One that has rotted where it is stored lends nothing. */
  #read({ chunk: { bytes, start, end }, row }: RowAt): void {
    const from = start[row]!;
    const found = this.#layout.donorScratch;
    const lent = this.#lent ??= { kept: [], keptBytes: 0, lenders: [], spans: this.#layout.spans(), lacking: this.#wanted.length };
    try {
      this.#layout.locate(bytes, from, end[row]!, found);
    } catch (error) {
      if (!isOfBrokenRow(error)) throw error;
      return;
    }
    let kept: Uint8Array | null = null;
    for (const place of this.#wanted) {
      const value = found[2 * place]!;
      if (lent.lenders[place] !== undefined || value === -1 || bytes[value] === LETTER_N) continue;
      lent.lenders[place] = kept ??= keep(lent, new Uint8Array(bytes.subarray(from, end[row])));
      lent.spans[2 * place] = value - from;
      lent.spans[2 * place + 1] = found[2 * place + 1]! - from;
      lent.lacking -= 1;
    }
  }
}

function keep(lent: Lent, bytes: Uint8Array): Uint8Array {
  const chunk: Chunk = { bytes, rows: 1, start: [0], end: [bytes.length], markAt: () => -1, identity: null };
  lent.kept.push({ chunk, row: 0 });
  lent.keptBytes += bytes.length;
  return bytes;
}
