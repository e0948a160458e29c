import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { DamagedLake } from './current.ts';
import type { Manifest } from './manifest.ts';
import { gonePath } from './paths.ts';

/**
 * Rows of a sealed segment that a later one replaced: they stay in its files and are as if they were not there. The file is their numbers, ascending, as
 * unsigned 32-bit integers in little-endian order; like a segment it is written once, and a snapshot that has more of them names another.
 */
export type GoneEntry = NonNullable<Manifest['segments'][number]['gone']>;

const ROW_BYTES = 4;

export function goneBytes({ rows }: GoneEntry): number {
  return rows * ROW_BYTES;
}

/** Writes the numbers of rows, ascending, to a staged file that is published as `id`. */
export async function writeGone(file: string, id: string, rows: Uint32Array): Promise<GoneEntry> {
  const bytes = bytesOf(rows);
  await writeFile(file, bytes);
  return { id, rows: rows.length, seal: crc32(bytes) };
}

/** In memory that all threads may share; no memory where no row is gone. Throws where the file is not what was published: a row that was replaced would be back. */
export async function readGone(dir: string, gone: GoneEntry | undefined): Promise<Uint32Array> {
  if (gone === undefined) return new Uint32Array();
  const path = gonePath(dir, gone.id);
  const lost = (what: string, cause?: unknown): DamagedLake =>
    new DamagedLake(dir, `${path} ${what}`, { cause, otherwise: `lds compact --source ${basename(dir)} makes it again from the Parquet files` });
  const bytes = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? lost('is missing', cause) : cause;
  });
  if (bytes.length !== goneBytes(gone) || crc32(bytes) !== gone.seal) throw lost('is not what was published');
  const rows = new Uint32Array(new SharedArrayBuffer(bytes.length));
  for (let at = 0; at < rows.length; at += 1) rows[at] = bytes.readUInt32LE(at * ROW_BYTES);
  return rows;
}

/** Whether these numbers, ascending, are those of a file. */
export function isListed(gone: GoneEntry, rows: Uint32Array): boolean {
  return rows.length === gone.rows && crc32(bytesOf(rows)) === gone.seal;
}

function bytesOf(rows: Uint32Array): Buffer {
  const bytes = Buffer.alloc(rows.length * ROW_BYTES);
  rows.forEach((row, at) => bytes.writeUInt32LE(row, at * ROW_BYTES));
  return bytes;
}
