import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';

const TURNS = 3;

/**
 * Lets the loop take who connected before, and read what they asked: when the port closes the system resets all whom nobody has taken. `taken`
 * counts connections; `node:http` takes one a turn.
 */
export async function takeWaiting(taken: () => number): Promise<void> {
  const endsMs = monotonicMs() + LIMITS.drainTakeMs;
  for (let before = -1; before !== taken() && monotonicMs() < endsMs;) {
    before = taken();
    // The first may end before the loop has looked at its sockets, the next takes, and the last reads: who has been heard is waited for.
    for (let turn = 0; turn < TURNS; turn += 1) await turnOfTheLoop();
  }
}
