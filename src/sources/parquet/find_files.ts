import type { Dirent } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve, sep } from 'node:path';
import { stopped } from '../stopped.ts';

/** Where the files of a path are: the part before the first sign of a pattern, which alone may be read. */
export type Whereabouts = { readonly pattern: string; readonly folder: string; readonly isPattern: boolean };

export function whereabouts(path: string): Whereabouts {
  const pattern = isAbsolute(path) ? path : resolve(path);
  const sign = pattern.search(/[*?[]/);
  return sign === -1
    ? { pattern, folder: `${pattern}${sep}`, isPattern: false }
    : { pattern, folder: pattern.slice(0, pattern.lastIndexOf(sep, sign) + 1), isPattern: true };
}

/** `unseen`: folders that are there, and whose files nobody can tell. */
type Found = { readonly paths: readonly string[]; readonly unseen: number };

/**
 * What programs that write folders of files keep beside their data: files that are not done, logs, snapshots, what a system says of a file. A part, as
 * `_day=1`, is data.
 */
const ASIDE = /^(?:[.]|_[^=]*$)/;

/** What stands at the root of many a disk, for its repair: none but root may look into it. */
const FOR_REPAIR = 'lost+found';

/** A step of a path: a name, the names that fit a pattern, or as many folders as there are. */
type Step = string | RegExp | null;

/**
 * The files of a path, and whatever else has such a name. The engine would find them too, but passes over folders that it may not look into, or whose disk
 * fails, as though they were empty: their rows would be missing from answers that seem whole. One folder at a time: each call holds a thread
 * of the process, for good where a disk hangs.
 */
export async function findFiles({ pattern, folder, isPattern }: Whereabouts, signal: AbortSignal): Promise<Found> {
  const isFolder = await stat(pattern).then((found) => found.isDirectory(), () => false);
  if (!isFolder && !isPattern) return { paths: [pattern], unseen: 0 };
  const [paths, unseen] = [new Set<string>(), new Set<string>()];

  async function walk(at: string, steps: readonly Step[]): Promise<void> {
    const [step, ...rest] = steps;
    if (typeof step !== 'string') return among(at, await entriesOf(at), steps);
    if (rest.length > 0) await walk(join(at, step), rest);
    else paths.add(join(at, step));
  }

  async function among(at: string, entries: readonly Dirent[], [step, ...rest]: readonly Step[]): Promise<void> {
    for (const entry of entries) {
      if (isFolder && ASIDE.test(entry.name)) continue;
      const path = join(at, entry.name);
      // A link to a folder is followed where the path names it, and not on the way through all folders: it may lead back.
      if (step === null && entry.isDirectory()) await walk(path, [step, ...rest]);
      else if (step !== null && !(step as RegExp).test(entry.name)) continue;
      else if (rest.length === 0 && !entry.isDirectory()) paths.add(path);
      else if (step !== null && rest.length > 0 && (entry.isDirectory() || entry.isSymbolicLink())) await walk(path, rest);
    }
    if (step === null && rest.length > 0) await (typeof rest[0] === 'string' ? walk(at, rest) : among(at, entries, rest));
  }

  async function entriesOf(at: string): Promise<readonly Dirent[]> {
    if (signal.aborted) throw stopped();
    try {
      return await readdir(at, { withFileTypes: true });
    } catch (error) {
      if (basename(at) !== FOR_REPAIR && await isThere(at, error)) unseen.add(resolve(at));
      return [];
    }
  }

  await (isFolder ? walk(pattern, [null, /\.parquet$/]) : walk(folder, pattern.slice(folder.length).split(sep).filter((part) => part !== '').map(stepOf)));
  return { paths: [...paths], unseen: unseen.size };
}

/** Whether what could not be looked at is there all the same, as a folder of others is, or a link whose end is gone. What is no folder holds no files. */
export async function isThere(path: string, error: unknown): Promise<boolean> {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'ENOENT') return code !== 'ENOTDIR';
  return lstat(resolve(path)).then((found) => found.isSymbolicLink(), () => false);
}

/** As the engine reads patterns: `*`, `?`, and `[...]` with ranges, none of these where it begins with `!`. */
function stepOf(part: string): Step {
  if (part === '**') return null;
  if (!/[*?[]/.test(part)) return part;
  const text = part.replace(/\[(!?)(\]?[^\]]*)\]|\*+|\?|[^]/gu, (sign, not: string | undefined, set: string | undefined) => {
    if (set !== undefined && set !== '') return `[${not === '!' ? '^' : ''}${set.replace(/[^]-[^]/gu, rangeOf).replace(/[\\\][^]/g, '\\$&')}]`;
    if (sign.startsWith('*')) return '.*';
    return sign === '?' ? '.' : sign.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  });
  return new RegExp(`^${text}$`, 'su');
}

/** One that ends before it begins holds nothing. */
function rangeOf(range: string): string {
  const [first, , last] = [...range];
  return first!.codePointAt(0)! <= last!.codePointAt(0)! ? range : '';
}
