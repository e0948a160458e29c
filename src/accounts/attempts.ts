import { BurstLog } from './burst_log.ts';
import { waitSeconds } from './denial.ts';

/**
 * How often each of many names tried something within a window. Of more names than are tracked the one that came first is
 * forgotten: memory is bounded, and pushing a name out takes half as many attempts, each counted against its own address.
 */
export class Attempts {
  readonly #windowMs: number;
  readonly #namesMax: number;
  readonly #logs = new Map<string, BurstLog>();

  constructor(windowMs: number, namesMax: number) {
    this.#windowMs = windowMs;
    this.#namesMax = namesMax;
  }

  /** Null: noted. Else the seconds until the next may come, and nothing is noted. */
  tryOne(name: string, attemptsMax: number, nowMs: number): number | null {
    const log = this.#logs.get(name) ?? this.#opened(name, attemptsMax);
    if (log.remaining(nowMs) === 0) return waitSeconds(log.resetMs(nowMs));
    log.note(nowMs);
    return null;
  }

  forget(name: string): void {
    this.#logs.delete(name);
  }

  /** Forgets whoever tried nothing within the window. Costs a pass over the names. */
  sweep(nowMs: number): void {
    for (const [name, log] of this.#logs) if (log.remaining(nowMs) === log.requestsMax) this.#logs.delete(name);
  }

  #opened(name: string, attemptsMax: number): BurstLog {
    if (this.#logs.size >= this.#namesMax) this.#logs.delete(this.#logs.keys().next().value!);
    const log = new BurstLog(attemptsMax, this.#windowMs);
    this.#logs.set(name, log);
    return log;
  }
}
