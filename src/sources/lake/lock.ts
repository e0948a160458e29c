import { createHash } from 'node:crypto';
import { open, readFile, readlink, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../config/limits.ts';
import { makeFolder } from '../../config/folder.ts';
import { namesIn } from './paths.ts';

/**
 * One writer a lake source. A contender makes `LOCK-PID-START-WHERE`, its own file, and holds the lock if then no other such file belongs
 * to a live process; START tells a process from a later one with the same PID. Because each first creates and then looks, two can
 * never both hold it (both may be refused); nothing that a dead process leaves behind needs to be taken over under a race.
 *
 * WHERE tells machines and containers apart that share the folder: a process elsewhere cannot be looked at, and lives for as long as it
 * touches its file.
 */
const LOCK_FILE = /^LOCK-(\d+)-(\d+)(?:-([0-9a-f]+))?$/;

export type Lock = { release(): Promise<void> };

export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';
  readonly pid: number;

  constructor(pid: number, elsewhere = false) {
    const whose = elsewhere ? `process ${pid} of another machine or container, or it was until ${LIMITS.lockTrustMs / 60_000} minutes ago` : `process ${pid}`;
    super(`another writer is at work on this source (${whose}); wait until it has ended`);
    this.pid = pid;
  }
}

export async function acquireLock(dir: string): Promise<Lock> {
  makeFolder(dir);
  const own = `LOCK-${process.pid}-${await startOf(process.pid)}-${await whereabouts()}`;
  const path = join(dir, own);
  await create(path);
  const timer = setInterval(() => { void utimes(path, new Date(), new Date()).catch(() => {}); }, LIMITS.lockTouchMs).unref();
  const release = (): Promise<void> => {
    clearInterval(timer);
    return rm(path, { force: true });
  };
  try {
    await removeDead(dir, own);
  } catch (error) {
    await release();
    throw error;
  }
  return { release };
}

async function create(path: string): Promise<void> {
  try {
    await (await open(path, 'wx')).close();
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? new LockHeldError(process.pid) : error;
  }
}

/** Throws where another file is of a live process. */
async function removeDead(dir: string, own: string): Promise<void> {
  const others = (await namesIn(dir)).filter((name) => LOCK_FILE.test(name) && name !== own);
  const here = await whereabouts();
  for (const name of others) {
    const [, pid, start, where = here] = LOCK_FILE.exec(name)!;
    if (where !== here && await wasTouched(dir, name, own)) throw new LockHeldError(Number(pid), true);
    if (where === here && (await startOf(Number(pid))) === start) throw new LockHeldError(Number(pid));
    await rm(join(dir, name), { force: true });
  }
}

/** Against the time of `own`, which was just made; clocks of machines that share a folder agree better than that. One that is gone meanwhile was let go. */
async function wasTouched(dir: string, name: string, own: string): Promise<boolean> {
  const touchedMs = await stat(join(dir, name)).then(({ mtimeMs }) => mtimeMs, () => -Infinity);
  return (await stat(join(dir, own))).mtimeMs - touchedMs < LIMITS.lockTrustMs;
}

/** The same for all processes that see each other, until the machine starts anew; of other systems than Linux all are taken for one. */
async function whereabouts(): Promise<string> {
  const parts = [readFile('/proc/sys/kernel/random/boot_id', 'latin1'), readlink('/proc/self/ns/pid')].map((part) => part.catch(() => ''));
  return createHash('sha256').update((await Promise.all(parts)).join()).digest('hex').slice(0, 16);
}

/** When a process began, in the kernel's clock ticks; `0` where the system does not tell but the process lives; null for a dead one. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0';
  } catch {
    return process.platform === 'linux' || !isAlive(pid) ? null : '0';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
