import type { Waiting } from '../stalls.ts';
import type { Surroundings } from '../surroundings.ts';
import type { HttpResponse } from './native.ts';

/**
 * What the kernel did not take of an answer: for the handler the answer has ended, for the drain and for the patience with the reader it has
 * not. The library is given again what it did not take, and holds nothing of it: how much, it counts from the first byte of the body.
 * A request that comes before the caller has taken all closes the connection, as does one that comes while an answer is made.
 */
export class Tail implements Waiting {
  readonly patienceMs: number;
  patienceEndsMs: number | null = null;
  rosterPlace = -1;
  readonly #response: HttpResponse;
  readonly #around: Surroundings;
  readonly #bytesOfAnswer: number;
  /** Of the copy, until the end, however little of it is left. */
  readonly #heldBytes: number;
  #rest: Uint8Array;

  /** Copies what is left of `body`. */
  constructor(response: HttpResponse, body: Uint8Array, around: Surroundings) {
    this.#response = response;
    this.#around = around;
    this.#bytesOfAnswer = body.byteLength;
    this.#rest = Uint8Array.prototype.slice.call(body, response.getWriteOffset());
    this.#heldBytes = this.#rest.byteLength;
    around.unread.bytes += this.#heldBytes;
    this.patienceMs = around.bounds.streamStallMs;
    response.onWritable(() => { this.look(); return true; });
    around.running.enter();
    around.stalls.add(this);
  }

  /** Asked for by each sweep as well: the kernel tells of room late, and the library's own timer begins anew with each try. */
  look(): void {
    const response = this.#response;
    const before = response.getWriteOffset();
    let complete = false;
    response.cork(() => { [, complete] = response.tryEnd(this.#rest, this.#bytesOfAnswer); });
    if (complete) {
      this.over();
      return;
    }
    const taken = response.getWriteOffset() - before;
    if (taken === 0) {
      if (this.#isInTheWay()) this.cut();
      return;
    }
    this.#rest = this.#rest.subarray(taken);
    this.patienceEndsMs = null;
  }

  cut(): void {
    this.#response.close();
  }

  /** All is handed over, or the reader left; once. */
  over(): void {
    if (this.rosterPlace === -1) return;
    this.#around.stalls.remove(this);
    this.#around.unread.bytes -= this.#heldBytes;
    this.#around.running.leave();
  }

  /** Where too much is held for all: whoever took nothing from one sweep to the next goes first, until it is little enough. An account's places are for calls under way, so that these are bounded by nothing else. */
  #isInTheWay(): boolean {
    return this.patienceEndsMs !== null && this.#around.unread.bytes > this.#around.bounds.unreadBytesMax;
  }
}
