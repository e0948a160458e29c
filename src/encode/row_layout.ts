import { SegmentRefused } from '../segment/refused.ts';
import { brokenRow } from '../segment/row_form.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const PLUS = 0x2b;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BLANK = 0x20;

const ASCII = new TextDecoder();

/**
 * Finds the values of a row in its JSON text without parsing it. Rows carry their fields in the order of the vocabulary, so each name
 * is expected where it stands and only compared; blanks, strange members and another order cost a search by name, no more.
 */
export class RowLayout {
  readonly names: readonly string[];
  readonly places: readonly number[];
  /** `"name":` of each field. */
  readonly labels: readonly Uint8Array[];
  readonly #placeOf: ReadonlyMap<string, number>;
  #scratch: Float64Array | null = null;
  #donorScratch: Float64Array | null = null;

  constructor(names: readonly string[]) {
    this.names = names;
    this.places = names.map((_, place) => place);
    this.labels = names.map((name) => new TextEncoder().encode(`${JSON.stringify(name)}:`));
    this.#placeOf = new Map(names.map((name, place) => [name, place]));
  }

  place(name: string): number {
    const place = this.#placeOf.get(name);
    if (place === undefined) throw new Error(`no field ${name}`);
    return place;
  }

  has(name: string): boolean {
    return this.#placeOf.has(name);
  }

  spans(): Float64Array {
    return new Float64Array(2 * this.names.length);
  }

  /** Spans for whoever is done with them before another row is looked at: memory outside of the heap is dear to make. */
  get scratch(): Float64Array {
    return (this.#scratch ??= this.spans());
  }

  /** For a row that is looked at amid another, which has the former. */
  get donorScratch(): Float64Array {
    return (this.#donorScratch ??= this.spans());
  }

  /** Writes `[valueStart, valueEnd)` of each field into `spans`; a start of -1 where the row has no such member. About 1 us for 800 bytes. Of what is no row it throws, where that is seen on the way. */
  locate(bytes: Uint8Array, start: number, end: number, spans: Float64Array): void {
    spans.fill(-1);
    let expected = 0;
    let at = skipBlanks(bytes, start);
    do {
      at += 1;
      if (bytes[at] !== QUOTE) at = skipBlanks(bytes, at);
      if (bytes[at] !== QUOTE) throw brokenRow();
      let place = expected;
      let value = afterLabel(bytes, at, this.labels[expected]);
      if (value === -1) {
        const nameEnd = endOfString(bytes, at);
        place = this.#placeOf.get(JSON.parse(ASCII.decode(bytes.slice(at, nameEnd)))) ?? -1;
        const colon = skipBlanks(bytes, nameEnd);
        if (bytes[colon] !== COLON) throw brokenRow();
        value = colon + 1;
      }
      value = skipBlanks(bytes, value);
      const valueEnd = endOfValue(bytes, value, end);
      if (place !== -1) {
        spans[2 * place] = value;
        spans[2 * place + 1] = valueEnd;
        expected = place + 1;
      }
      at = skipBlanks(bytes, valueEnd);
    } while (at < end && bytes[at] === COMMA);
    if (at >= end || bytes[at] !== CLOSE_OBJECT || skipBlanks(bytes, at + 1) < end) throw brokenRow();
  }
}

/** Whether it says that what stands in the place of a row is none, as on a disk that rots: of its layout, or of JSON that was parsed. */
export function isOfBrokenRow(error: unknown): boolean {
  return error instanceof SegmentRefused || error instanceof SyntaxError;
}

/** Where the value begins if the label stands at `at`; else -1. */
function afterLabel(bytes: Uint8Array, at: number, label: Uint8Array | undefined): number {
  if (label === undefined) return -1;
  for (let i = 1; i < label.length; i++) if (bytes[at + i] !== label[i]) return -1;
  return at + label.length;
}

function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at]! <= BLANK) at++;
  return at;
}

/** After the closing quote of the string that opens at `at`. */
function endOfString(bytes: Uint8Array, at: number): number {
  let next = at + 1;
  for (let byte = bytes[next]; byte !== QUOTE; byte = bytes[++next]) {
    if (byte === BACKSLASH) next++;
    else if (byte === undefined) throw brokenRow();
  }
  return next + 1;
}

function endOfValue(bytes: Uint8Array, at: number, rowEnd: number): number {
  const first = bytes[at]!;
  if (first === QUOTE) return endOfString(bytes, at);
  if (first === OPEN_ARRAY || first === OPEN_OBJECT) return endOfNested(bytes, at, rowEnd);
  let next = at + 1;
  for (let byte = bytes[next]!; (byte > COMMA || byte === PLUS) && byte !== CLOSE_OBJECT && byte !== CLOSE_ARRAY; byte = bytes[next]!) next++;
  return next;
}

/** No further than the row: behind it may be gigabytes of others. */
function endOfNested(bytes: Uint8Array, at: number, rowEnd: number): number {
  let depth = 0;
  for (let next = at; ; next++) {
    const byte = bytes[next];
    if (next >= rowEnd) throw brokenRow();
    if (byte === QUOTE) next = endOfString(bytes, next) - 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++;
    else if ((byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) && --depth === 0) return next + 1;
  }
}
