import { createHash } from 'node:crypto';
import { LIMITS } from '../../config/limits.ts';
import { momentText } from '../../lib/moment.ts';
import { wholeOf } from '../../lib/rounding.ts';
import { isWellFormed } from '../../lib/well_formed.ts';
import { OWN_IDENTITY } from '../../model/chunk.ts';
import { comparable } from '../../model/compare.ts';
import { countryCode } from '../../model/country.ts';
import { EMAIL_STATUSES, type Field, type Row } from '../../model/field.ts';
import { IDENTITY_FIELDS } from '../../model/identity.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { WRITTEN_DAY } from '../sql/written_times.ts';

/** Fields that are given from this side, whatever the other side sends. */
export const GIVEN: ReadonlySet<string> = new Set(['id', 'source', 'sources']);

/** A row as it came, made one of this gateway's; and its place in the order of identity. */
export type ReadRow = { readonly row: Row; readonly keyClass: number; readonly key: string };

type Value = Row[string];
/** Undefined where the value is of a wrong type. */
type ReadValue = (value: unknown) => Value | undefined;

/**
 * Reads rows that nobody here has vouched for: members are taken by name, texts trimmed, blanks and what is no code or time made null, and
 * id and source told from this gateway's side. A value of a wrong type makes the row junk.
 */
export class RowReader {
  readonly #source: string;
  readonly #fields: readonly (readonly [name: string, member: string, read: ReadValue])[];
  readonly #identity: readonly string[];
  readonly #idMember: string;

  constructor(source: string, vocabulary: Vocabulary, columns: Readonly<Record<string, string>>) {
    this.#source = source;
    this.#identity = IDENTITY_FIELDS[vocabulary.dataset];
    this.#idMember = columns['id'] ?? 'id';
    this.#fields = vocabulary.fields
      .filter(({ name }) => !GIVEN.has(name))
      .map((field) => [field.name, columns[field.name] ?? field.name, readerOf(field, vocabulary)] as const);
  }

  /** Null for junk. What has no member of a row is none, such as all of an answer of another kind on one line. */
  read(given: JsonObject): ReadRow | null {
    if (!Object.hasOwn(given, this.#idMember) && !this.#fields.some(([, member]) => Object.hasOwn(given, member))) return null;
    const row: Row = { id: '', source: this.#source, sources: [this.#source] };
    for (const [name, member, read] of this.#fields) {
      const value = read(Object.hasOwn(given, member) ? given[member] : null);
      if (value === undefined) return null;
      row[name] = value;
    }
    const own = this.#ownKey(Object.hasOwn(given, this.#idMember) ? given[this.#idMember] : null, row);
    if (own === null) return null;
    row['id'] = `${this.#source}:${own}`;
    const place = this.#placeOf(row);
    return Buffer.byteLength(place.key) > LIMITS.foreignKeyBytesMax ? null : { row, ...place };
  }

  #ownKey(value: unknown, row: Row): string | null {
    if (isKeyless(value)) return createHash('md5').update(JSON.stringify(row)).digest('hex');
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
    return typeof text === 'string' && isText(text) && text.trim() !== '' && text.length <= LIMITS.idCharactersMax ? text.trim() : null;
  }

  /** As other engines order: ASCII letters in lower case, the rest as it stands. */
  #placeOf(row: Row): { keyClass: number; key: string } {
    for (const [at, field] of this.#identity.entries()) {
      const value = row[field];
      if (typeof value === 'string') return { keyClass: at, key: lowerAscii(value) };
    }
    return { keyClass: OWN_IDENTITY, key: String(row['id']) };
  }
}

/** Whether a row's own id is none. */
export function isKeyless(id: unknown): boolean {
  return id === null || id === undefined || id === '';
}

const LOWERED = new Set(['email', 'domain', 'company_domain']);
const CODED = new Set(['seniority', 'company_size', 'size']);
/** What the platform's own reading would take for another day is none. */
const TIME = new RegExp(String.raw`^(${WRITTEN_DAY})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:Z| UTC|([+-]\d{2})(?::?(\d{2}))?))?$`);

function readerOf({ name, type }: Field, { filters }: Vocabulary): ReadValue {
  switch (type) {
    case 'string': return textReader(name, filters.find((spec) => spec.name === name)?.values ?? []);
    case 'strings': return readList;
    // Rounded, as it is in a lake.
    case 'integer': return (value) => (value === null || value === undefined ? null : typeof value === 'number' ? wholeOf(value) ?? undefined : undefined);
    case 'timestamp': return (value) => { const text = readText(value); return typeof text === 'string' ? timeOf(text) : text; };
    default: return type satisfies never;
  }
}

function textReader(name: string, listed: readonly string[]): ReadValue {
  const codes = name === 'email_status' ? EMAIL_STATUSES : CODED.has(name) ? listed : [];
  const known = new Map(codes.map((code) => [comparable('folded', code), code]));
  return (value) => {
    const text = readText(value);
    if (typeof text !== 'string') return text;
    if (name === 'country') return countryCode(text);
    if (known.size > 0) return known.get(comparable('folded', text)) ?? null;
    return LOWERED.has(name) ? lowerAscii(text) : text;
  };
}

function readText(value: unknown): string | null | undefined {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string' || !isText(value)) return undefined;
  return value.trim() === '' ? null : value.trim();
}

function readList(value: unknown): string[] | null | undefined {
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) return undefined;
  const texts = value.map(readText);
  if (texts.includes(undefined)) return undefined;
  const held = texts.filter((text) => typeof text === 'string');
  return held.length === 0 ? null : held;
}

/** As rows show it; null for what is none. */
export function timeOf(text: string): string | null {
  const [, day, clock = '00:00', hours = '+00', minutes = '00'] = TIME.exec(text) ?? [];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${clock}${hours}:${minutes}`);
  return Number.isNaN(ms) ? null : momentText(ms);
}

function isText(text: string): boolean {
  return !text.includes('\0') && isWellFormed(text);
}

function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
