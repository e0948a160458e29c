import { open } from 'node:fs/promises';
import { SegmentRefused } from './refused.ts';

/** Bytes of one read: large enough for the disk, small enough that a thread of the file pool is not held for long. */
const READ_BYTES = 8 << 20;

/** A whole file in memory that all threads can share; a file of another size than was published is refused. */
export async function loadShared(path: string, bytes: number): Promise<SharedArrayBuffer> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size !== bytes) throw new SegmentRefused('truncated', `${size} bytes where ${bytes} were published`);
    const shared = new SharedArrayBuffer(bytes);
    const view = new Uint8Array(shared);
    for (let at = 0; at < bytes;) {
      const { bytesRead } = await file.read(view, at, Math.min(READ_BYTES, bytes - at), at);
      if (bytesRead === 0) throw new SegmentRefused('truncated', 'the file has shrunk');
      at += bytesRead;
    }
    return shared;
  } finally {
    await file.close();
  }
}
