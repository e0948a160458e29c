import { crc32 } from 'node:zlib';
import { vocabulary, type Vocabulary } from '../model/vocabulary.ts';
import type { Row } from '../model/field.ts';
import { countriesOf, type Countries } from './countries.ts';
import { CountryCounts, type CountedColumn } from './country_counts.ts';
import { checkSections, decodeHeader, sealOf } from './header.ts';
import { openIndex, type IndexMemory, type IndexPlace } from './index_memory.ts';
import { LookupColumn } from './lookup_column.ts';
import type { ColumnMeta, SegmentMeta } from './meta.ts';
import { NumbersColumn } from './numbers_column.ts';
import { SegmentRefused } from './refused.ts';
import { STENCIL_BYTES_MAX, STENCILS, STENCILS_BYTES_MAX, STENCILS_MAX, textOfRow } from './row_form.ts';
import { openRowBytes, type RowBytes, type RowsPlace } from './row_bytes.ts';
import { RowTable } from './row_table.ts';
import { SEALED_PIECE_BYTES, sealedFile, sealedMemory } from './sealed_bytes.ts';
import { Sections } from './sections.ts';
import { TextsColumn } from './texts_column.ts';
import { Words } from './words.ts';

export type Presence = {
  readonly field: string;
  /** Its place in the counts of a container. */
  readonly which: number;
  readonly bits: Int32Array;
  /** Rows with the field before each block of 65,536, and in all. */
  readonly before: Uint32Array;
};

export type NumbersEntry = { readonly form: 'numbers'; readonly column: NumbersColumn };
export type SegmentColumn =
  | { readonly form: 'texts'; readonly column: TextsColumn }
  | { readonly form: 'lookup'; readonly column: LookupColumn }
  | NumbersEntry;

/** A sealed segment, viewed in place: opening it allocates nothing that grows with its rows. */
export type Segment = {
  /** What all views of the segment but those of its rows lie in. */
  readonly index: IndexMemory;
  readonly meta: SegmentMeta;
  readonly countries: Countries;
  readonly vocabulary: Vocabulary;
  readonly rows: number;
  readonly table: RowTable;
  readonly bytes: RowBytes;
  /** What compact rows have in common, see `row_form`; null where rows are their text. */
  readonly stencils: Uint8Array | null;
  /** Bytes of text for each byte of a row, in the mean. */
  readonly spread: number;
  readonly ranks: Uint32Array;
  /** Packed key references, see `layout.ts`. */
  readonly keys: Uint32Array;
  readonly presence: ReadonlyMap<string, Presence>;
  /** By filter name. A filter that is missing here reads nulls only. */
  readonly columns: ReadonlyMap<string, SegmentColumn>;
  readonly counts: CountryCounts;
  readonly words: Words;
  readonly sections: Sections;
};

/**
 * Opens a segment, or throws a `SegmentRefused`. All checksums of the index are verified (about 3 GB/s) unless `trusted`: another
 * thread has verified them. `seal` is that of the index which was published, where it is known. The rows are held to their exact size; see
 * `verifyRows` for their checksums.
 */
export function openSegment(
  place: IndexPlace,
  rows: RowsPlace,
  { trusted = false, seal = null }: { readonly trusted?: boolean; readonly seal?: number | null } = {},
): Segment {
  if (!trusted) checkIndex(place, seal);
  const index = openIndex(place);
  try {
    return segmentIn(index, rows);
  } catch (error) {
    index.close();
    throw error;
  }
}

function checkIndex(place: IndexPlace, seal: number | null): void {
  const sealed = place instanceof SharedArrayBuffer ? sealedMemory(place) : sealedFile(place.file);
  try {
    checkSections(sealed, decodeHeader(sealed));
    if (seal !== null && sealOf(sealed) !== seal) throw new SegmentRefused('exchanged', 'another index was published');
  } finally {
    sealed.close();
  }
}

