import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { DATASETS } from '../../model/dataset.ts';
import { FIELD_TYPES } from '../../model/field.ts';
import { ROW_STORAGES } from './row_storage.ts';

const SEGMENT_ID = z.string().regex(/^[a-z0-9-]{1,64}$/);

/**
 * A lake source on disk, under DATA_DIR/lake/DATASET/SOURCE/:
 *
 *   CURRENT                  the number of the snapshot that is served, 0 while the first is written; replaced by rename
 *   snapshots/000007.json    this manifest; never changed once named by CURRENT
 *   segments/ID.index  ID.rows  ID.parquet    sealed files; an ID is never used twice
 *   segments/ID.gone         rows of a segment that a later one replaced
 *   LOCK-PID-START-WHERE     held by the one writer
 *   READ-7-...               a process reads that snapshot
 *   staging/                 where that writer works
 *
 * The Parquet files are the truth, but for the rows that are gone; all else of a segment can be made again from them. Files that neither the current snapshot names, nor one
 * replaced less than `LIMITS.snapshotRetainMs` ago, nor one that is read, are swept by the next writer, at start, and when its time is over.
 */
export const Manifest = z.strictObject({
  format: z.literal(1),
  snapshot: z.int().positive(),
  dataset: z.enum(DATASETS),
  source: z.string(),
  createdAt: z.iso.datetime(),
  /** True for the demonstration lake, which leaves once a real source exists. */
  demo: z.boolean(),
  /** Text where it is not told. */
  rowForm: z.enum(ROW_STORAGES).optional(),
  /** Of all else, see `sealed`. Absent of what older versions published. */
  seal: z.int().optional(),
  extras: z.array(z.strictObject({ name: z.string(), type: z.enum(FIELD_TYPES), description: z.string() })),
  segments: z.array(z.strictObject({
    id: SEGMENT_ID,
    rows: z.int().nonnegative(),
    indexBytes: z.int().nonnegative(),
    rowsBytes: z.int().nonnegative(),
    fill: z.record(z.string(), z.number()),
    countries: z.record(z.string(), z.int()),
    updatedAt: z.string().nullable(),
    /** CRC-32 of the first 64 bytes of the index, which stand for all of it and of the rows, and of the Parquet file. Absent of what older versions published. */
    seals: z.strictObject({ index: z.int(), truth: z.int() }).optional(),
    /** Rows that are in the files beside those that are counted above, as if they were not; `seal` is the CRC-32 of the file that names them. */
    gone: z.strictObject({ id: SEGMENT_ID, rows: z.int().positive(), seal: z.int() }).optional(),
  })),
});
export type Manifest = Omit<z.infer<typeof Manifest>, 'seal'>;

/** Rows that live in segments. */
export function rowsIn(segments: Manifest['segments']): number {
  return segments.reduce((sum, { rows }) => sum + rows, 0);
}

/** A manifest as a file has it, with a checksum: what it counts decides which segments are looked at. */
export function sealed(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, seal: sealOf(manifest) }, null, 1)}\n`;
}

/** Null for what is none, or not what was published. What is whole, and of a form that is not known here, a newer version published. */
export function unsealed(text: string): Manifest | 'newer' | null {
  try {
    const { seal, ...rest } = JSON.parse(text) as { readonly seal?: number };
    if (seal !== undefined && seal !== sealOf(rest)) return null;
    const known = Manifest.safeParse(rest);
    if (known.success) return known.data;
    return seal === undefined ? null : 'newer';
  } catch {
    return null;
  }
}

/** In the order of the file, whatever that of the form is. */
function sealOf(manifest: object): number {
  return crc32(JSON.stringify(manifest));
}
