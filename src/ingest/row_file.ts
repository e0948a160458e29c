import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

const BLOCK_BYTES = 1 << 20;
const NEWLINE = 0x0a;
/** The engine spells some characters otherwise than they are stored, and all of these so. */
const SPELLED_OUT = '\\u';

/**
 * The bytes of a file of rows, whole rows in each block. A row that the engine did not spell as it is to be stored is put right on the way; from
 * the first of them on the rows are written anew, and the new file takes the place of the old one at the end.
 */
export async function* storedBlocks(path: string, respelled: (text: string) => string): AsyncGenerator<Buffer> {
  const mended = `${path}.mended`;
  let mending: FileHandle | null = null;
  try {
    let offset = 0;
    for await (const block of wholeRows(path)) {
      const stored = block.includes(SPELLED_OUT) ? mend(block, respelled) : block;
      if (mending === null && stored !== block) mending = await begun(path, mended, offset);
      await mending?.appendFile(stored);
      offset += block.length;
      yield stored;
    }
  } finally {
    await mending?.close();
  }
  if (mending !== null) await rename(mended, path);
}

/** Into one buffer, again and again; it grows where a row is longer. */
async function* wholeRows(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    let buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    let filled = 0;
    for (;;) {
      if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
      const end = buffer.subarray(0, filled).lastIndexOf(NEWLINE) + 1;
      if (end === 0) continue;
      yield buffer.subarray(0, end);
      filled = buffer.copy(buffer, 0, end, filled);
    }
    if (filled > 0) throw new Error('the last row has no end');
  } finally {
    await file.close();
  }
}

/** The same block where every row stands as it is to be stored. */
function mend(block: Buffer, respelled: (text: string) => string): Buffer {
  const lines = block.toString().split('\n');
  const stored = Buffer.from(lines.map((line) => (line.includes(SPELLED_OUT) ? respelled(line) : line)).join('\n'));
  return stored.equals(block) ? block : stored;
}

/** A new file that begins with the first bytes of the old. */
async function begun(path: string, mended: string, bytes: number): Promise<FileHandle> {
  if (bytes > 0) await pipeline(createReadStream(path, { end: bytes - 1 }), createWriteStream(mended));
  return open(mended, 'a');
}
