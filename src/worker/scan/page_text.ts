import { LIMITS } from '../../config/limits.ts';
import { LINE_END, threadDeskRows, type AnswerRows } from '../../encode/desk_rows.ts';
import type { RowLayout } from '../../encode/row_layout.ts';
import { RowShape, rowLayout } from '../../encode/rows.ts';
import { TRAY_FRONT_BYTES, type TrayWriter } from '../../pool/tray_protocol.ts';
import type { ScanRequest, TextAt } from '../../pool/protocol.ts';
import type { Segment } from '../../segment/reader.ts';
import { joinCompact } from './compact_text.ts';

const COMMA = 0x2c;

/** Writes the rows of a page as one text; null where they are wanted otherwise, none, too many bytes, or no tray is free. */
export function writeText(segment: Segment, rows: Uint32Array, { form, fields }: Pick<ScanRequest, 'form' | 'fields'>, trays: TrayWriter | null): TextAt | null {
  if (form === 'rows' || trays === null || rows.length === 0) return null;
  return form === 'json' && fields === null ? writeWhole(segment, rows, trays) : writeMade(segment, rows, { form, fields }, trays);
}

function writeWhole(segment: Segment, rows: Uint32Array, trays: TrayWriter): TextAt | null {
  const { table, spread, stencils } = segment;
  // Each with the line end behind it: all but the last are commas then. How long the text of compact rows is is known in the mean alone.
  let length = -1;
  for (const row of rows) length += spread * (table.start(row + 1) - table.start(row));
  const taken = fits(length) ? trays.take() : null;
  if (taken === null) return null;
  const start = TRAY_FRONT_BYTES;
  let end = -1;
  try {
    fetchLines(segment, rows);
    end = stencils === null ? copyRows(segment, rows, taken.bytes, start) : joinCompact(segment, rows, taken.bytes, { at: start, end: LIMITS.trayBytes - LIMITS.trayRoomBytes });
  } finally {
    if (end === -1) trays.putBack(taken.tray);
  }
  return end === -1 ? null : { tray: taken.tray, start, end };
}

const fits = (length: number): boolean => TRAY_FRONT_BYTES + length + LIMITS.trayRoomBytes <= LIMITS.trayBytes;

type Wanted = { readonly form: AnswerRows; readonly fields: readonly string[] | null };

/**
 * Null also where the rows have not all of the fields, or in another order, one that is stored as text is broken or one cannot be made on the desk, or they are too long for it: they are
 * looked into where they are needed. Of a compact one that is broken it throws.
 */
function writeMade(segment: Segment, rows: Uint32Array, wanted: Wanted, trays: TrayWriter): TextAt | null {
  const text = madeRows(segment, rows, wanted);
  const taken = text !== null && fits(text.length) ? trays.take() : null;
  if (taken === null) return null;
  const start = TRAY_FRONT_BYTES;
  const end = start + text!.length;
  taken.bytes.fill(text!, start, end);
  return { tray: taken.tray, start, end };
}

function madeRows(segment: Segment, rows: Uint32Array, { form, fields }: Wanted): Uint8Array | null {
  const layout = rowLayout(segment.vocabulary);
  const onDesk = fields === null || stand(fields, layout) ? threadDeskRows() : null;
  if (onDesk === null) return null;
  fetchLines(segment, rows);
  const { desk } = onDesk;
  const lines = segment.stencils === null ? desk.bring(segment, rows, LINE_END) : desk.write(segment, { rows, first: 0, separator: LINE_END }, desk.scratch);
  const { bytes, rows: made } = onDesk.made(form, new RowShape(layout, fields), lines);
  if (made < rows.length) return null;
  // Behind the last there is a comma too.
  return form === 'json' ? bytes.subarray(0, -1) : bytes;
}

/** Whether rows have the fields, in that order: the operator may have declared some in another one since. */
function stand(fields: readonly string[], layout: RowLayout): boolean {
  let last = -1;
  for (const name of fields) {
    const place = layout.has(name) ? layout.place(name) : -1;
    if (place <= last) return false;
    last = place;
  }
  return true;
}

const LINE_BYTES = 64;
/** Written so that no compiler takes the reads away. */
let fetched = 0;

/**
 * Looks at a byte of each cache line of the rows. They lie apart and in no cache: copied one after the other each would wait for its own memory, while
 * these reads, of which none needs another, wait together. That of where a row begins comes first: with it the processor finds its page.
 */
function fetchLines({ table, bytes: { resident } }: Segment, rows: Uint32Array): void {
  if (resident === null) return;
  let sum = 0;
  for (const row of rows) sum ^= resident[table.start(row)]!;
  for (const row of rows) {
    const end = table.start(row + 1);
    for (let at = table.start(row) + LINE_BYTES; at < end; at += LINE_BYTES) sum ^= resident[at]!;
  }
  fetched ^= sum;
}

/** Rows that lie side by side are copied in one go. Says where the last ends. */
function copyRows({ table, bytes }: Segment, rows: Uint32Array, into: Buffer, at: number): number {
  let to = at;
  for (let first = 0; first < rows.length;) {
    let last = first;
    while (last + 1 < rows.length && rows[last + 1] === rows[last]! + 1) last++;
    const start = table.start(rows[first]!);
    const end = table.end(rows[last]!);
    bytes.read(start, end, into, to);
    for (let row = first; row < last; row++) into[to + table.end(rows[row]!) - start] = COMMA;
    to += end - start;
    if (last + 1 < rows.length) into[to++] = COMMA;
    first = last + 1;
  }
  return to;
}
