import { closeSync, fstatSync, openSync } from 'node:fs';
import { LIMITS } from '../config/limits.ts';
import { foreignCalls } from '../lib/foreign_calls.ts';
import { unbroken } from '../lib/unbroken.ts';

/**
 * A file seen as memory, for reading: its pages are the kernel's page cache, shared by all threads and processes, and given up under
 * pressure. A page that is not there is read when it is touched, by whoever touches it. A sealed file is never cut, only unlinked, and
 * its pages stay until the last mapping of it is gone.
 */
type Mapping = {
  readonly bytes: Uint8Array;
  /** Reading a view of `bytes` afterwards ends the process: whoever cannot know of all views leaves this to the garbage collector. */
  close(): void;
};

type Library = {
  readonly map: (address: null, length: number, protection: number, flags: number, descriptor: number, offset: number) => bigint | null;
  readonly unmap: (address: bigint, length: number) => number;
  readonly view: (address: bigint, length: number) => ArrayBuffer;
};

const READ = 1;
const SHARED = 1;
/** What `mmap` gives where it fails. */
const FAILED = 2n ** 64n - 1n;

let library: Library | null | undefined;

/** Whether files can be mapped here: on 64-bit systems with the calls of POSIX, where the foreign function interface loads. */
export function mapsFiles(): boolean {
  return loaded() !== null;
}

/** Null where that cannot be: the caller reads the file instead. What nobody closed is unmapped when no view of it is left. */
export function mapFile(file: string): Mapping | null {
  const calls = loaded();
  if (calls === null) return null;
  const descriptor = openSync(file, 'r');
  try {
    const length = fstatSync(descriptor).size;
    if (length === 0 || length > LIMITS.mappedBytesMax) return null;
    return unbroken(() => {
      const address = calls.map(null, length, READ, SHARED, descriptor, 0);
      return address === null || address === FAILED ? null : mapped(calls, address, length);
    });
  } finally {
    closeSync(descriptor);
  }
}

/** Told when the memory of a mapping that was not closed can no longer be reached by anyone. */
const unreachable = new FinalizationRegistry<() => void>((unmap) => { unmap(); });

function mapped({ view, unmap }: Library, address: bigint, length: number): Mapping {
  const memory = view(address, length);
  const token = {};
  const giveBack = (): void => { unbroken(() => unmap(address, length)); };
  unreachable.register(memory, giveBack, token);
  return {
    bytes: new Uint8Array(memory),
    close() { if (unreachable.unregister(token)) giveBack(); },
  };
}

function loaded(): Library | null {
  if (library === undefined) library = unbroken(load);
  return library;
}

/** The numbers of `mmap` differ between systems where they are not these: Windows has none, and 32 bits hold no such addresses. */
function load(): Library | null {
  if (!['linux', 'darwin', 'freebsd'].includes(process.platform) || !['x64', 'arm64'].includes(process.arch)) return null;
  const calls = foreignCalls();
  if (calls === null) return null;
  try {
    const system = calls.load(null);
    return {
      map: system.func('void *mmap(void *address, size_t length, int protection, int flags, int descriptor, int64_t offset)'),
      unmap: system.func('int munmap(void *address, size_t length)'),
      view: calls.view,
    };
  } catch {
    return null;
  }
}
