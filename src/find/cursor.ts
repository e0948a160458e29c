import { timingSafeEqual } from 'node:crypto';
import { LIMITS } from '../config/limits.ts';
import { putLetters } from '../lib/letters.ts';
import type { MacKey } from '../lib/mac.ts';
import { AppError } from '../model/errors.ts';
import type { Filter } from '../model/filter.ts';
import type { Query } from '../model/query.ts';
import type { LanePosition, Position } from '../plan/plan.ts';
import { CursorWriter } from './cursor_writer.ts';
import { FIND_EXAMPLE } from './request/example.ts';

/**
 * A cursor is base64url of
 *
 *   mac (16 bytes) | version (1) | order (1) | groups:  source, snapshot, count, count x (segment, 2 * (after + 1) + done)
 *                                              or, where the mark is a text:  source, snapshot, 0, after, done
 *
 * with texts as length and UTF-8, and all numbers as varints. The mac is over the fingerprint of the search and the rest: a cursor
 * that was edited and one of another search look the same. Cost: about 3 us each way for a few lanes.
 */
const VERSION = 1;
const MAC_BYTES = 16;
const BLANK = 0x20;
const COMMA = 0x2c;
const DASH = 0x2d;
const COLON = 0x3a;
const TOO_LONG = 'The place in this search does not fit a cursor: it asks too many sources, or lakes of too many parts. Name fewer in sources.only.';

/** `invalid_field` where the place does not fit. */
export function sealCursor(secret: MacKey, search: Search, position: Position): string {
  const out = new CursorWriter();
  writeSearch(out, search);
  const bodyAt = out.end;
  writePosition(out, position);
  const { bytes, end } = out;
  const mac = secret.of(bytes, end);
  // Over the end of the fingerprint, which has done its work.
  const start = bodyAt - MAC_BYTES;
  putLetters(bytes, start, mac, MAC_BYTES);
  const text = bytes.toString('base64url', start, end);
  if (text.length > LIMITS.cursorCharactersMax) throw new AppError('invalid_field', TOO_LONG, { example: FIND_EXAMPLE });
  return text;
}

/** The place that was sealed for this very search; `invalid_cursor` for any other text. */
export function openCursor(secret: MacKey, text: string, search: Search): Position {
  const sealed = text.length <= LIMITS.cursorCharactersMax ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  const body = sealed.subarray(MAC_BYTES);
  const genuine = sealed.length > MAC_BYTES
    && sealed.toString('base64url') === text
    && timingSafeEqual(sealed.subarray(0, MAC_BYTES), macOf(secret, search, body));
  if (!genuine || body[0] !== VERSION) {
    const detail = 'The cursor is damaged, or of another search: send next_cursor as it stands, with the type, query, filters, sources, dedupe and strict it came with.';
    throw new AppError('invalid_cursor', detail, { example: FIND_EXAMPLE });
  }
  return readPosition(body);
}

function macOf(secret: MacKey, search: Search, body: Uint8Array): Buffer {
  const out = new CursorWriter();
  writeSearch(out, search);
  out.raw(body);
  return Buffer.from(secret.of(out.bytes, out.end).slice(0, MAC_BYTES), 'latin1');
}

/** What makes two searches walk the same rows in the same order. Limit, fields, timeout, count, facets and client_ref may change on the way. */
export type Search = Pick<Query, 'type' | 'terms' | 'filters' | 'only' | 'ignore' | 'dedupe' | 'strict'>;

/**
 * The fingerprint, with a NUL behind it. Every text has its length before it, so that no two searches read alike; it is bytes at once, for as a
 * text it is a tree of its parts, which costs a microsecond more.
 */
function writeSearch(out: CursorWriter, { type, terms, filters, only, ignore, dedupe, strict }: Search): void {
  out.bare(type);
  out.bare(dedupe ? ' true' : ' false');
  out.bare(strict ? ' true ' : ' false ');
  writeList(out, only);
  out.byte(BLANK);
  writeList(out, ignore);
  out.byte(BLANK);
  out.decimal(filters.length);
  // They stand in the order of the vocabulary.
  for (const filter of filters) writeFilter(out, filter);
  if (terms.length > 0) {
    out.byte(BLANK);
    writeList(out, terms.map(({ kind, words, negated }) => `${kind} ${negated} ${words.join(' ')}`));
  }
  out.byte(0);
}

