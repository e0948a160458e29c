import type { Duck } from './duckdb.ts';
import type { Dialect } from './dialect.ts';
import type { Encoding } from './encodings.ts';
import type { Escape } from './escapes.ts';
import type { Input } from './input.ts';
import { openBytes } from './line_ends.ts';
import { lines } from './text_lines.ts';

/** A line of a file, as far as the place of records needs it: whether it ends amid a quoted cell, so that the next goes on with its record. */
type LineShape = { readonly open: boolean; readonly blank: boolean };

type Written = Pick<Dialect, 'encoding' | 'escape' | 'delimiter'>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANK = 0x20;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Every line of a delimited file, those of a piece at a time, also those that are not valid in its encoding: the bytes are looked at as they are. Only what
 * the engine alone can unpack or decode is read through it, and of that the valid lines.
 */
export async function* lineShapes(duck: Duck, input: Input, written: Written): AsyncIterable<readonly LineShape[]> {
  const { path, compression } = input;
  const scan = new LineScan(written);
  const pieces = written.encoding === 'utf-16' || compression === 'zstd' ? engineLines(duck, input, written.encoding) : openBytes({ path, compression });
  for await (const bytes of pieces) {
    duck.signal.throwIfAborted();
    yield scan.lines(bytes);
  }
  yield scan.rest();
}

async function* engineLines(duck: Duck, input: Input, encoding: Encoding): AsyncIterable<Buffer> {
  for await (const [texts] of duck.batches(lines(input, null, encoding))) yield Buffer.from(texts!.map((text) => `${(text as string | null) ?? ''}\n`).join(''));
}

/** Lines end in LF, CR LF or CR, and a cell is quoted where a quote is the first of it but for blanks, as the engine takes them: any other quote is a letter. */
class LineScan {
  readonly #escape: Escape;
  /** Of a delimiter of several bytes the last. */
  readonly #delimiter: number;
  #open = false;
  #begins = true;
  #closed = false;
  #escaped = false;
  #afterCr = false;
  #blank = true;

  constructor({ escape, delimiter }: Written) {
    this.#escape = escape;
    this.#delimiter = Buffer.from(delimiter).at(-1)!;
  }

  lines(bytes: Buffer): LineShape[] {
    const shapes: LineShape[] = [];
    for (const byte of bytes) {
      const second = this.#afterCr && byte === LF;
      this.#afterCr = byte === CR;
      if (second) continue;
      if (byte === LF || byte === CR) shapes.push(this.#end());
      else this.#letter(byte);
    }
    return shapes;
  }

  /** What stands behind the last line end. */
  rest(): LineShape[] {
    return this.#blank ? [] : [this.#end()];
  }

  #end(): LineShape {
    const shape = { open: this.#open, blank: this.#blank };
    this.#blank = true;
    this.#begins = true;
    this.#closed = this.#escaped = false;
    return shape;
  }

  #letter(byte: number): void {
    const [closed, escaped] = [this.#closed, this.#escaped];
    this.#closed = this.#escaped = this.#blank = false;
    if (byte === BACKSLASH && this.#escape === 'backslash' && !escaped) this.#escaped = true;
    else if (byte === QUOTE && this.#escape !== 'none' && !escaped) this.#quote(closed);
    if (!this.#open) this.#begins = byte === this.#delimiter || (byte === BLANK && this.#begins);
  }

  /** `closed`: the letter before closed a cell; it is one of a pair then, within the cell. */
  #quote(closed: boolean): void {
    this.#closed = this.#open;
    this.#open = !this.#open && (closed || this.#begins);
  }
}
