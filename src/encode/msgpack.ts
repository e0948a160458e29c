import { Packr } from 'msgpackr';
import type { FindAnswer } from '../model/answer.ts';
import type { ByteSink } from './byte_sink.ts';
import { encodeJson } from './json.ts';
import type { RowOut, RowShape } from './rows.ts';

/** Plain MessagePack: no extension that another library would not know. */
const PACKR = new Packr({ useRecords: false, variableMapSize: true });
const UTF8 = new TextDecoder();

/** The same object as the page in JSON. The rows are parsed here, and only here: about 8 us each. */
export function encodeMsgpack(sink: ByteSink, rows: readonly RowOut[], shape: RowShape, answer: FindAnswer): void {
  encodeJson(sink, rows, shape, answer);
  const packed = PACKR.pack(JSON.parse(UTF8.decode(sink.view())));
  sink.reset();
  sink.bytes(packed);
}
