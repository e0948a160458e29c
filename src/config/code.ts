import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));

export const REPLACED = 'the code of the service was replaced while it runs: restart it';

/** Told by name, size and time, and not read: some 700 files, at the start of every thread. */
export function codeIn(folder: string): string {
  const found = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.js')).sort()) {
    const { size, mtimeMs, ino } = statSync(`${folder}/${name}`);
    found.update(`${name} ${size} ${mtimeMs} ${ino}\n`);
  }
  return found.digest('hex');
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