function segmentIn(index: IndexMemory, rows: RowsPlace): Segment {
  const header = decodeHeader(sealedMemory(index.buffer));
  const sections = new Sections(index.buffer, header);
  const meta = sections.json('meta') as SegmentMeta;
  const columns = new Map(meta.columns.map((column, at) => [column.name, openColumn(sections, at, column)]));
  const texts = new Map([...columns].flatMap(([name, entry]) => (entry.form === 'texts' ? [[name, entry.column]] : [])));
  const presence = meta.presence.map((field, which): Presence => ({
    field, which, bits: sections.i32(`present${which}.bits`), before: sections.u32(`present${which}.before`),
  }));
  const words = vocabulary(meta.dataset, meta.extras);
  const countries = countriesOf(meta, words, presence);
  return {
    index,
    meta,
    countries,
    vocabulary: words,
    rows: header.rows,
    table: new RowTable(sections),
    stencils: stencilsIn(sections),
    spread: meta.textBytes === undefined ? 1 : meta.textBytes / Math.max(1, header.rowsBytes),
    ranks: sections.u32('rank'),
    keys: sections.u32('keys'),
    presence: new Map(presence.map((entry) => [entry.field, entry])),
    columns,
    counts: new CountryCounts(sections, meta, countries.all, (column) => countedColumn(texts.get(meta.columns[column]!.name)!)),
    words: new Words(sections, meta, texts),
    sections,
    bytes: openRowBytes(rows, header.rowsBytes),
  };
}

/** Nothing of the segment, nor anything that was read in it and views it, may be looked at again: see `IndexMemory`. */
export function closeSegment(segment: Segment): void {
  segment.bytes.close();
  segment.index.close();
}

/** Verifies the checksums of all blocks of rows; throws a `SegmentRefused`. */
export function verifyRows(segment: Segment, scratch = Buffer.allocUnsafe(SEALED_PIECE_BYTES)): void {
  for (let block = 0; block < segment.table.blocks; block += 1) verifyBlock(segment, block, scratch);
}

function verifyBlock(segment: Segment, block: number, scratch: Buffer): void {
  const end = segment.table.blockStart(block + 1);
  let crc = 0;
  for (let at = segment.table.blockStart(block); at < end; at += scratch.length) {
    const piece = scratch.subarray(0, Math.min(scratch.length, end - at));
    segment.bytes.read(at, at + piece.length, piece, 0);
    crc = crc32(piece, crc);
  }
  if (crc !== segment.sections.u32('rows.crc')[block]) throw new SegmentRefused('rows_checksum', `rows block ${block}`);
}

/** One row, parsed. Costs a read, its text and a `JSON.parse`. */
export function readRow(segment: Segment, row: number): Row {
  return JSON.parse(readText(segment, row).toString()) as Row;
}

/** The text of one row, its newline with it; of many compact ones `expander` writes it. */
export function readText(segment: Segment, row: number): Buffer {
  const start = segment.table.start(row);
  const bytes = Buffer.allocUnsafe(segment.table.start(row + 1) - start);
  segment.bytes.read(start, start + bytes.length, bytes, 0);
  return segment.stencils === null ? bytes : textOfRow(bytes, segment.stencils);
}

function stencilsIn(sections: Sections): Uint8Array | null {
  if (!sections.has(STENCILS)) return null;
  const table = sections.u8(STENCILS);
  if (table.length > STENCILS_BYTES_MAX || table.length < STENCILS_MAX || (table.length - STENCILS_MAX) % STENCIL_BYTES_MAX !== 0) {
    throw new SegmentRefused('malformed', `${table.length} bytes of stencils`);
  }
  // A copy: who spells rows keeps it, and the index is not to stay for its sake.
  return table.slice();
}

function countedColumn({ keys, codes }: TextsColumn): CountedColumn {
  return { values: keys.size, codes };
}

function openColumn(sections: Sections, at: number, { form, listed, scale }: ColumnMeta): SegmentColumn {
  const name = `column${at}`;
  switch (form) {
    case 'texts': return { form, column: new TextsColumn(sections, at, listed) };
    case 'lookup': return { form, column: new LookupColumn(sections, name) };
    case 'numbers': return { form, column: new NumbersColumn(sections, name, scale!) };
    default: return form satisfies never;
  }
}
