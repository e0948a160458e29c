import type { ByteSink } from '../encode/byte_sink.ts';
import { metaOf } from './envelope.ts';
import type { StreamEnd } from './open.ts';
import type { ValidateRequest } from './request.ts';
import type { ResultTexts } from './result_texts.ts';

const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;

/** `JSON.stringify` of the envelope of a whole call, in the making: results go to `sink` as they come, and are put in order in the end where they came out of it. */
export class AnswerText implements ResultTexts {
  readonly sink: ByteSink;
  readonly #single: boolean;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;
  #written = 0;
  #inOrder = true;

  constructor(sink: ByteSink, { addresses, single }: ValidateRequest) {
    this.sink = sink;
    this.#single = single;
    this.#starts = new Uint32Array(addresses.length);
    this.#ends = new Uint32Array(addresses.length);
    this.#begin(sink);
  }

  open(index: number): void {
    if (this.#written > 0) this.sink.byte(COMMA);
    if (index !== this.#written) this.#inOrder = false;
    this.#written += 1;
    this.#starts[index] = this.sink.length;
    this.sink.byte(OPEN_BRACE);
  }

  close(index: number): void {
    this.#ends[index] = this.sink.length;
  }

  /** The answer, once every result is there; `spare` takes it where they have to be put in order. Valid until the next write to either. */
  finish(end: StreamEnd, requestId: string, spare: ByteSink): Uint8Array {
    const whole = this.#inOrder ? this.sink : this.#inOrderIn(spare);
    if (!this.#single) whole.text(`],"summary":${JSON.stringify(end.summary)}}`);
    whole.text(`,"meta":${JSON.stringify(metaOf(end, requestId))}}`);
    return whole.view();
  }

  #begin(sink: ByteSink): void {
    sink.text(this.#single ? '{"data":' : '{"data":{"results":[');
  }

  /** What lies in order already is copied at once, with the commas in between. */
  #inOrderIn(sink: ByteSink): ByteSink {
    const bytes = this.sink.view();
    const starts = this.#starts;
    const ends = this.#ends;
    sink.reset();
    this.#begin(sink);
    for (let first = 0; first < starts.length;) {
      let last = first;
      while (last + 1 < starts.length && starts[last + 1] === ends[last]! + 1) last += 1;
      if (first > 0) sink.byte(COMMA);
      sink.bytes(bytes, starts[first], ends[last]);
      first = last + 1;
    }
    return sink;
  }
}
