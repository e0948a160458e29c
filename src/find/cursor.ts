import { timingSafeEqual } from 'node:crypto';
import { LIMITS } from '../config/limits.ts';
import type { MacKey } from '../lib/mac.ts';
import { AppError } from '../model/errors.ts';
import type { Mark } from '../model/chunk.ts';
import type { Filter } from '../model/filter.ts';
import type { Query } from '../model/query.ts';
import { CursorWriter } from './cursor_writer.ts';
import { FIND_EXAMPLE } from './request/example.ts';

/** Where a walk over the sources stands: for each sealed part of a source the mark of the last row delivered. */
export type CursorState = {
  readonly order: 'stored' | 'identity';
  readonly lanes: readonly CursorLane[];
};
export type CursorLane = { readonly source: string; readonly snapshot: string; readonly segment: string; readonly after: Mark; readonly done: boolean };

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
const TOO_LONG = 'The place in this search does not fit a cursor: it asks too many sources, or lakes of too many parts. Name fewer in sources.only.';

/** `invalid_field` where the place does not fit. */
export function sealCursor(secret: MacKey, fingerprint: string, state: CursorState): string {
  const out = new CursorWriter(MAC_BYTES);
  writeState(out, state);
  const sealed = out.view();
  macOf(secret, fingerprint, sealed.subarray(MAC_BYTES)).copy(sealed, 0, 0, MAC_BYTES);
  const text = sealed.toString('base64url');
  if (text.length > LIMITS.cursorCharactersMax) throw new AppError('invalid_field', TOO_LONG, { example: FIND_EXAMPLE });
  return text;
}

/** The state that was sealed for this very search; `invalid_cursor` for any other text. */
export function openCursor(secret: MacKey, text: string, fingerprint: string): CursorState {
  const sealed = text.length <= LIMITS.cursorCharactersMax ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  const body = sealed.subarray(MAC_BYTES);
  const genuine = sealed.length > MAC_BYTES
    && sealed.toString('base64url') === text
    && timingSafeEqual(sealed.subarray(0, MAC_BYTES), macOf(secret, fingerprint, body).subarray(0, MAC_BYTES));
  if (!genuine || body[0] !== VERSION) {
    const detail = 'The cursor is damaged, or of another search: send next_cursor as it stands, with the type, query, filters, sources, dedupe and strict it came with.';
    throw new AppError('invalid_cursor', detail, { example: FIND_EXAMPLE });
  }
  return readState(body);
}

/**
 * What makes two searches walk the same rows in the same order. Limit, fields, timeout, count, facets and client_ref may change on the way.
 * Every text has its length before it, so that no two searches read alike; put together by hand, for `JSON.stringify` takes a microsecond more.
 */
export function searchFingerprint({ type, terms, filters, only, ignore, dedupe, strict }: Query): string {
  let text = `${type} ${dedupe} ${strict} ${listText(only)} ${listText(ignore)} ${filters.length}`;
  // The filters themselves already stand in the order of the vocabulary.
  for (const filter of filters) text += ` ${filterText(filter)}`;
  return terms.length === 0 ? text : `${text} ${listText(terms.map(({ kind, words, negated }) => `${kind} ${negated} ${words.join(' ')}`))}`;
}

function filterText(filter: Filter): string {
  const name = `${filter.name.length}:${filter.name}`;
  switch (filter.kind) {
    case 'terms': return `${name} ${listText(filter.include)} ${listText(filter.exclude)}`;
    case 'intervals': return `${name} ${listText(filter.include?.map(String) ?? null)} ${listText(filter.exclude.map(String))}`;
    case 'presence': return `${name} ${filter.present} ${filter.absent}`;
    default: return filter satisfies never;
  }
}

/** In whatever order they were given. */
function listText(texts: readonly string[] | null): string {
  if (texts === null) return '-';
  let text = String(texts.length);
  for (const each of texts.length > 1 ? texts.toSorted() : texts) text += `,${each.length}:${each}`;
  return text;
}

function macOf(secret: MacKey, fingerprint: string, body: Uint8Array): Buffer {
  return secret.of(`${fingerprint}\0`, body);
}

function writeState(out: CursorWriter, state: CursorState): void {
  out.varint(VERSION);
  out.varint(state.order === 'stored' ? 0 : 1);
  for (const group of groups(state.lanes)) {
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

function writeMarks(out: CursorWriter, group: readonly CursorLane[]): void {
  out.varint(group.length);
  for (const { segment, after, done } of group) {
    out.text(segment);
    out.varint(2 * (Number(after) + 1) + (done ? 1 : 0));
  }
}

/** Runs of lanes of one snapshot: it is written once for all of them. A text mark stands alone: its source has one lane. */
function groups(lanes: readonly CursorLane[]): CursorLane[][] {
  const found: CursorLane[][] = [];
  for (const lane of lanes) {
    const last = found.at(-1);
    const joins = last !== undefined && last[0]!.source === lane.source && last[0]!.snapshot === lane.snapshot;
    if (joins && typeof lane.after === 'number' && typeof last[0]!.after === 'number') last.push(lane);
    else found.push([lane]);
  }
  return found;
}

function readState(body: Buffer): CursorState {
  const input = { body, at: 2 };
  const lanes: CursorLane[] = [];
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
