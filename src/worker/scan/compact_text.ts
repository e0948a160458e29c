import { threadExpander } from '../../segment/expander.ts';
import { readText, type Segment } from '../../segment/reader.ts';

const COMMA = 0x2c;
const NEWLINE = 0x0a;

/** Writes compact rows as the text of a page to `at`, a comma between any two; says where it ends, -1 where that were behind `end`. */
export function joinCompact(segment: Segment, rows: Uint32Array, into: Buffer, { at, end }: { readonly at: number; readonly end: number }): number {
  const desk = threadExpander();
  if (desk === null) return -1;
  const room = { at: desk.scratch.at, end: Math.min(desk.scratch.end, desk.scratch.at + end + 1 - at) };
  if (desk.write(segment, { rows, first: 0, separator: COMMA }, room) < rows.length) return -1;
  // Behind the last there is a comma too.
  const to = at + desk.end - 1 - room.at;
  into.fill(desk.bytes.subarray(room.at, desk.end - 1), at, to);
  return to;
}

/** Visits the text of each row; it is another's when the visit is over. */
export function eachText(segment: Segment, rows: Uint32Array, visit: (text: Buffer) => void): void {
  const desk = segment.stencils === null ? null : threadExpander();
  const ends = new Float64Array(desk === null ? 0 : rows.length);
  for (let first = 0; first < rows.length;) {
    const written = desk?.write(segment, { rows, first, separator: NEWLINE, ends }, desk.scratch) ?? 0;
    if (desk === null || written === 0) {
      visit(readText(segment, rows[first++]!));
      continue;
    }
    let at = desk.scratch.at;
    for (const next = first + written; first < next; at = ends[first++]!) visit(desk.bytes.subarray(at, ends[first]!));
  }
}

type CompactText = {
  readonly rows: Uint32Array;
  /** Where the end of each row's text is told, behind its newline, by place; null where nobody asks. */
  readonly ends: Float64Array | null;
  readonly behind: readonly Buffer[];
};

/** The text of compact rows, a line each, in a buffer of its own, and other bytes behind it; `length` is without these. A part at a time is written on the desk and copied. */
export function ownText(segment: Segment, { rows, ends, behind }: CompactText): { readonly bytes: Buffer; readonly length: number } {
  const desk = threadExpander();
  const parts: Buffer[] = [];
  let length = 0;
  for (let first = 0; first < rows.length;) {
    const written = desk?.write(segment, { rows, first, separator: NEWLINE, ends }, desk.scratch) ?? 0;
    const at = desk?.scratch.at ?? 0;
    const part = desk === null || written === 0 ? readText(segment, rows[first]!) : desk.bytes.subarray(at, desk.end);
    const next = first + Math.max(1, written);
    if (ends !== null && written === 0) ends[first] = length + part.length;
    else if (ends !== null) for (let row = first; row < next; row++) ends[row]! += length - at;
    // What is all that there is needs no copy but the last.
    parts.push(next < rows.length && written > 0 ? ownCopy([part], part.length) : part);
    length += part.length;
    first = next;
  }
  return { bytes: ownCopy([...parts, ...behind], behind.reduce((sum, key) => sum + key.length, length)), length };
}

/** In a buffer of its own, not of the pool: it is transferred. */
function ownCopy(parts: readonly Buffer[], length: number): Buffer {
  const own = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const part of parts) at += part.copy(own, at);
  return own;
}
