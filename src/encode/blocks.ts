import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import { nextTurn, turnIsOver } from '../lib/turns.ts';

/**
 * Makes rows block after block and lets others run between two of them. It ends behind the first block that is made after `untilMs`, and where an answer is full. `make` makes those from a row on,
 * as many as one block, and says which is the next. Gives how many were made.
 */
export async function inBlocks(rows: number, untilMs: number, { make, isFull }: { readonly make: (first: number) => number; readonly isFull: () => boolean }): Promise<number> {
  let made = 0;
  while (made < rows) {
    made = make(made);
    if (made === rows || isFull() || monotonicMs() >= untilMs) break;
    if (turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
  }
  return made;
}
