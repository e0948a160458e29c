import type { FileHandle } from 'node:fs/promises';

/** One write takes less than 2 GiB. */
const WRITE_BYTES_MAX = 1 << 30;

/** `position`: null for where the last write ended. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position: number | null): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, at, Math.min(bytes.length - at, WRITE_BYTES_MAX), position === null ? null : position + at);
    at += bytesWritten;
  }
}
