import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline as joined } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

const CR = 0x0d;
const LF = 0x0a;

type Bytes = { readonly path: string; readonly compression: 'none' | 'gzip' };

export function openBytes({ path, compression }: Bytes): AsyncIterable<Buffer> {
  const file = createReadStream(path);
  if (compression === 'none') return file;
  // Whichever fails or is left before its end, the other ends with it.
  return joined(file, createGunzip(), () => {});
}

/** Whether lines end in more than one of LF, CR LF and CR. */
export async function mixesEnds(bytes: Bytes, signal: AbortSignal): Promise<boolean> {
  const ends = new Set<'lf' | 'crlf' | 'cr'>();
  let afterCr = false;
  for await (const piece of openBytes(bytes)) {
    signal.throwIfAborted();
    for (const byte of piece) {
      if (byte === LF) ends.add(afterCr ? 'crlf' : 'lf');
      else if (afterCr) ends.add('cr');
      afterCr = byte === CR;
    }
    if (ends.size > 1) return true;
  }
  return ends.size + (afterCr && !ends.has('cr') ? 1 : 0) > 1;
}

/** A copy in which every line ends in LF, and no line stands elsewhere than before. */
export async function copyEven(bytes: Bytes, to: string, signal: AbortSignal): Promise<void> {
  await pipeline(openBytes(bytes), evened, createWriteStream(to), { signal });
}

/** Latin-1 stands for the bytes of any encoding here, and gives them back. */
async function* evened(pieces: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let afterCr = false;
  for await (const piece of pieces) {
    const text = piece.toString('latin1');
    yield Buffer.from((afterCr && text.startsWith('\n') ? text.slice(1) : text).replace(/\r\n?/g, '\n'), 'latin1');
    afterCr = text.endsWith('\r');
  }
}
