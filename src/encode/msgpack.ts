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
const UINT_32_MAX = 2 ** 32 - 1;
const INT_32_MIN = -(2 ** 31);

/**
 * Rows for `encodeMsgpack`, each by itself. They are parsed here, and only here, at 10 to 20 us each: others run between them. So it ends behind the first few that are
 * packed after `untilMs`.
 */
export async function packRows(rows: readonly RowOut[], shape: RowShape, untilMs = Infinity): Promise<readonly Uint8Array[]> {
  const sink = new ByteSink(LIMITS.sinkBytesMax, LIMITS.rowSinkBytes);
  const packed: Uint8Array[] = [];
  while (packed.length < rows.length) {
    sink.reset();
    shape.append(sink, rows[packed.length]!);
    const row = JSON.parse(UTF8.decode(sink.view())) as Record<string, unknown>;
    for (const name in row) row[name] = exact(row[name]);
    packed.push(PACKR.pack(row));
    if (packed.length % LIMITS.rowsPackedUntimed !== 0) continue;
    if (monotonicMs() >= untilMs) break;
    if (turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
  }
  return packed;
}

/** The same object as the page in JSON. */
export function encodeMsgpack(rows: readonly Uint8Array[], answer: FindAnswer): Uint8Array {
  const members = Object.entries(JSON.parse(JSON.stringify(answer), (_name, value: unknown) => exact(value)) as Record<string, unknown>);
  return Buffer.concat([
    head(MAP_32, members.length + 1), PACKR.pack('results'), head(ARRAY_32, rows.length), ...rows,
    ...members.flatMap(([name, value]) => [PACKR.pack(name), PACKR.pack(value)]),
  ]);
}

/** An integer of more than 32 bits in a form that is packed as one: of a number the library makes a float, which strict readers do not take for an integer. */
function exact(value: unknown): unknown {
  const isWide = typeof value === 'number' && Number.isSafeInteger(value) && (value > UINT_32_MAX || value < INT_32_MIN);
  return isWide ? BigInt(value) : value;
}

/** What begins a list or a map of so many members. */
function head(kind: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(5, kind);
  bytes.writeUInt32BE(count, 1);
  return bytes;
}
