import type { Duck } from './duckdb.ts';
import type { Dialect } from './dialect.ts';
import type { Escape } from './escapes.ts';
import type { Input } from './input.ts';
import { openBytes, type Bytes } from './line_ends.ts';
import { lines } from './text_lines.ts';

/** A line of a file, as far as the place of records needs it: the quotes in it that open or close a cell, or are doubled within one. */
type LineShape = { readonly quotes: number; readonly blank: boolean };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Every line of a delimited file, those of a piece at a time, also those that are not valid in its encoding: the bytes are looked at as they are. Only what
 * the engine alone can unpack or decode is read through it, and of that the valid lines.
 */
export async function* lineShapes(duck: Duck, input: Input, { encoding, escape }: Pick<Dialect, 'encoding' | 'escape'>): AsyncIterable<readonly LineShape[]> {
  const { path, compression } = input;
  if (encoding === 'utf-16' || compression === 'zstd') yield* engineLines(duck, input, { encoding, escape });
  else yield* byteLines({ path, compression }, escape, duck.signal);
}

async function* engineLines(duck: Duck, input: Input, { encoding, escape }: Pick<Dialect, 'encoding' | 'escape'>): AsyncIterable<readonly LineShape[]> {
  const bare = escape === 'backslash' ? `regexp_replace(line, '\\\\["\\\\]', '', 'g')` : 'line';
  const quotes = escape === 'none' ? '0' : `coalesce(length(${bare}) - length(replace(${bare}, '"', '')), 0)`;
  const counted = `SELECT (${quotes})::INTEGER, (line IS NULL)::INTEGER FROM (${lines(input, null, encoding)})`;
  for await (const [counts, blanks] of duck.batches(counted)) {
    yield counts!.map((quotes, at) => ({ quotes: quotes as number, blank: blanks![at] === 1 }));
  }
}

/** Lines end in LF, CR LF or CR, as the engine takes them. */
async function* byteLines(input: Bytes, escape: Escape, signal: AbortSignal): AsyncIterable<readonly LineShape[]> {
  let quotes = 0;
  let blank = true;
  let afterCr = false;
  let escaped = false;
  for await (const bytes of openBytes(input)) {
    signal.throwIfAborted();
    const shapes: LineShape[] = [];
    for (const byte of bytes) {
      const second = afterCr && byte === LF;
      const isEscaped: boolean = escaped;
      escaped = byte === BACKSLASH && escape === 'backslash' && !isEscaped;
      afterCr = byte === CR;
      if (second) continue;
      if (byte === LF || byte === CR) {
        shapes.push({ quotes, blank });
        quotes = 0;
        blank = true;
      } else {
        blank = false;
        if (byte === QUOTE && !isEscaped && escape !== 'none') quotes += 1;
      }
    }
    yield shapes;
  }
  if (!blank) yield [{ quotes, blank }];
}
