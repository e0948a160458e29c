import { LIMITS } from '../config/limits.ts';
import { SegmentRefused } from '../segment/refused.ts';

/**
 * Whether rows that are served meanwhile are what was sealed. A disk that fails for a moment, as one over a network may, has not spoilt them: they are read
 * again a few times before they count as lost.
 */
export function rowsHold(verify: () => void, pause: (ms: number) => void): boolean {
  for (let tries = 1; ; tries += 1) {
    try {
      verify();
      return true;
    } catch (error) {
      if (error instanceof SegmentRefused || tries === LIMITS.rowsVerifyTriesMax) return false;
      pause(LIMITS.rowsVerifyAgainMs);
    }
  }
}
