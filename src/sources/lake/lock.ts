import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../config/folder.ts';
import { namesIn } from './paths.ts';

/**
 * One writer a lake source. A contender makes `LOCK-PID-START`, its own file, and holds the lock if then no other such file belongs
 * to a live process; START tells a process from a later one with the same PID. Because each first creates and then looks, two can
 * never both hold it (both may be refused); nothing that a dead process leaves behind needs to be taken over under a race.
 */
const LOCK_FILE = /^LOCK-(\d+)-(\d+)$/;

export type Lock = { release(): Promise<void> };

export class LockHeldError extends Error {
  override readonly name = 'LockHeldError';
  readonly pid: number;

  constructor(pid: number) {
    super(`another writer is at work on this source (process ${pid}); wait until it has ended`);
    this.pid = pid;
  }
}

export async function acquireLock(dir: string): Promise<Lock> {
  makeFolder(dir);
  const own = `LOCK-${process.pid}-${await startOf(process.pid)}`;
  await create(join(dir, own));
  const release = (): Promise<void> => rm(join(dir, own), { force: true });
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
  for (const name of others) {
    const [, pid, start] = LOCK_FILE.exec(name)!;
    if ((await startOf(Number(pid))) === start) throw new LockHeldError(Number(pid));
    await rm(join(dir, name), { force: true });
  }
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
