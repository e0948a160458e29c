import { Packr } from 'msgpackr';
import { LIMITS } from '../config/limits.ts';
import type { FindAnswer } from '../model/answer.ts';
import { inBlocks } from './blocks.ts';
import { ByteSink } from './byte_sink.ts';
import { rowsOnDesk } from './desk_rows.ts';
import type { RowOut, RowShape, RowsText } from './rows.ts';

/** Plain MessagePack: no extension that another library would not know. */
const PACKR = new Packr({ useRecords: false, variableMapSize: true });
const UTF8 = new TextDecoder();
const ARRAY_32 = 0xdd;
const MAP_32 = 0xdf;
/** What the library writes before the members of a map: one byte before fewer than sixteen, three before more. */
const [FIXED_MEMBERS, FIXED_HEAD_BYTES, HEAD_BYTES] = [16, 1, 3];
const RESULTS = Buffer.from(PACKR.pack('results'));

/** Of what begins a map or a list. */
const COUNTED_BYTES = 5;
/** Where the rows begin: before them stands of how many members the answer is, that the first is its results, and how many these are. */
const ROWS_AT = COUNTED_BYTES + RESULTS.length + COUNTED_BYTES;

/**
 * Rows for `encodeMsgpack`: many at a time on the desk, and where one can only be told by who parses it, by itself, at 10 to 20 us. Others run between them. So it ends behind the first
 * few that are packed after `untilMs`, and where they are so long that they are too many bytes. Gives how many were written.
 */
export function packRows(sink: ByteSink, rows: readonly RowOut[], shape: RowShape, untilMs = Infinity): Promise<number> {
  leaveRoom(sink);
  const isFull = (): boolean => sink.length >= LIMITS.answerBytesMax;
  const make = (first: number): number => {
    const end = Math.min(rows.length, first + LIMITS.rowsPackedUntimed);
    let next = first;
    while (next < end && !isFull()) {
      const packed = rowsOnDesk('msgpack', rows, { first: next, end }, shape);
      sink.bytes(packed.rows > 0 ? packed.bytes : packOne(rows[next]!, shape));
      next += Math.max(1, packed.rows);
    }
    return next;
  };
  return inBlocks(rows.length, untilMs, { make, isFull });
}

/** The same of rows that are maps already. */
export function joinPacked(sink: ByteSink, texts: readonly RowsText[]): void {
  leaveRoom(sink);
  for (const { bytes, start, end } of texts) sink.bytes(bytes, start, end);
}

function leaveRoom(sink: ByteSink): void {
  sink.room(ROWS_AT);
  sink.advance(ROWS_AT);
}

/** Of this thread: each leaves it before another is begun. */
const ALONE = new ByteSink(LIMITS.sinkBytesMax, LIMITS.rowSinkBytes);

function packOne(row: RowOut, shape: RowShape): Uint8Array {
  ALONE.reset();
  shape.append(ALONE, row);
  return PACKR.pack(JSON.parse(UTF8.decode(ALONE.view())));
}

/**
 * The same object as the page in JSON, to whoever reads it as JavaScript does: an integer of more than 32 bits is a float of 64. As an integer the
 * library would read it as a BigInt, which neither adds up with numbers nor becomes JSON again. The sink holds so many rows.
 */
export function encodeMsgpack(sink: ByteSink, rows: number, answer: FindAnswer): Uint8Array {
  const count = Object.keys(answer).length;
  sink.bytes(PACKR.pack(answer), count < FIXED_MEMBERS ? FIXED_HEAD_BYTES : HEAD_BYTES);
  const body = sink.view();
  body.set(headOf(count + 1, rows));
  return body;
}

/** What stands before the rows. */
function headOf(members: number, rows: number): Uint8Array {
  const head = Buffer.alloc(ROWS_AT);
  head[0] = MAP_32;
  head.writeUInt32BE(members, 1);
  head.set(RESULTS, COUNTED_BYTES);
  head[ROWS_AT - COUNTED_BYTES] = ARRAY_32;
  head.writeUInt32BE(rows, ROWS_AT - COUNTED_BYTES + 1);
  return head;
}
