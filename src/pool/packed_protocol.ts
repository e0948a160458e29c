import { inOrder, NONE, Packer, Unpacker } from '../lib/packer.ts';
import type { Filter, Interval } from '../model/filter.ts';
import type { Term } from '../model/query.ts';
import type { FacetCounts } from '../model/answer.ts';
import type { HeldText, TrayTaker } from './tray_protocol.ts';
import type { BatchReply, ScanReply, ScanRequest, Scans, TextAt } from './protocol.ts';

/**
 * How batches and their replies cross the threads: all numbers in one array, all texts in another. As objects of a dozen members each they
 * cost the two threads 6 us a scan, of a batch of sixteen; packed they cost 2. What is packed is valid until the thread packs again: whoever
 * keeps it copies the numbers.
 *
 *   batch, numbers   SCAN, for each of its filters: FILTER, intervals; for each of its terms: TERM  │ SCAN ...
 *          texts     segment, for each of its filters: name, values; for each of its terms: words; fields; facets; beside  │ segment ...
 *   reply, numbers   REPLY, table, beside  │ REPLY ...
 *          texts     the details of failures
 *
 * What is in capitals are numbers that are written and read by the names of their places, said once below.
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

/** Of what is a list, how many there are; NONE of `fields`, and of a reply's `beside`, where there is no list. */
const SCAN = inOrder(
  'slot', 'ticket', 'deadlineMs', 'filters', 'terms', 'order', 'after', 'rowsMax', 'bytesMax', 'copy', 'form', 'fields', 'count', 'facets', 'beside',
);
const FILTER = inOrder('kind', 'include', 'exclude', 'present', 'absent');
const TERM = inOrder('kind', 'words', 'negated');
/** `failure`: NONE where the scan did not fail; else the others are void. `tray`: NONE where the rows are no text. */
const REPLY = inOrder(
  'failure', 'rows', 'stop', 'after', 'tally', 'heldBy', 'matched', 'tookMs', 'bytes', 'facets', 'tray', 'start', 'end', 'table', 'beside',
);

const FORMS = ['rows', 'json', 'msgpack', 'csv'] as const;
const ORDERS = ['stored', 'identity'] as const;
const TERM_KINDS = ['word', 'prefix', 'phrase'] as const;
const FILTER_KINDS = ['terms', 'intervals', 'presence'] as const;
const STOPS = ['end', 'full', 'deadline', 'cancelled'] as const;
const TALLIES = ['done', 'unfinished', 'deadline', 'cancelled'] as const;
const FAILURES = ['segment_unknown', 'scan_crashed'] as const;

const NO_TEXTS: readonly string[] = [];
const NO_INTERVALS: readonly Interval[] = [];

export function packBatch({ epoch, scans, sliceMs }: Scans): PackedBatch {
  const out = new Packer();
  for (const scan of scans) packScan(out, scan);
  return { epoch, sliceMs, scans: scans.length, numbers: out.numbers(), texts: out.texts };
}

export function unpackBatch({ epoch, sliceMs, scans: count, numbers, texts }: PackedBatch): Scans {
  const input = new Unpacker(numbers, texts);
  const scans: ScanRequest[] = [];
  while (scans.length < count) scans.push(unpackScan(input));
  input.assertRead();
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
    const at = input.pass(REPLY.length);
    if (input.count(at + REPLY.failure) !== null) {
      replies.push({ ok: false, code: input.oneOf(at + REPLY.failure, FAILURES), detail: input.text() });
      continue;
    }
    replies.push({
      ok: true,
      rows: input.number(at + REPLY.rows),
      table: input.column(input.number(at + REPLY.table)),
      beside: unpackBeside(input, at),
      text: unpackText(input, at, taker),
      bytes: input.flag(at + REPLY.bytes) ? bytes[ofBytes++]! : null,
      stop: input.oneOf(at + REPLY.stop, STOPS),
      after: input.number(at + REPLY.after),
      tally: input.oneOf(at + REPLY.tally, TALLIES),
      heldBy: input.count(at + REPLY.heldBy),
      matched: input.count(at + REPLY.matched),
      facets: input.flag(at + REPLY.facets) ? facets[ofFacets++]! : null,
      tookMs: input.number(at + REPLY.tookMs),
    });
  }
  input.assertRead();
  return { thread, epoch, replies };
}

/** Behind the table. */
function unpackBeside(input: Unpacker, at: number): readonly number[] | null {
  const counts = input.count(at + REPLY.beside);
  return counts === null ? null : [...input.column(counts)];
}

function unpackText(input: Unpacker, at: number, taker: TrayTaker): HeldText | null {
  const tray = input.count(at + REPLY.tray);
  return tray === null ? null : taker.receive(tray, input.number(at + REPLY.start), input.number(at + REPLY.end));
}

