import type { Phrase, RowWriter } from '../../segment/row_writer.ts';
import { copyable, type RowBuffer } from './row_buffer.ts';

/** Writes rows as their text. */
export class TextRows implements RowWriter {
  textBytes = 0;
  readonly #phrases: { readonly words: DataView; readonly bytes: number }[] = [];

  phrase(text: string): Phrase {
    const bytes = Buffer.from(text);
    return this.#phrases.push({ words: copyable(bytes), bytes: bytes.length }) - 1;
  }

  begin(_out: RowBuffer, at: number): number {
    this.textBytes = 0;
    return at;
  }

  fixed(phrase: Phrase, out: RowBuffer, at: number): number {
    const { words, bytes } = this.#phrases[phrase]!;
    out.reserve(at, bytes);
    this.textBytes += bytes;
    return out.copy(at, words, 0, bytes);
  }

  open(_out: RowBuffer, at: number): number { return at; }

  close(bytes: number): void { this.textBytes += bytes; }

  end(_out: RowBuffer, at: number): number { return at; }

  stencils(): null { return null; }
}
