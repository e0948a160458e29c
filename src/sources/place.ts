import type { Place } from './source.ts';

/** A place as a cursor carries it: `phase.seen.key`, in letters and digits the two numbers. */
export function placeText({ phase, seen, key }: Place): string {
  return `${phase.toString(36)}.${seen.toString(36)}.${key}`;
}

/** Null for the start, and for a text that is no place. */
export function readPlace(text: string): Place | null {
  const [, phase, seen, key] = /^([0-9a-z]{1,8})\.([0-9a-z]{1,10})\.([^]*)$/.exec(text) ?? [];
  return key === undefined ? null : { phase: Number.parseInt(phase!, 36), seen: Number.parseInt(seen!, 36), key };
}
