import { LIMITS } from '../../config/limits.ts';
import type { FailureCode } from '../source.ts';

/** An attempt that failed before it gave anything. */
export type Failed = {
  readonly code: FailureCode;
  /** Whether the other side may have begun to work on it. */
  readonly started: boolean;
  /** Attempts so far, this one among them. */
  readonly attempts: number;
  /** Replicas that have not been asked. */
  readonly replicasLeft: number;
};

/** Where to ask again, and after how long. */
export type Again = { readonly where: 'same' | 'other'; readonly afterMs: number };

/**
 * Whether a search that failed is asked once more. The same server only where it never began with it, and after a while, so that many callers
 * do not come back as one; another one at once, whatever befell the first, but for a search that it would not run either. `chance` in [0, 1).
 */
export function askAgain({ code, started, attempts, replicasLeft }: Failed, chance: number): Again | null {
  if (!LOCAL[code]) return null;
  if (replicasLeft > 0) return { where: 'other', afterMs: 0 };
  if (started || attempts > 1) return null;
  return { where: 'same', afterMs: LIMITS.retryMsMin + chance * (LIMITS.retryMsMax - LIMITS.retryMsMin) };
}

/** Failures of one server, and none of the search itself. */
const LOCAL: Readonly<Record<FailureCode, boolean>> = {
  unreachable: true, broken: true, malformed: true, overloaded: true, partial: true, changed: true, refused: false, looped: false, too_many: false, incomplete: false,
};
