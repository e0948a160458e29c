import { LIMITS } from '../config/limits.ts';
import { WASM_PAGE_BYTES, whereRoom } from '../lib/wasm_room.ts';
import { EXPAND_MODULE } from './expand_module.ts';
import { readText, type Segment } from './reader.ts';
import { viewOf } from './row_bytes.ts';
import { brokenRow, STENCILS_BYTES_MAX } from './row_form.ts';

const NEWLINE = 0x0a;

/** Room for the text of rows: bytes [at, end) of the memory. */
export type Room = { readonly at: number; readonly end: number };

/** See `expand.wat`. */
type Expand = {
  readonly expand: (from: number, end: number, to: number, limit: number, stencils: number, separator: number) => number;
  readonly read: WebAssembly.Global<'i32'>;
  readonly rows: WebAssembly.Global<'i32'>;
};

/** Rows to write. `separator`: the byte behind each. */
type Writing = { readonly rows: Uint32Array; readonly first: number; readonly separator: number; readonly ends?: Float64Array | null };

/** Rows at [start, end) of other bytes. */
export type StoredRun = { readonly start: number; readonly end: number };

type Measured = { readonly first: number; readonly written: number; readonly ends: Float64Array; readonly before: number };

/**
 * Writes the text of many compact rows, some 8 GB a second. Their stored bytes are brought to the desk, some at a time, and spelled from there.
 *
 *   desk: [ window │ scratch │ labels │ stencils of one segment │ of another │ ... ]
 */
export class Expander {
  /** Where the text ends that was written last. */
  end = 0;
  /** Where the rows begin that `writeStored` left. */
  read = 0;
  /** The desk's. */
  readonly bytes: Buffer;
  readonly memory: WebAssembly.Memory;
  /** Room on the desk, for text that goes on elsewhere. */
  readonly scratch: Room;
  /** Room for the names of fields: see `encode/desk_rows`. */
  readonly labels: Room;
  readonly #expand: Expand;
  readonly #stencilsAt: number;
  /** Whose stencils lie at each place. */
  readonly #places: (Uint8Array | null)[];
  #nextPlace = 0;
  /** Bytes of the rows that were brought last. */
  #staged = 0;

  constructor(deskBytes: number) {
    const pages = deskBytes / WASM_PAGE_BYTES;
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.bytes = Buffer.from(this.memory.buffer);
    const module = new WebAssembly.Module(Buffer.from(EXPAND_MODULE, 'base64'));
    this.#expand = new WebAssembly.Instance(module, { rows: { memory: this.memory } }).exports as Expand;
    const scratchAt = LIMITS.expandWindowBytes + LIMITS.textSpareBytes;
    this.scratch = { at: scratchAt, end: scratchAt + LIMITS.expandScratchBytes };
    const labelsAt = this.scratch.end + LIMITS.textSpareBytes;
    this.labels = { at: labelsAt, end: labelsAt + LIMITS.deskLabelsBytes };
    this.#stencilsAt = this.labels.end;
    this.#places = Array.from({ length: Math.floor((deskBytes - this.#stencilsAt) / STENCILS_BYTES_MAX) }, () => null);
  }

  /**
   * Writes `rows` from place `first` on, as many as end within the room, each with the separator in place of its newline; says how many. Over what lies behind the
   * room, up to `textSpareBytes`, it may write. Puts where each ends, behind its separator, into `ends`, by place.
   */
  write(segment: Segment, { rows, first, separator, ends = null }: Writing, room: Room): number {
    this.end = room.at;
    if (room.end <= room.at) return 0;
    const stencils = this.#placeOf(segment.stencils!);
    let next = first;
    while (next < rows.length) {
      const before = this.end;
      const staged = this.#stage(segment, rows, next);
      const isLong = staged === next;
      const written = isLong ? this.#writeLong(segment, rows[next]!, separator, room) : this.#spell(stencils, separator, room);
      // Rows that are damaged may say that they are others than are asked for.
      if (!isLong && next + written > staged) throw brokenRow();
      if (isLong && ends !== null) ends[next] = this.end;
      else if (ends !== null) this.#measure(segment, rows, { first: next, written, ends, before });
      next += written;
      if (written === 0 || next < staged) break;
    }
    return next - first;
  }

  /** Brings rows that are stored as their text to the scratch, each with the separator in place of its newline; says how many there is room for. They end at `end`. */
  bring({ table, bytes }: Segment, rows: Uint32Array, separator: number): number {
    let at = this.scratch.at;
    let count = 0;
    for (const row of rows) {
      const start = table.start(row);
      const end = table.start(row + 1);
      if (end - start > this.scratch.end - at) break;
      bytes.read(start, end, this.bytes, at);
      at += end - start;
      this.bytes[at - 1] = separator;
      count += 1;
    }
    this.end = at;
    return count;
  }

