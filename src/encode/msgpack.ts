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

/** The same object as the page in JSON. The rows are parsed here, and only here, at 10 to 20 us each: others run between them. */
export async function encodeMsgpack(rows: readonly RowOut[], shape: RowShape, answer: FindAnswer): Promise<Uint8Array> {
  const members = Object.entries(JSON.parse(JSON.stringify(answer)) as Record<string, unknown>);
  const parts: Uint8Array[] = [head(MAP_32, members.length + 1), PACKR.pack('results'), head(ARRAY_32, rows.length)];
  const sink = new ByteSink(LIMITS.sinkBytesMax, LIMITS.rowSinkBytes);
  for (let at = 0; at < rows.length; at += 1) {
    sink.reset();
    shape.append(sink, rows[at]!);
    parts.push(PACKR.pack(JSON.parse(UTF8.decode(sink.view()))));
    if ((at + 1) % LIMITS.rowsPackedUntimed === 0 && turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
  }
  for (const [name, value] of members) parts.push(PACKR.pack(name), PACKR.pack(value));
  return Buffer.concat(parts);
}

/** What begins a list or a map of so many members. */
function head(kind: number, count: number): Uint8Array {
  const bytes = Buffer.alloc(5, kind);
  bytes.writeUInt32BE(count, 1);
  return bytes;
}
