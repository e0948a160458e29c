import { open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { writeAll } from '../lib/write_all.ts';
import { encodeHeader, headerBytes, type SectionEntry } from './header.ts';
import { alignUp } from './layout.ts';
import type { SectionDrafts } from './sections.ts';
import type { SegmentSummary } from './segment.ts';

/** Writes header and sections, syncs, and gives the bytes written. */
export async function writeIndex(path: string, drafts: SectionDrafts, { rows, rowsBytes }: SegmentSummary): Promise<number> {
  const entries: SectionEntry[] = [];
  let at = alignUp(headerBytes(drafts.list.length));
  for (const { name, kind, bytes } of drafts.list) {
    const padding = new Uint8Array(alignUp(bytes.length) - bytes.length);
    entries.push({ name, kind, offset: at, length: bytes.length, crc: crc32(padding, crc32(bytes)) });
    at += bytes.length + padding.length;
  }
  const header = encodeHeader({ rows, rowsBytes, indexBytes: at, sections: entries });
  const file = await open(path, 'wx');
  try {
    await writeAll(file, header, 0);
    for (const [number, { bytes }] of drafts.list.entries()) await writeAll(file, bytes, entries[number]!.offset);
    await file.truncate(at);
    await file.sync();
  } finally {
    await file.close();
  }
  return at;
}