  /** A text on the scratch, to which `writeStored` adds. */
  begin(): void {
    this.end = this.scratch.at;
  }

  /** What is left of the scratch for that text. */
  get roomBytes(): number {
    return this.scratch.end - this.end;
  }

  /** That text, until another begins. */
  text(): Uint8Array {
    return this.bytes.subarray(this.scratch.at, this.end);
  }

  /** Adds rows that stand one behind the other in other bytes, as many as the window holds whole and the scratch has room for; says how many, and in `read` where the rest begins. */
  writeStored(stored: Uint8Array, { start, end }: StoredRun, stencils: Uint8Array): number {
    this.#staged = Math.min(end - start, LIMITS.expandWindowBytes, this.roomBytes);
    this.bytes.fill(viewOf(stored, start, start + this.#staged), 0, this.#staged);
    const rows = this.#spell(this.#placeOf(stencils), NEWLINE, { at: this.end, end: this.scratch.end });
    this.read = start + this.#expand.read.value;
    return rows;
  }

  #spell(stencils: number, separator: number, room: Room): number {
    const { expand, rows } = this.#expand;
    try {
      this.end = expand(0, this.#staged, this.end, room.end, stencils, separator);
    } catch (error) {
      throw error instanceof WebAssembly.RuntimeError ? brokenRow() : error;
    }
    return rows.value;
  }

  /** Brings stored rows from place `first` on into the window, neighbours in one go; says which is the first that has no room any more. */
  #stage({ table, bytes }: Segment, rows: Uint32Array, first: number): number {
    const gapMax = bytes.resident === null ? LIMITS.rowsGapBytesMax : 0;
    let filled = 0;
    let next = first;
    while (next < rows.length) {
      const start = table.start(rows[next]!);
      const room = LIMITS.expandWindowBytes - filled;
      let end = start;
      let last = next;
      // A row that comes before the one before it, as it may in another order than they lie in, begins anew.
      for (; last < rows.length; last++) {
        const from = table.start(rows[last]!);
        const to = table.start(rows[last]! + 1);
        if (from < end || from - end > (last === next ? 0 : gapMax) || to - start > room) break;
        end = to;
      }
      if (last === next) break;
      bytes.read(start, end, this.bytes, filled);
      filled += gapMax === 0 ? end - start : this.#closeGaps(table, rows.subarray(next, last), filled);
      next = last;
    }
    this.#staged = filled;
    return next;
  }

  /** Of rows that were read with what lies between them; says how many bytes they are. */
  #closeGaps(table: Segment['table'], rows: Uint32Array, at: number): number {
    const start = table.start(rows[0]!);
    let to = at;
    for (const row of rows) {
      const from = at + table.start(row) - start;
      const end = at + table.start(row + 1) - start;
      if (from !== to) this.bytes.copyWithin(to, from, end);
      to += end - from;
    }
    return to - at;
  }

  /** A row that is more than the window holds. */
  #writeLong(segment: Segment, row: number, separator: number, room: Room): number {
    const text = readText(segment, row);
    this.#staged = 0;
    if (text.length > room.end - this.end) return 0;
    text[text.length - 1] = separator;
    this.end += text.copy(this.bytes, this.end);
    return 1;
  }

  /** Where each of the rows that were staged last and written ends. */
  #measure({ table }: Segment, rows: Uint32Array, { first, written, ends, before }: Measured): void {
    let at = 0;
    let end = before;
    for (let place = first; place < first + written; place++) {
      end += this.bytes.readUInt32LE(at);
      ends[place] = end;
      at += table.start(rows[place]! + 1) - table.start(rows[place]!);
    }
  }

  /** Where the stencils of a segment lie on the desk; the oldest give way. */
  #placeOf(stencils: Uint8Array): number {
    let place = this.#places.indexOf(stencils);
    if (place === -1) {
      place = this.#nextPlace;
      this.#nextPlace = (place + 1) % this.#places.length;
      this.#places[place] = stencils;
      this.bytes.set(stencils, this.#stencilsAt + place * STENCILS_BYTES_MAX);
    }
    return this.#stencilsAt + place * STENCILS_BYTES_MAX;
  }
}

let shared: Expander | null | undefined;

/** One for the thread; null where the system has no room for it. */
export function threadExpander(): Expander | null {
  if (shared === undefined) shared = whereRoom(() => new Expander(LIMITS.deskBytes));
  return shared;
}
