import { LIMITS } from '../config/limits.ts';
import type { Clock } from '../lib/clock.ts';

/** Tells what is worth a line from what was said a moment ago: of one thing the same again, within `LIMITS.logRepeatMs`, is not. As many things as it hears of are remembered. */
export class Repeats {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #said = new Map<string, { readonly text: string; readonly atMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  isNews(about: string, text: string): boolean {
    const atMs = this.#clock.monotonicMs();
    const last = this.#said.get(about);
    if (last !== undefined && last.text === text && atMs - last.atMs < LIMITS.logRepeatMs) return false;
    this.#said.set(about, { text, atMs });
    return true;
  }
}
