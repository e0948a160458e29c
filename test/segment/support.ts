import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareText } from '../../src/lib/text_order.ts';
import type { Dataset } from '../../src/model/dataset.ts';
import type { Row } from '../../src/model/field.ts';
import { identityOf } from '../../src/model/identity.ts';
import { vocabulary, type ExtraField } from '../../src/model/vocabulary.ts';
import { openSegment, type Segment } from '../../src/segment/reader.ts';
import type { RowForm } from '../../src/segment/row_form.ts';
import type { SegmentSummary } from '../../src/segment/segment.ts';
import { indexRows } from '../../src/segment/writer.ts';
import { storeRows } from '../support/stored_rows.ts';
import { storedText } from '../support/stored_row.ts';

/** A folder of its own for the time of the callback. */
export async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'lds-segment-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A row with every field of the dataset, null but for what is given. */
export function fullRow(dataset: Dataset, given: Row, extras: readonly ExtraField[] = []): Row {
  const nulls = Object.fromEntries(vocabulary(dataset, extras).fields.map(({ name }) => [name, null]));
  return { ...nulls, source: 'test', sources: ['test'], ...given };
}

/** A row with its place in the order of identity. */
export type RankedRow = { readonly rank: number; readonly row: Row };

/** The rows in the order in which a writer takes them, each with its rank. */
export function inOrder(dataset: Dataset, rows: readonly Row[]): RankedRow[] {
  const places = rows.map((row) => ({ row, identity: identityOf(dataset, row) }));
  places.sort((a, b) => a.identity.class - b.identity.class || compareText(a.identity.key, b.identity.key) || compareText(String(a.row.id), String(b.row.id)));
  const ranked = places.map(({ row }, rank) => ({ rank, row }));
  const country = ({ row }: RankedRow): string => (typeof row.country === 'string' ? row.country : '~');
  return ranked.sort((a, b) => compareText(country(a), country(b)) || a.rank - b.rank);
}

export type Written = { readonly index: string; readonly rows: string; readonly summary: SegmentSummary };

export async function write(folder: string, dataset: Dataset, ranked: readonly RankedRow[], extras: readonly ExtraField[] = [], form: RowForm = 'text'): Promise<Written> {
  const files = { index: join(folder, 'a.index'), rows: join(folder, 'a.rows') };
  const words = vocabulary(dataset, extras);
  const stored = storeRows(words, ranked.map(({ row }) => storedText(words, 'test', row)), form);
  writeFileSync(files.rows, stored.bytes);
  const summary = await indexRows(files.index, { dataset, source: 'test', extras }, stored.blocks(ranked.map(({ rank }) => rank)));
  return { ...files, summary };
}

/** What a segment says of itself. */
export function summaryOf({ meta, index, bytes }: Segment): SegmentSummary {
  const { dataset, source, extras, rows, fill, updatedAt, ranges } = meta;
  const countries = Object.fromEntries(ranges.flatMap(([country, start, end]) => (country === null ? [] : [[country, end - start]])));
  return { dataset, source, extras, rows, fill, updatedAt, countries, indexBytes: index.buffer.byteLength, rowsBytes: bytes.bytes };
}

export function shared(bytes: Uint8Array): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

export function load({ index, rows }: Written): { readonly index: SharedArrayBuffer; readonly rows: SharedArrayBuffer } {
  return { index: shared(readFileSync(index)), rows: shared(readFileSync(rows)) };
}

/** Rows written and opened again, resident. */
export async function segmentOf(dataset: Dataset, rows: readonly Row[], extras: readonly ExtraField[] = [], form: RowForm = 'text'): Promise<{ segment: Segment; stored: Row[] }> {
  const ranked = inOrder(dataset, rows);
  return inFolder(async (folder) => {
    const { index, rows: bytes } = load(await write(folder, dataset, ranked, extras, form));
    return { segment: openSegment(index, bytes), stored: ranked.map(({ row }) => row) };
  });
}
