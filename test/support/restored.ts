import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LakesState } from '../../src/sources/lake/lakes.ts';

/** Waits until all is loaded that was replaced before the lakes were seen first. */
export async function restored(state: () => LakesState): Promise<void> {
  while (state().restoring.length > 0) await nextTurn();
}
