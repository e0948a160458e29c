import type { Filter, Interval } from '../model/filter.ts';
import type { Term } from '../model/query.ts';
import type { FacetCounts } from '../model/answer.ts';
import type { HeldText, TrayTaker } from './tray_protocol.ts';
import type { BatchReply, ScanReply, ScanRequest, Scans, TextAt } from './protocol.ts';

/**
 * How batches and their replies cross the threads: all numbers in one array, all texts in another, each in the order of the members
 * below. As objects of a dozen members each they cost the two threads 6 us a scan, of a batch of sixteen; packed they cost 2. What is packed
 * is valid until the thread packs again: whoever keeps it copies the numbers.
 */
export type PackedBatch = {
  readonly epoch: number;
  readonly sliceMs: number;
  readonly scans: number;
  readonly numbers: Float64Array;
  readonly texts: readonly string[];
};

export type PackedReply = {
  readonly thread: number;
  readonly epoch: number;
  readonly replies: number;
  readonly numbers: Float64Array;
  readonly texts: readonly string[];
  /** Of those replies that have some, in their order. */
  readonly bytes: readonly Uint8Array[];
  readonly facets: readonly (readonly FacetCounts[])[];
};

const ORDERS = ['stored', 'identity'] as const;
const TERM_KINDS = ['word', 'prefix', 'phrase'] as const;
const FILTER_KINDS = ['terms', 'intervals', 'presence'] as const;
const STOPS = ['end', 'full', 'deadline', 'cancelled'] as const;
const TALLIES = ['done', 'unfinished', 'deadline', 'cancelled'] as const;
const FAILURES = ['segment_unknown', 'scan_crashed'] as const;
/** Stands for null where a count is meant. */
const NONE = -1;

export function packBatch({ epoch, scans, sliceMs }: Scans): PackedBatch {
  const out = new Packer();
  for (const scan of scans) packScan(out, scan);
  return { epoch, sliceMs, scans: scans.length, numbers: out.numbers(), texts: out.texts };
}

export function unpackBatch({ epoch, sliceMs, scans: count, numbers, texts }: PackedBatch): Scans {
  const input = new Unpacker(numbers, texts);
  const scans: ScanRequest[] = [];
  while (scans.length < count) scans.push(unpackScan(input));
  return { epoch, scans, sliceMs };
}

export function packReply({ thread, epoch, replies }: BatchReply<TextAt>): PackedReply {
  const out = new Packer();
  const bytes: Uint8Array[] = [];
  const facets: (readonly FacetCounts[])[] = [];
  for (const reply of replies) {
    packOne(out, reply);
    if (reply.ok && reply.bytes !== null) bytes.push(reply.bytes);
    if (reply.ok && reply.facets !== null) facets.push(reply.facets);
  }
  return { thread, epoch, replies: replies.length, numbers: out.numbers(), texts: out.texts, bytes, facets };
}

/** `taker`: gets every tray. */
export function unpackReply({ thread, epoch, replies: count, numbers, texts, bytes, facets }: PackedReply, taker: TrayTaker): BatchReply {
  const input = new Unpacker(numbers, texts);
  const replies: ScanReply[] = [];
  let ofBytes = 0;
  let ofFacets = 0;
  while (replies.length < count) {
    if (!input.flag()) {
      replies.push({ ok: false, code: input.oneOf(FAILURES), detail: input.text() });
      continue;
    }
    const rows = input.number();
    const stop = input.oneOf(STOPS);
    const after = input.number();
    const tally = input.oneOf(TALLIES);
    const heldBy = input.count();
    const matched = input.count();
    const tookMs = input.number();
    const hasBytes = input.flag();
    const hasFacets = input.flag();
    const text = input.flag() ? unpackText(input, taker) : null;
    const table = input.column(input.number());
    replies.push({
      ok: true, rows, table, text, bytes: hasBytes ? bytes[ofBytes++]! : null, stop, after, tally, heldBy, matched, facets: hasFacets ? facets[ofFacets++]! : null, tookMs,
    });
  }
  return { thread, epoch, replies };
}

function unpackText(input: Unpacker, taker: TrayTaker): HeldText {
  const tray = input.number();
  const start = input.number();
  return taker.receive(tray, start, input.number());
}

function packOne(out: Packer, reply: ScanReply<TextAt>): void {
  out.flag(reply.ok);
  if (!reply.ok) {
    out.oneOf(FAILURES, reply.code);
    out.text(reply.detail);
    return;
  }
  out.number(reply.rows);
  out.oneOf(STOPS, reply.stop);
  out.number(reply.after);
  out.oneOf(TALLIES, reply.tally);
  out.number(reply.heldBy ?? NONE);
  out.number(reply.matched ?? NONE);
  out.number(reply.tookMs);
  out.flag(reply.bytes !== null);
  out.flag(reply.facets !== null);
  out.flag(reply.text !== null);
  if (reply.text !== null) packText(out, reply.text);
  out.number(reply.table.length);
  out.column(reply.table);
}

function packText(out: Packer, { tray, start, end }: TextAt): void {
  out.number(tray);
  out.number(start);
  out.number(end);
}

