import { createReadStream } from 'node:fs';
import { crc32 } from 'node:zlib';
import { sealOf } from '../../segment/header.ts';
import { sealedFile, SEALED_PIECE_BYTES } from '../../segment/sealed_bytes.ts';
import { DamagedLake } from './current.ts';
import type { Manifest } from './manifest.ts';
import { segmentFiles, type SegmentFiles } from './paths.ts';

/** What the manifest remembers files by. The seal of an index stands for its rows too, whose checksums it has. */
export async function sealsOf({ index, truth }: SegmentFiles): Promise<{ readonly index: number; readonly truth: number }> {
  const sealed = sealedFile(index);
  try {
    return { index: sealOf(sealed), truth: await checksumOf(truth) };
  } finally {
    sealed.close();
  }
}

/** Throws where a Parquet truth is not what was published: its format has no checksums, and what it says would become the rows of the next snapshot. */
export async function checkTruths(dir: string, segments: Manifest['segments'], signal?: AbortSignal): Promise<void> {
  for (const { id, seals } of segments) {
    const { truth } = segmentFiles(dir, id);
    const found = await checksumOf(truth, signal).catch((cause: NodeJS.ErrnoException) => {
      throw cause.code === 'ENOENT' ? new DamagedLake(dir, `${truth} is missing`, { cause }) : cause;
    });
    if (seals !== undefined && seals.truth !== found) throw new DamagedLake(dir, `${truth} is not what was published`);
  }
}

async function checksumOf(path: string, signal?: AbortSignal): Promise<number> {
  let crc = 0;
  for await (const piece of createReadStream(path, { highWaterMark: SEALED_PIECE_BYTES, signal })) crc = crc32(piece as Buffer, crc);
  return crc;
}
