/** The times of the latest requests, oldest first in a ring: at most `requestsMax` in any span of `windowMs`, exactly. Constant time, 8 bytes a request. */
export class BurstLog {
  readonly requestsMax: number;
  readonly #windowMs: number;
  readonly #times: Float64Array;
  #oldest = 0;
  #length = 0;

  constructor(requestsMax: number, windowMs: number) {
    this.requestsMax = requestsMax;
    this.#windowMs = windowMs;
    this.#times = new Float64Array(requestsMax);
  }

  /** How many of the window before `nowMs` are left. */
  remaining(nowMs: number): number {
    while (this.#length > 0 && nowMs - this.#times[this.#oldest]! >= this.#windowMs) {
      this.#oldest = (this.#oldest + 1) % this.requestsMax;
      this.#length -= 1;
    }
    return this.requestsMax - this.#length;
  }

  /** Until the oldest request leaves the window. */
  resetMs(nowMs: number): number {
    return this.remaining(nowMs) === this.requestsMax ? 0 : this.#times[this.#oldest]! + this.#windowMs - nowMs;
  }

  /** Where nothing remains, as for one that others let in, the oldest gives way: of too many requests the latest decide. */
  note(nowMs: number): void {
    this.#times[(this.#oldest + this.#length) % this.requestsMax] = nowMs;
    if (this.#length < this.requestsMax) this.#length += 1;
    else this.#oldest = (this.#oldest + 1) % this.requestsMax;
  }

  /** The same past under another cap. */
  resized(requestsMax: number): BurstLog {
    const log = new BurstLog(requestsMax, this.#windowMs);
    for (let index = 0; index < this.#length; index += 1) {
      log.note(this.#times[(this.#oldest + index) % this.requestsMax]!);
    }
    return log;
  }
}
