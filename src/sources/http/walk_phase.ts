import { OWN_IDENTITY } from '../../model/chunk.ts';

const CLASSES = OWN_IDENTITY + 1;
const CENTISECOND_MS = 10;

/**
 * What places of an API call a phase: the class of the key, and when the walk was begun, so that cursors of the other side that were cut before are not taken for it: what they
 * lead to is what was there then. In hundredths of a second, as it has to fit a cursor.
 */
type WalkPhase = { readonly keyClass: number; readonly begun: number };

/** Of a walk that begins now; before anything is asked for it. */
export function begunNow(): number {
  return Math.floor(Date.now() / CENTISECOND_MS);
}

export function phaseNumber({ keyClass, begun }: WalkPhase): number {
  return begun * CLASSES + keyClass;
}

/** Walks that were begun by an earlier version tell no time: whatever is known will do. */
export function readPhase(phase: number): WalkPhase {
  return { keyClass: phase % CLASSES, begun: Math.floor(phase / CLASSES) };
}
