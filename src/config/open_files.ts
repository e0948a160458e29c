import { readFileSync } from 'node:fs';
import { LIMITS } from './limits.ts';

/** How many files the process may have open: of Linux's list of its limits the soft one, which Node raises to the hard one when it starts. Null where that cannot be read. */
export function openFilesMax(limits = readLimits()): number | null {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  if (soft === undefined) return null;
  return soft === 'unlimited' ? Infinity : Number(soft);
}

/** Connections of callers at once: the rest of the files is for what serves them, which reads lakes, and asks sources, stores and resolvers. */
export function connectionsMax(filesMax = openFilesMax()): number {
  if (filesMax === null || filesMax === Infinity) return Infinity;
  return Math.max(1, filesMax - Math.max(LIMITS.openFilesKeptMin, Math.floor(filesMax / LIMITS.openFilesKeptOneIn)));
}

function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
