import { LIMITS } from '../../config/limits.ts';
import type { ScanRequest } from '../../pool/protocol.ts';
import { Interrupt } from './interrupt.ts';
import type { Tally } from './tally.ts';
import type { ScanTarget } from './target.ts';

type Held = { readonly tally: Tally; readonly target: ScanTarget; readonly request: ScanRequest };

/** Tallies that rest in this thread until they are asked for again. */
export class Tallies {
  readonly #held = new Map<string, Held>();

  /** Takes a tally out, where it is here and what it counts is still mounted as it was. */
  take(request: ScanRequest, target: ScanTarget): Tally | null {
    const held = this.#held.get(keyOf(request));
    if (held === undefined) return null;
    this.#held.delete(keyOf(request));
    return held.target === target ? held.tally : null;
  }

  /** False where as many rest as may: a newcomer then begins anew, so that those that have begun get to their ends. */
  keep(request: ScanRequest, target: ScanTarget, tally: Tally): boolean {
    if (this.#held.size >= LIMITS.talliesHeldMax) return false;
    this.#held.set(keyOf(request), { tally, target, request });
    return true;
  }

  /** Lets go of those whose calls are over. */
  sweep(cancelFlags: Int32Array): void {
    for (const [key, { request }] of this.#held) if (new Interrupt(request, cancelFlags).struck() !== null) this.#held.delete(key);
  }

  get size(): number {
    return this.#held.size;
  }
}

/** A call has one tally a segment. */
function keyOf({ ticket, segment }: ScanRequest): string {
  return `${ticket} ${segment}`;
}
