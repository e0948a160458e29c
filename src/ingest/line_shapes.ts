import type { Duck } from './duckdb.ts';
import type { Encoding } from './dialect.ts';
import type { Input } from './input.ts';
import { openBytes, type Bytes } from './line_ends.ts';
import { lines } from './reader.ts';

/** A line of a file, as far as the place of records needs it. */
export type LineShape = { readonly quotes: number; readonly blank: boolean };

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Every line of a delimited file, also those that are not valid in its encoding: the bytes are looked at as they are. Only what
 * the engine alone can unpack or decode is read through it, and of that the valid lines.
 */
export async function* lineShapes(duck: Duck, input: Input, encoding: Encoding): AsyncIterable<LineShape> {
  const { path, compression } = input;
  if (encoding === 'utf-16' || compression === 'zstd') yield* engineLines(duck, input, encoding);
  else yield* byteLines({ path, compression });
}

async function* engineLines(duck: Duck, input: Input, encoding: Encoding): AsyncIterable<LineShape> {
  const counted = `SELECT coalesce(length(line) - length(replace(line, '"', '')), 0)::INTEGER, (line IS NULL)::INTEGER FROM (${lines(input, null, encoding)})`;
  for await (const [counts, blanks] of duck.batches(counted)) {
    for (let at = 0; at < counts!.length; at += 1) yield { quotes: counts![at] as number, blank: blanks![at] === 1 };
  }
}

/** Lines end in LF, CR LF or CR, as the engine takes them. */
async function* byteLines(input: Bytes): AsyncIterable<LineShape> {
  let quotes = 0;
  let blank = true;
  let afterCr = false;
  for await (const bytes of openBytes(input)) {
    for (const byte of bytes) {
      const second = afterCr && byte === LF;
      afterCr = byte === CR;
      if (second) continue;
      if (byte === LF || byte === CR) {
        yield { quotes, blank };
        quotes = 0;
        blank = true;
      } else {
        blank = false;
        if (byte === QUOTE) quotes += 1;
      }
    }
  }
  if (!blank) yield { quotes, blank };
}
