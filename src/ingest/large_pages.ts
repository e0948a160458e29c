import { readFileSync } from 'node:fs';
import { foreignCalls } from '../lib/foreign_calls.ts';
import { unbroken } from '../lib/unbroken.ts';

/** What `madvise` is told by, which has this number on Linux alone. */
const HUGE_PAGES = 14;

/** Larger ones than these, as some systems on ARM have, are more than a small ingest takes in all. */
const PAGE_BYTES_MAX = 1 << 21;

/** A line of `/proc/self/maps` for memory that is no file's, may be written, and has no name. */
const OWN_MEMORY = /^([0-9a-f]+)-([0-9a-f]+) rw-p 0+ 00:00 0 *$/;

/**
 * Asks for pages of 2 MB in each piece of memory that is set aside and as large as that: the engine's, which it takes in blocks, one behind the other. Where they
 * are given to whoever asks (`madvise` of /sys/kernel/mm/transparent_hugepage/enabled) its pages come at once instead of one of 4 KB after the other, and the
 * processor finds them sooner. Changes nothing else, and nothing at all where the system has no such pages.
 */
export function askLargePages(bytesMin: number): void {
  if (process.platform !== 'linux') return;
  unbroken(() => {
    try {
      const calls = foreignCalls();
      if (calls === null || Number(readFileSync('/sys/kernel/mm/transparent_hugepage/hpage_pmd_size', 'utf8')) > PAGE_BYTES_MAX) return;
      const advise = calls.load(null).func('int madvise(uintptr_t address, size_t length, int advice)');
      for (const { start, bytes } of ownMemory()) if (bytes >= bytesMin) advise(start, bytes, HUGE_PAGES);
    } catch {
      // Then the pages are as they are.
    }
  });
}

function ownMemory(): { readonly start: bigint; readonly bytes: number }[] {
  return readFileSync('/proc/self/maps', 'utf8').split('\n').flatMap((line) => {
    const told = OWN_MEMORY.exec(line);
    if (told === null) return [];
    const [start, end] = [BigInt(`0x${told[1]!}`), BigInt(`0x${told[2]!}`)];
    return [{ start, bytes: Number(end - start) }];
  });
}
