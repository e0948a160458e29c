import { createHash } from 'node:crypto';
import { readFile, readlink, stat } from 'node:fs/promises';
import { LIMITS } from '../config/limits.ts';

/**
 * Whose a file is, by its name: `PID-START-WHERE`. START tells a process from a later one with the same PID. WHERE tells machines and
 * containers apart that share the folder: a process elsewhere cannot be looked at, and lives for as long as it touches its file.
 */
type Holder = { readonly pid: number; readonly start: string; readonly where: string | undefined };

/** The source of a pattern; `holderOf` takes its three groups. */
export const HOLDER = '(\\d+)-(\\d+)(?:-([0-9a-f]+))?';

export function holderOf([pid, start, where]: readonly (string | undefined)[]): Holder {
  return { pid: Number(pid), start: start!, where };
}

/** The name of this process. */
export async function ownHolder(): Promise<string> {
  return `${process.pid}-${await startOf(process.pid)}-${await whereabouts()}`;
}

/** Where the holder of the file lives, if it does; `lately` is a file that was touched a short while ago, and tells the time of the folder. */
export async function livesWhere({ pid, start, where }: Holder, file: string, lately: string): Promise<'here' | 'elsewhere' | null> {
  if (where === undefined || where === await whereabouts()) return isStart(start, await startOf(pid)) ? 'here' : null;
  return (await wasTouched(file, lately)) ? 'elsewhere' : null;
}

/** Whether it was a process of this machine, or container, and is gone. */
export async function endedHere({ pid, start, where }: Holder): Promise<boolean> {
  return where === await whereabouts() && !isStart(start, await startOf(pid));
}

/** Clocks of machines that share a folder agree better than that: a time yet to come is of a clock that was put back since, and was not touched again. One that is gone meanwhile was let go. */
async function wasTouched(file: string, lately: string): Promise<boolean> {
  const touchedMs = await stat(file).then(({ mtimeMs }) => mtimeMs, () => -Infinity);
  return Math.abs((await stat(lately)).mtimeMs - touchedMs) < LIMITS.lockTrustMs;
}

let here: Promise<string> | null = null;

/** The same for all processes that see each other, until the machine starts anew; of other systems than Linux all are taken for one. */
function whereabouts(): Promise<string> {
  return (here ??= readWhereabouts());
}

async function readWhereabouts(): Promise<string> {
  const parts = [readFile('/proc/sys/kernel/random/boot_id', 'latin1'), readlink('/proc/self/ns/pid')].map((part) => part.catch(() => ''));
  return createHash('sha256').update((await Promise.all(parts)).join()).digest('hex').slice(0, 16);
}

/** Whether a process that lives now may be the one that began then: of two of whom one is not told they are taken for the same. */
function isStart(then: string, now: string | null): boolean {
  return now !== null && (now === then || now === UNTOLD || then === UNTOLD);
}

const UNTOLD = '0';

/**
 * When a process began, in the kernel's clock ticks; `UNTOLD` where it lives but that is not told, as by other systems, to other users, and
 * where no more files can be opened; null for a dead one.
 */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? UNTOLD;
  } catch {
    return isAlive(pid) ? UNTOLD : null;
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