function writeFilter(out: CursorWriter, filter: Filter): void {
  out.byte(BLANK);
  writeMeasured(out, filter.name);
  out.byte(BLANK);
  switch (filter.kind) {
    case 'terms': writeLists(out, filter.include, filter.exclude); break;
    case 'intervals': writeLists(out, filter.include?.map(String) ?? null, filter.exclude.map(String)); break;
    case 'presence': out.bare(`${filter.present} ${filter.absent}`); break;
    default: filter satisfies never;
  }
}

function writeLists(out: CursorWriter, include: readonly string[] | null, exclude: readonly string[]): void {
  writeList(out, include);
  out.byte(BLANK);
  writeList(out, exclude);
}

/** In whatever order they were given. */
function writeList(out: CursorWriter, texts: readonly string[] | null): void {
  if (texts === null) {
    out.byte(DASH);
    return;
  }
  out.decimal(texts.length);
  for (const each of inOrder(texts) ? texts : texts.toSorted()) {
    out.byte(COMMA);
    writeMeasured(out, each);
  }
}

function inOrder(texts: readonly string[]): boolean {
  for (let at = 1; at < texts.length; at += 1) if (texts[at - 1]! > texts[at]!) return false;
  return true;
}

function writeMeasured(out: CursorWriter, text: string): void {
  out.decimal(text.length);
  out.byte(COLON);
  out.bare(text);
}

function writePosition(out: CursorWriter, position: Position): void {
  out.varint(VERSION);
  out.varint(position.order === 'stored' ? 0 : 1);
  for (const group of groups(position.lanes)) {
    const { source, snapshot, after, done } = group[0]!;
    out.text(source);
    out.text(snapshot);
    if (typeof after === 'string') writeTextMark(out, after, done);
    else writeMarks(out, group);
  }
}

function writeTextMark(out: CursorWriter, after: string, done: boolean): void {
  out.varint(0);
  out.text(after);
  out.varint(done ? 1 : 0);
}

function writeMarks(out: CursorWriter, group: readonly LanePosition[]): void {
  out.varint(group.length);
  for (const { segment, after, done } of group) {
    out.text(segment);
    out.varint(2 * (Number(after) + 1) + (done ? 1 : 0));
  }
}

/** Runs of lanes of one snapshot: it is written once for all of them. A text mark stands alone: its source has one lane. */
function groups(lanes: readonly LanePosition[]): LanePosition[][] {
  const found: LanePosition[][] = [];
  for (const lane of lanes) {
    const last = found.at(-1);
    const joins = last !== undefined && last[0]!.source === lane.source && last[0]!.snapshot === lane.snapshot;
    if (joins && typeof lane.after === 'number' && typeof last[0]!.after === 'number') last.push(lane);
    else found.push([lane]);
  }
  return found;
}

function readPosition(body: Buffer): Position {
  const input = { body, at: 2 };
  const lanes: LanePosition[] = [];
  while (input.at < body.length) {
    const source = readText(input);
    const snapshot = readText(input);
    const count = readVarint(input);
    if (count === 0) lanes.push({ source, snapshot, segment: '', after: readText(input), done: readVarint(input) === 1 });
    for (let left = count; left > 0; left--) {
      const segment = readText(input);
      const mark = readVarint(input);
      lanes.push({ source, snapshot, segment, after: Math.floor(mark / 2) - 1, done: mark % 2 === 1 });
    }
  }
  return { order: body[1] === 0 ? 'stored' : 'identity', lanes };
}

type Input = { readonly body: Buffer; at: number };

function readText(input: Input): string {
  const length = readVarint(input);
  input.at += length;
  return input.body.toString('utf8', input.at - length, input.at);
}

function readVarint(input: Input): number {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = input.body[input.at++]!;
    value += (byte % 128) * scale;
    if (byte < 128) return value;
  }
}