function packOne(out: Packer, reply: ScanReply<TextAt>): void {
  const at = out.room(REPLY.length);
  if (!reply.ok) {
    out.oneOf(at + REPLY.failure, FAILURES, reply.code);
    out.text(reply.detail);
    return;
  }
  const { text, table } = reply;
  out.number(at + REPLY.failure, NONE);
  out.number(at + REPLY.rows, reply.rows);
  out.oneOf(at + REPLY.stop, STOPS, reply.stop);
  out.number(at + REPLY.after, reply.after);
  out.oneOf(at + REPLY.tally, TALLIES, reply.tally);
  out.number(at + REPLY.heldBy, reply.heldBy ?? NONE);
  out.number(at + REPLY.matched, reply.matched ?? NONE);
  out.number(at + REPLY.tookMs, reply.tookMs);
  out.flag(at + REPLY.bytes, reply.bytes !== null);
  out.flag(at + REPLY.facets, reply.facets !== null);
  out.number(at + REPLY.tray, text === null ? NONE : text.tray);
  if (text !== null) {
    out.number(at + REPLY.start, text.start);
    out.number(at + REPLY.end, text.end);
  }
  out.number(at + REPLY.table, table.length);
  out.number(at + REPLY.beside, reply.beside?.length ?? NONE);
  out.column(table);
  if (reply.beside !== null) out.column(Float64Array.from(reply.beside));
}

function packScan(out: Packer, scan: ScanRequest): void {
  const { filters, terms, fields, facets } = scan;
  const at = out.room(SCAN.length);
  out.number(at + SCAN.slot, scan.slot);
  out.number(at + SCAN.ticket, scan.ticket);
  out.number(at + SCAN.deadlineMs, scan.deadlineMs);
  out.number(at + SCAN.filters, filters.length);
  out.number(at + SCAN.terms, terms.length);
  out.oneOf(at + SCAN.order, ORDERS, scan.order);
  out.number(at + SCAN.after, scan.after);
  out.number(at + SCAN.rowsMax, scan.rowsMax);
  out.number(at + SCAN.bytesMax, scan.bytesMax);
  out.flag(at + SCAN.copy, scan.copy);
  out.oneOf(at + SCAN.form, FORMS, scan.form);
  out.number(at + SCAN.fields, fields?.length ?? NONE);
  out.flag(at + SCAN.count, scan.count);
  out.number(at + SCAN.facets, facets.length);
  out.number(at + SCAN.beside, scan.beside.length);
  out.text(scan.segment);
  for (const filter of filters) packFilter(out, filter);
  for (const term of terms) packTerm(out, term);
  out.list(fields ?? NO_TEXTS);
  out.list(facets);
  out.list(scan.beside);
}

function unpackScan(input: Unpacker): ScanRequest {
  const at = input.pass(SCAN.length);
  const segment = input.text();
  const filters: Filter[] = [];
  for (let left = input.number(at + SCAN.filters); left > 0; left -= 1) filters.push(unpackFilter(input));
  const terms: Term[] = [];
  for (let left = input.number(at + SCAN.terms); left > 0; left -= 1) terms.push(unpackTerm(input));
  const fields = input.count(at + SCAN.fields);
  return {
    segment,
    slot: input.number(at + SCAN.slot),
    ticket: input.number(at + SCAN.ticket),
    deadlineMs: input.number(at + SCAN.deadlineMs),
    filters,
    terms,
    order: input.oneOf(at + SCAN.order, ORDERS),
    after: input.number(at + SCAN.after),
    rowsMax: input.number(at + SCAN.rowsMax),
    bytesMax: input.number(at + SCAN.bytesMax),
    copy: input.flag(at + SCAN.copy),
    form: input.oneOf(at + SCAN.form, FORMS),
    fields: fields === null ? null : input.list(fields),
    count: input.flag(at + SCAN.count),
    facets: input.list(input.number(at + SCAN.facets)),
    beside: input.list(input.number(at + SCAN.beside)),
  };
}

function packFilter(out: Packer, filter: Filter): void {
  const at = out.room(FILTER.length);
  out.oneOf(at + FILTER.kind, FILTER_KINDS, filter.kind);
  out.text(filter.name);
  if (filter.kind === 'presence') {
    out.flag(at + FILTER.present, filter.present);
    out.flag(at + FILTER.absent, filter.absent);
    return;
  }
  out.number(at + FILTER.include, filter.include?.length ?? NONE);
  out.number(at + FILTER.exclude, filter.exclude.length);
  switch (filter.kind) {
    case 'terms': out.list(filter.include ?? NO_TEXTS); out.list(filter.exclude); break;
    case 'intervals': out.pairs(filter.include ?? NO_INTERVALS); out.pairs(filter.exclude); break;
    default: filter satisfies never;
  }
}

function unpackFilter(input: Unpacker): Filter {
  const at = input.pass(FILTER.length);
  const kind = input.oneOf(at + FILTER.kind, FILTER_KINDS);
  const name = input.text();
  if (kind === 'presence') return { kind, name, present: input.flag(at + FILTER.present), absent: input.flag(at + FILTER.absent) };
  const included = input.count(at + FILTER.include);
  const excluded = input.number(at + FILTER.exclude);
  switch (kind) {
    case 'terms': return { kind, name, include: included === null ? null : input.list(included), exclude: input.list(excluded) };
    case 'intervals': return { kind, name, include: included === null ? null : input.pairs(included), exclude: input.pairs(excluded) };
    default: return kind satisfies never;
  }
}

function packTerm(out: Packer, { kind, words, negated }: Term): void {
  const at = out.room(TERM.length);
  out.oneOf(at + TERM.kind, TERM_KINDS, kind);
  out.number(at + TERM.words, words.length);
  out.flag(at + TERM.negated, negated);
  out.list(words);
}

function unpackTerm(input: Unpacker): Term {
  const at = input.pass(TERM.length);
  return { kind: input.oneOf(at + TERM.kind, TERM_KINDS), words: input.list(input.number(at + TERM.words)), negated: input.flag(at + TERM.negated) };
}
