import { LIMITS } from '../../config/limits.ts';
import { RING_FRONT_BYTES, type PageWriter } from '../../pool/ring_protocol.ts';
import type { TextAt } from '../../pool/protocol.ts';
import type { Segment } from '../../segment/reader.ts';

const COMMA = 0x2c;

/** Writes the rows of a page as one text, a comma between any two; null where they are none, too many bytes, or there is no place. */
export function writeText(segment: Segment, rows: Uint32Array, pages: PageWriter): TextAt | null {
  const { table } = segment;
  // Each with the line end behind it: all but the last are commas then.
  let length = -1;
  for (const row of rows) length += table.start(row + 1) - table.start(row);
  if (rows.length === 0 || length > LIMITS.ringPageBytesMax) return null;
  const place = pages.reserve(RING_FRONT_BYTES + length + LIMITS.ringRoomBytes);
  if (place === null) return null;
  copyRows(segment, rows, pages.bytes, place.at + RING_FRONT_BYTES);
  return { ...place, start: RING_FRONT_BYTES, end: RING_FRONT_BYTES + length };
}

/** Rows that lie side by side are copied in one go. */
function copyRows({ table, bytes: source }: Segment, rows: Uint32Array, into: Buffer, at: number): void {
  let to = at;
  for (let first = 0; first < rows.length;) {
    let last = first;
    while (last + 1 < rows.length && rows[last + 1] === rows[last]! + 1) last++;
    const start = table.start(rows[first]!);
    const end = table.end(rows[last]!);
    // Fills with the very bytes: a plain native copy, where `set` goes byte by byte for shared memory.
    if (source.resident === null) source.read(start, end, into, to);
    else into.fill(source.resident.subarray(start, end), to, to + end - start);
    for (let row = first; row < last; row++) into[to + table.end(rows[row]!) - start] = COMMA;
    to += end - start;
    if (last + 1 < rows.length) into[to++] = COMMA;
    first = last + 1;
  }
}
