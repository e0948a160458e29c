import { open, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../config/limits.ts';
import { makeLastingFolder } from '../../config/folder.ts';
import { HOLDER, holderOf, livesWhere, ownHolder } from '../holder.ts';
import { namesIn } from './paths.ts';

/**
 * One writer a lake source. A contender makes `LOCK-PID-START-WHERE`, its own file (see `holder`), and holds the lock if then no other
 * such file belongs to a live process. Because each first creates and then looks, two can never both hold it (both may be refused);
 * nothing that a dead process leaves behind needs to be taken over under a race.
 */
const LOCK_FILE = new RegExp(`^LOCK-${HOLDER}$`);

/** `file` is touched for as long as the lock is held. */
export type Lock = { readonly file: string; release(): Promise<void> };

export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';
  readonly pid: number;

  constructor(pid: number, elsewhere = false) {
    const whose = elsewhere ? `process ${pid} of another machine or container, or it was until ${LIMITS.lockTrustMs / 60_000} minutes ago` : `process ${pid}`;
    super(`another writer is at work on this source (${whose}); wait until it has ended`);
    this.pid = pid;
  }
}

/** For a writer, whom a gateway that sweeps for a moment must not turn away. */
export async function awaitLock(dir: string): Promise<Lock> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await acquireLock(dir);
    } catch (error) {
      if (!(error instanceof LockHeldError) || tries === LIMITS.lockTriesMax) throw error;
      await sleep(LIMITS.lockTryAgainMs);
    }
  }
}

export async function acquireLock(dir: string): Promise<Lock> {
  const own = `LOCK-${await ownHolder()}`;
  const file = join(dir, own);
  await create(file);
  const timer = setInterval(() => { void utimes(file, new Date(), new Date()).catch(() => {}); }, LIMITS.lockTouchMs).unref();
  const release = (): Promise<void> => {
    clearInterval(timer);
    return rm(file, { force: true });
  };
  try {
    await removeDead(dir, own);
  } catch (error) {
    await release();
    throw error;
  }
  return { file, release };
}

async function create(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    makeLastingFolder(dirname(path));
    try {
      return await (await open(path, 'wx')).close();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') throw new LockHeldError(process.pid);
      // Another writer, who made the folder and published nothing, has just taken it away.
      if (code !== 'ENOENT' || tries === LIMITS.lockTriesMax) throw error;
    }
  }
}

/** Throws where another file is of a live process. */
async function removeDead(dir: string, own: string): Promise<void> {
  const others = (await namesIn(dir)).filter((name) => LOCK_FILE.test(name) && name !== own);
  for (const name of others) {
    const holder = holderOf(LOCK_FILE.exec(name)!.slice(1));
    const lives = await livesWhere(holder, join(dir, name), join(dir, own));
    if (lives !== null) throw new LockHeldError(holder.pid, lives === 'elsewhere');
    await rm(join(dir, name), { force: true });
  }
}