function packScan(out: Packer, scan: ScanRequest): void {
  out.text(scan.segment);
  out.number(scan.slot);
  out.number(scan.ticket);
  out.number(scan.deadlineMs);
  out.number(scan.filters.length);
  for (const filter of scan.filters) packFilter(out, filter);
  out.number(scan.terms.length);
  for (const term of scan.terms) packTerm(out, term);
  out.oneOf(ORDERS, scan.order);
  out.number(scan.after);
  out.number(scan.rowsMax);
  out.number(scan.bytesMax);
  out.flag(scan.copy);
  out.flag(scan.text);
  out.flag(scan.identities);
  out.flag(scan.count);
  out.list(scan.facets);
}

function unpackScan(input: Unpacker): ScanRequest {
  const segment = input.text();
  const slot = input.number();
  const ticket = input.number();
  const deadlineMs = input.number();
  const filters: Filter[] = [];
  for (let left = input.number(); left > 0; left -= 1) filters.push(unpackFilter(input));
  const terms: Term[] = [];
  for (let left = input.number(); left > 0; left -= 1) terms.push(unpackTerm(input));
  const order = input.oneOf(ORDERS);
  const after = input.number();
  const rowsMax = input.number();
  const bytesMax = input.number();
  const copy = input.flag();
  const text = input.flag();
  const identities = input.flag();
  const count = input.flag();
  return { segment, slot, ticket, deadlineMs, filters, terms, order, after, rowsMax, bytesMax, copy, text, identities, count, facets: input.list()! };
}

function packFilter(out: Packer, filter: Filter): void {
  out.oneOf(FILTER_KINDS, filter.kind);
  out.text(filter.name);
  switch (filter.kind) {
    case 'terms': out.list(filter.include); out.list(filter.exclude); break;
    case 'intervals': out.intervals(filter.include); out.intervals(filter.exclude); break;
    case 'presence': out.flag(filter.present); out.flag(filter.absent); break;
    default: filter satisfies never;
  }
}

function unpackFilter(input: Unpacker): Filter {
  const kind = input.oneOf(FILTER_KINDS);
  const name = input.text();
  switch (kind) {
    case 'terms': return { kind, name, include: input.list(), exclude: input.list()! };
    case 'intervals': return { kind, name, include: input.intervals(), exclude: input.intervals()! };
    case 'presence': return { kind, name, present: input.flag(), absent: input.flag() };
    default: return kind satisfies never;
  }
}

function packTerm(out: Packer, { kind, words, negated }: Term): void {
  out.oneOf(TERM_KINDS, kind);
  out.list(words);
  out.flag(negated);
}

function unpackTerm(input: Unpacker): Term {
  return { kind: input.oneOf(TERM_KINDS), words: input.list()!, negated: input.flag() };
}

const FIRST_NUMBERS = 1_024;
const NO_NUMBERS = new Float64Array();

/** The numbers are gathered in memory that all packers of the thread share: one at a time. */
class Packer {
  static #shared = new Float64Array(FIRST_NUMBERS);
  readonly texts: string[] = [];
  #length = 0;

  number(value: number): void {
    if (this.#length === Packer.#shared.length) this.#grow(1);
    Packer.#shared[this.#length++] = value;
  }

  column(values: Float64Array): void {
    if (this.#length + values.length > Packer.#shared.length) this.#grow(values.length);
    Packer.#shared.set(values, this.#length);
    this.#length += values.length;
  }

  flag(value: boolean): void { this.number(value ? 1 : 0); }
  text(value: string): void { this.texts.push(value); }
  oneOf<T extends string>(values: readonly T[], value: T): void { this.number(values.indexOf(value)); }

  list(values: readonly string[] | null): void {
    this.number(values?.length ?? NONE);
    if (values !== null) for (const value of values) this.texts.push(value);
  }

  intervals(values: readonly Interval[] | null): void {
    this.number(values?.length ?? NONE);
    if (values === null) return;
    for (const [min, max] of values) {
      this.number(min);
      this.number(max);
    }
  }

  numbers(): Float64Array { return Packer.#shared.subarray(0, this.#length); }

  #grow(more: number): void {
    const larger = new Float64Array(2 * (this.#length + more));
    larger.set(Packer.#shared);
    Packer.#shared = larger;
  }
}

class Unpacker {
  readonly #numbers: Float64Array;
  readonly #texts: readonly string[];
  #number = 0;
  #text = 0;

  constructor(numbers: Float64Array, texts: readonly string[]) {
    this.#numbers = numbers;
    this.#texts = texts;
  }

  number(): number { return this.#numbers[this.#number++]!; }
  flag(): boolean { return this.number() === 1; }
  text(): string { return this.#texts[this.#text++]!; }
  oneOf<T extends string>(values: readonly T[]): T { return values[this.number()]!; }

  count(): number | null {
    const value = this.number();
    return value === NONE ? null : value;
  }

  column(length: number): Float64Array {
    if (length === 0) return NO_NUMBERS;
    this.#number += length;
    return this.#numbers.subarray(this.#number - length, this.#number);
  }

  list(): string[] | null {
    const length = this.number();
    if (length === NONE) return null;
    const values: string[] = [];
    while (values.length < length) values.push(this.text());
    return values;
  }

  intervals(): Interval[] | null {
    const length = this.number();
    if (length === NONE) return null;
    const values: Interval[] = [];
    while (values.length < length) values.push([this.number(), this.number()]);
    return values;
  }
}
