import { monotonicMs, type Clock } from '../../src/lib/clock.ts';

/** A clock that a test moves. */
export class MovedClock implements Clock {
  shiftMs = 0;
  monotonicMs(): number { return monotonicMs() + this.shiftMs; }
  unixMs(): number { return Date.now() + this.shiftMs; }
}
