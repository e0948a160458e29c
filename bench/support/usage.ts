import { readdirSync, readFileSync } from 'node:fs';

/** Of Linux: the unit of the times in /proc. */
const TICKS_PER_SECOND = 100;
const NS_PER_SECOND = 1e9;
const PAGE_KIB = 1_024;

/** The fields of /proc/PID/stat after the name of the command, which may hold blanks. Field n of proc(5) is `[n - 3]`. */
function statOf(pid: number | 'self'): number[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ').map(Number);
}

/** Processor time of a process and all its threads since it began: by ticks, or where that is more, as of what takes less than one, by the nanoseconds of the threads that live. */
export function cpuSeconds(pid: number): number {
  const stat = statOf(pid);
  return Math.max((stat[11]! + stat[12]!) / TICKS_PER_SECOND, livingThreadsNs(pid) / NS_PER_SECOND);
}

function livingThreadsNs(pid: number): number {
  const threads = `/proc/${pid}/task`;
  return readdirSync(threads).reduce((total, thread) => total + threadNs(`${threads}/${thread}`), 0);
}

/** 0 of one that has ended meanwhile, or where the kernel does not count them. */
function threadNs(thread: string): number {
  try {
    return Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}

/** Processor time of all children of this process that have ended and been waited for. */
export function endedChildrenCpuSeconds(): number {
  const stat = statOf('self');
  return (stat[13]! + stat[14]!) / TICKS_PER_SECOND;
}

/** The same of a process, its children that have ended, and those that run: a server with a process for each session. */
export function familyCpuSeconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter((child) => child !== '').map(Number);
  const stat = statOf(pid);
  return stat.slice(11, 15).reduce((total, ticks) => total + ticks, 0) / TICKS_PER_SECOND + children.reduce((total, child) => total + cpuSeconds(child), 0);
}

/** Resident memory of a process that no file backs: anonymous pages and shared ones. */
export function ownBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);
  return (read('RssAnon') + read('RssShmem')) * PAGE_KIB;
}
