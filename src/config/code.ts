import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));

export const REPLACED = 'the code of the service was replaced while it runs: restart it';

/** Told by name, size and time, and not read: some 700 files, at the start of every thread. */
export function codeIn(folder: string): string {
  return createHash('sha256').update(filesIn(folder).sort().join('')).digest('hex');
}

/** Not by `readdirSync` with `recursive`, which takes three times as long. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesIn(path);
    if (!path.endsWith('.js')) return [];
    const { size, mtimeMs, ino } = statSync(path);
    return [`${path} ${size} ${mtimeMs} ${ino}\n`];
  });
}

/** For the `argv` of a thread: the code of which this one is. */
export const THIS_CODE: readonly string[] = [isMainThread ? codeIn(FOLDER) : process.argv[2] ?? ''];

/**
 * Called by what a thread begins with, when all that it is made of was read. What an upgrade in place puts there says the same
 * things to the rest of the process in another way: such a thread is none rather than one that is misunderstood.
 */
export function refuseOtherCode(): void {
  const [, , told = ''] = process.argv;
  if (!isMainThread && told !== '' && told !== codeIn(FOLDER)) throw new Error(REPLACED);
}
