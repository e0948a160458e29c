import { Packr } from 'msgpackr';
import { LIMITS } from '../config/limits.ts';
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

/** The same object as the page in JSON. The rows are parsed here, and only here, at 10 to 20 us each: others run between them. */
export async function encodeMsgpack(rows: readonly RowOut[], shape: RowShape, answer: FindAnswer): Promise<Uint8Array> {
  const members = Object.entries(JSON.parse(JSON.stringify(answer), (_name, value: unknown) => exact(value)) as Record<string, unknown>);
  const parts: Uint8Array[] = [head(MAP_32, members.length + 1), PACKR.pack('results'), head(ARRAY_32, rows.length)];
  const sink = new ByteSink(LIMITS.sinkBytesMax, LIMITS.rowSinkBytes);
  for (let at = 0; at < rows.length; at += 1) {
    sink.reset();
    shape.append(sink, rows[at]!);
    const row = JSON.parse(UTF8.decode(sink.view())) as Record<string, unknown>;
    for (const name in row) row[name] = exact(row[name]);
    parts.push(PACKR.pack(row));
    if ((at + 1) % LIMITS.rowsPackedUntimed === 0 && turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
  }
  for (const [name, value] of members) parts.push(PACKR.pack(name), PACKR.pack(value));
  return Buffer.concat(parts);
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
