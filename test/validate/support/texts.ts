import { ByteSink } from '../../../src/encode/byte_sink.ts';
import type { ResultTexts } from '../../../src/validate/result_texts.ts';

/** Keeps each text by its index, with the brace that it lacks. */
export class KeptTexts implements ResultTexts {
  readonly sink = new ByteSink();
  readonly texts: string[] = [];
  /** The indexes as they came. */
  readonly order: number[] = [];

  open(index: number): void {
    this.order.push(index);
    this.sink.reset();
    this.sink.byte(0x7b);
  }

  close(index: number): void {
    if (this.texts[index] !== undefined) throw new Error(`a second result for ${index}`);
    this.texts[index] = Buffer.from(this.sink.view()).toString();
  }
}
