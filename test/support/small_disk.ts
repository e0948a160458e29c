import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own, of a few MiB. */
export type SmallDisk = {
  readonly folder: string;
  /** Fills it but for so many bytes. */
  fillUpTo(freeBytes: number): void;
  empty(): void;
  close(): void;
};

/** Why there can be none here, or null. */
export function noSmallDisk(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux mounts a file system';
  const disk = smallDisk(1);
  disk?.close();
  return disk === null ? 'no file system may be mounted here' : null;
}

export function smallDisk(mebibytes: number): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'lds-disk-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]).status !== 0) {
    rmdirSync(folder);
    return null;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fillUpTo(freeBytes) {
      const { bavail, bsize } = statfsSync(folder);
      try {
        writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - freeBytes)));
      } catch (error) {
        // Others write meanwhile, and a kernel counts roughly: it is as full as can be.
        if (freeBytes > 0 || (error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    empty: () => rmSync(filler, { force: true }),
    close() {
      spawnSync('umount', ['-l', folder]);
      rmdirSync(folder);
    },
  };
}
