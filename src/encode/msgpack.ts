import { Packr } from 'msgpackr';
import { LIMITS } from '../config/limits.ts';
import type { FindAnswer } from '../model/answer.ts';
import { inBlocks } from './blocks.ts';
import { ByteSink } from './byte_sink.ts';
import { rowsOnDesk } from './desk_rows.ts';
import type { RowOut, RowShape } from './rows.ts';

/** Plain MessagePack: no extension that another library would not know. */
const PACKR = new Packr({ useRecords: false, variableMapSize: true });
const UTF8 = new TextDecoder();
const ARRAY_32 = 0xdd;
const MAP_32 = 0xdf;
/** What the library writes before the members of a map: one byte before fewer than sixteen, three before more. */
const [FIXED_MEMBERS, FIXED_HEAD_BYTES, HEAD_BYTES] = [16, 1, 3];
const RESULTS = Buffer.from(PACKR.pack('results'));

/** `bytes`: maps of MessagePack, one behind the other, in several parts. */
type PackedRows = { readonly parts: readonly Uint8Array[]; readonly rows: number; readonly bytes: number };

/**
 * Rows for `encodeMsgpack`: many at a time on the desk, and where one can only be told by who parses it, by itself, at 10 to 20 us. Others run between them. So it ends behind the first
 * few that are packed after `untilMs`, and where they are so long that they are too many bytes.
 */
export async function packRows(rows: readonly RowOut[], shape: RowShape, untilMs = Infinity): Promise<PackedRows> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  const isFull = (): boolean => bytes >= LIMITS.answerBytesMax;
  const make = (first: number): number => {
    const end = Math.min(rows.length, first + LIMITS.rowsPackedUntimed);
    let next = first;
    while (next < end && !isFull()) {
      const packed = rowsOnDesk('msgpack', rows, { first: next, end }, shape);
      const part = packed.rows > 0 ? Buffer.from(packed.bytes) : packOne(rows[next]!, shape);
      parts.push(part);
      bytes += part.length;
      next += Math.max(1, packed.rows);
    }
    return next;
  };
  const made = await inBlocks(rows.length, untilMs, { make, isFull });
  return { parts, rows: made, bytes };
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
 * library would read it as a BigInt, which neither adds up with numbers nor becomes JSON again.
 */
export function encodeMsgpack({ parts, rows }: PackedRows, answer: FindAnswer): Uint8Array {
  const count = Object.keys(answer).length;
  const own = PACKR.pack(answer).subarray(count < FIXED_MEMBERS ? FIXED_HEAD_BYTES : HEAD_BYTES);
  return Buffer.concat([head(MAP_32, count + 1), RESULTS, head(ARRAY_32, rows), ...parts, own]);
}

/** What begins a list or a map of so many members. */
function head(kind: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(5, kind);
  bytes.writeUInt32BE(count, 1);
  return bytes;
}
