import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';

/**
 * What signals ask of a command: the first to end, another not to ask. One wish may come as two: Ctrl-C goes from the terminal to all that runs in it,
 * and `npm start`, which is told too, hands on what it is told.
 */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #nowMs: () => number;
  #firstMs: number | null = null;

  constructor(nowMs: () => number = monotonicMs) {
    this.#nowMs = nowMs;
  }

  /** Aborted once the command is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True where the command is to end without being asked. */
  isAnother(name: NodeJS.Signals): boolean {
    return this.end(`stopped by ${name}`) > LIMITS.signalSameMs;
  }

  /** Asks the command to end, and tells for how many milliseconds it has been asked. */
  end(reason: string): number {
    const nowMs = this.#nowMs();
    this.#firstMs ??= nowMs;
    this.#controller.abort(new DOMException(reason, 'AbortError'));
    return nowMs - this.#firstMs;
  }
}
