import { Packr } from 'msgpackr';
import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import { nextTurn, turnIsOver } from '../lib/turns.ts';
import type { FindAnswer } from '../model/answer.ts';
import { ByteSink } from './byte_sink.ts';
import type { RowOut, RowShape } from './rows.ts';

/** Plain MessagePack: no extension that another library would not know. */
const PACKR = new Packr({ useRecords: false, variableMapSize: true });
const UTF8 = new TextDecoder();
const ARRAY_32 = 0xdd;
const MAP_32 = 0xdf;

/**
 * Rows for `encodeMsgpack`, each by itself. They are parsed here, and only here, at 10 to 20 us each: others run between them. So it ends behind the first few that are
 * packed after `untilMs`, and where they are so long that they are too many bytes.
 */
export async function packRows(rows: readonly RowOut[], shape: RowShape, untilMs = Infinity): Promise<readonly Uint8Array[]> {
  const sink = new ByteSink(LIMITS.sinkBytesMax, LIMITS.rowSinkBytes);
  const packed: Uint8Array[] = [];
  let bytes = 0;
  while (packed.length < rows.length) {
    sink.reset();
    shape.append(sink, rows[packed.length]!);
    const row = PACKR.pack(JSON.parse(UTF8.decode(sink.view())));
    packed.push(row);
    bytes += row.length;
    if (bytes >= LIMITS.answerBytesMax) break;
    if (packed.length % LIMITS.rowsPackedUntimed !== 0) continue;
    if (monotonicMs() >= untilMs) break;
    if (turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
  }
  return packed;
}

/**
 * The same object as the page in JSON, to whoever reads it as JavaScript does: an integer of more than 32 bits is a float of 64. As an integer the
 * library would read it as a BigInt, which neither adds up with numbers nor becomes JSON again.
 */
export function encodeMsgpack(rows: readonly Uint8Array[], answer: FindAnswer): Uint8Array {
  const members = Object.entries(JSON.parse(JSON.stringify(answer)) as Record<string, unknown>);
  return Buffer.concat([
    head(MAP_32, members.length + 1), PACKR.pack('results'), head(ARRAY_32, rows.length), ...rows,
    ...members.flatMap(([name, value]) => [PACKR.pack(name), PACKR.pack(value)]),
  ]);
}

/** What begins a list or a map of so many members. */
function head(kind: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(5, kind);
  bytes.writeUInt32BE(count, 1);
  return bytes;
}
