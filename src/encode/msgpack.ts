import { Packr } from 'msgpackr';
import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import { nextTurn, turnIsOver } from '../lib/turns.ts';
import type { FindAnswer } from '../model/answer.ts';
import { ByteSink } from './byte_sink.ts';
import { rowsOnDesk } from './desk_rows.ts';
import type { RowOut, RowShape } from './rows.ts';

/** Plain MessagePack: no extension that another library would not know. */
const PACKR = new Packr({ useRecords: false, variableMapSize: true });
const UTF8 = new TextDecoder();
const ARRAY_32 = 0xdd;
const MAP_32 = 0xdf;

/** `bytes`: maps of MessagePack, one behind the other, in several parts. */
type PackedRows = { readonly parts: readonly Uint8Array[]; readonly rows: number; readonly bytes: number };

/**
 * Rows for `encodeMsgpack`: many at a time on the desk, and where one can only be told by who parses it, by itself, at 10 to 20 us. Others run between them. So it ends behind the first
 * few that are packed after `untilMs`, and where they are so long that they are too many bytes.
 */
export async function packRows(rows: readonly RowOut[], shape: RowShape, untilMs = Infinity): Promise<PackedRows> {
  const parts: Uint8Array[] = [];
  const alone = new ByteSink(LIMITS.sinkBytesMax, LIMITS.rowSinkBytes);
  let [made, bytes] = [0, 0];
  while (made < rows.length) {
    const end = Math.min(rows.length, made + LIMITS.rowsPackedUntimed);
    while (made < end && bytes < LIMITS.answerBytesMax) {
      const packed = rowsOnDesk('msgpack', rows, { first: made, end }, shape);
      const part = packed.rows > 0 ? Buffer.from(packed.bytes) : packOne(alone, rows[made]!, shape);
      parts.push(part);
      bytes += part.length;
      made += Math.max(1, packed.rows);
    }
    if (bytes >= LIMITS.answerBytesMax || monotonicMs() >= untilMs) break;
    if (turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
  }
  return { parts, rows: made, bytes };
}

function packOne(sink: ByteSink, row: RowOut, shape: RowShape): Uint8Array {
  sink.reset();
  shape.append(sink, row);
  return PACKR.pack(JSON.parse(UTF8.decode(sink.view())));
}

/**
 * The same object as the page in JSON, to whoever reads it as JavaScript does: an integer of more than 32 bits is a float of 64. As an integer the
 * library would read it as a BigInt, which neither adds up with numbers nor becomes JSON again.
 */
export function encodeMsgpack({ parts, rows }: PackedRows, answer: FindAnswer): Uint8Array {
  const members = Object.entries(JSON.parse(JSON.stringify(answer)) as Record<string, unknown>);
  return Buffer.concat([
    head(MAP_32, members.length + 1), PACKR.pack('results'), head(ARRAY_32, rows), ...parts,
    ...members.flatMap(([name, value]) => [PACKR.pack(name), PACKR.pack(value)]),
  ]);
}

/** What begins a list or a map of so many members. */
function head(kind: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(5, kind);
  bytes.writeUInt32BE(count, 1);
  return bytes;
}
