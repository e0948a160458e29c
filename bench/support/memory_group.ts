import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Processes that together may have so much memory, page cache included, and no more: the kernel takes pages of files from them first, and then ends them. */
export type MemoryGroup = {
  /** Where a process writes its number to belong to it. */
  readonly entrance: string;
  /** The most that was taken at once. */
  peakBytes(): number;
  /** How often the bound was met. */
  metBound(): number;
  /** Its processes must have ended. */
  close(): void;
};

type Files = { readonly parent: string; readonly bound: string; readonly peak: string; readonly met: (folder: string) => number };

const readNumber = (path: string): number => Number(readFileSync(path, 'utf8').trim());
const FIRST: Files = {
  parent: '/sys/fs/cgroup/memory', bound: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes', met: (folder) => readNumber(join(folder, 'memory.failcnt')),
};
const SECOND: Files = {
  parent: '/sys/fs/cgroup', bound: 'memory.max', peak: 'memory.peak', met: (folder) => Number(/^max (\d+)$/m.exec(readFileSync(join(folder, 'memory.events'), 'utf8'))?.[1] ?? 0),
};

/** Null where this process may make none: without root, or in a container that was not given the right. */
export function memoryGroup(bytes: number): MemoryGroup | null {
  const files = existsSync(join(FIRST.parent, FIRST.bound)) ? FIRST : SECOND;
  const folder = join(files.parent, `lds-${process.pid}`);
  try {
    mkdirSync(folder);
  } catch {
    return null;
  }
  try {
    if (files === SECOND) writeFileSync(join(SECOND.parent, 'cgroup.subtree_control'), '+memory');
    writeFileSync(join(folder, files.bound), String(bytes));
    readNumber(join(folder, files.peak));
  } catch {
    rmdirSync(folder);
    return null;
  }
  return {
    entrance: join(folder, 'cgroup.procs'),
    peakBytes: () => readNumber(join(folder, files.peak)),
    metBound: () => files.met(folder),
    close: () => rmdirSync(folder),
  };
}

export function limitsMemory(): boolean {
  const group = memoryGroup(1 << 30);
  group?.close();
  return group !== null;
}
