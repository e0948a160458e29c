import { LIMITS } from '../config/limits.ts';

/**
 * Keeps calls away from a source that is gone:
 *
 *   closed ── failures in a row ──▶ open ── a probe answers ──▶ closed
 *                                    ╰── a probe fails ──▶ open, the next probe later
 *
 * Only probes are sent while it is open: no caller's time is spent on finding out. Pure: the caller brings clock and chance.
 */
export class Breaker {
  #failures = 0;
  #probes = 0;
  #open: boolean;
  /** Scans in a row that were given too little time to blame the source, since when, and whether it was asked about them. */
  #short = 0;
  #shortSinceMs = 0;
  #asked = false;

  /** A source that was never heard of begins open, with a probe due at once. */
  constructor(open: boolean) { this.#open = open; }

  get open(): boolean { return this.#open; }

  /** True when this failure opened it. */
  failed(): boolean {
    this.#failures += 1;
    if (this.#open || this.#failures < LIMITS.breakerFailures) return false;
    this.#open = true;
    return true;
  }

  /** It was asked what it is, and does not say. True when this opened it. */
  gone(): boolean {
    const opens = !this.#open;
    this.#open = true;
    return opens;
  }

  /** A scan ran out of too little time. True when the source should be asked whether it is there: so many in a row, for so long, and it was not heard between them. */
  ranShort(nowMs: number): boolean {
    if (this.#open || this.#asked) return false;
    if (this.#short === 0) this.#shortSinceMs = nowMs;
    this.#short += 1;
    this.#asked = this.#short >= LIMITS.breakerFailures && nowMs - this.#shortSinceMs >= LIMITS.breakerSilenceMs;
    return this.#asked;
  }

  /** What it was asked then has no answer. True when this opened it: it was not heard in the meantime either. */
  unheard(): boolean {
    if (this.#open || !this.#asked) return false;
    this.#open = true;
    return true;
  }

  /** It is there, whatever came of its scans. */
  heard(): void {
    this.#short = 0;
    this.#asked = false;
  }

  answered(): void {
    this.heard();
    this.#failures = 0;
    this.#probes = 0;
    this.#open = false;
  }

  /** How long to wait before the next probe: twice as long each time, spread by `chance` in [0, 1) so that many gateways do not probe at once. */
  probeInMs(chance: number): number {
    const ms = Math.min(LIMITS.probeMsMax, LIMITS.probeMsMin * 2 ** this.#probes);
    this.#probes += 1;
    return ms * (0.5 + chance / 2);
  }
}
