import { crc32 } from 'node:zlib';
import { ALIGNMENT, alignUp, COMPACT_VERSION, ENTRY, ENTRY_BYTES, FIXED_BYTES, HEAD, MAGIC, NAME_BYTES, VERSION } from './layout.ts';
import { SegmentRefused } from './refused.ts';
import { STENCILS } from './row_form.ts';
import { SEALED_PIECE_BYTES, type SealedBytes } from './sealed_bytes.ts';

const SECTION_KINDS = ['json', 'u8', 'u16', 'u32', 'i32', 'f64'] as const;
export type SectionKind = (typeof SECTION_KINDS)[number];

/** Where a section lies. The checksum covers it and the zeros up to the next. */
export type SectionEntry = { readonly name: string; readonly kind: SectionKind; readonly offset: number; readonly length: number; readonly crc: number };

type Header = { readonly rows: number; readonly rowsBytes: number; readonly indexBytes: number; readonly sections: readonly SectionEntry[] };

export function headerBytes(sections: number): number {
  return FIXED_BYTES + sections * ENTRY_BYTES;
}

export function encodeHeader(header: Header): Buffer {
  const bytes = Buffer.alloc(headerBytes(header.sections.length));
  bytes.set(MAGIC);
  bytes.writeUInt32LE(header.sections.some(({ name }) => name === STENCILS) ? COMPACT_VERSION : VERSION, HEAD.version);
  bytes.writeUInt32LE(header.sections.length, HEAD.sections);
  bytes.writeDoubleLE(header.indexBytes, HEAD.indexBytes);
  bytes.writeDoubleLE(header.rowsBytes, HEAD.rowsBytes);
  bytes.writeUInt32LE(header.rows, HEAD.rows);
  header.sections.forEach((entry, at) => encodeEntry(bytes, FIXED_BYTES + at * ENTRY_BYTES, entry));
  bytes.writeUInt32LE(headerCrc(bytes), HEAD.crc);
  return bytes;
}

function encodeEntry(bytes: Buffer, at: number, entry: SectionEntry): void {
  if (Buffer.byteLength(entry.name) > NAME_BYTES) throw new Error(`section name too long: ${entry.name}`);
  bytes.write(entry.name, at);
  bytes.writeUInt32LE(SECTION_KINDS.indexOf(entry.kind), at + ENTRY.kind);
  bytes.writeUInt32LE(entry.crc, at + ENTRY.crc);
  bytes.writeDoubleLE(entry.offset, at + ENTRY.offset);
  bytes.writeDoubleLE(entry.length, at + ENTRY.length);
}

/** Tells one index from every other: the fixed bytes have the checksum of the directory, and that has those of all sections. */
export function sealOf(index: SealedBytes): number {
  return crc32(index.piece(0, Math.min(index.bytes, FIXED_BYTES)));
}

/** The checked header of a sealed buffer: nothing of it is believed before its checksum. */
export function decodeHeader(index: SealedBytes): Header {
  if (index.bytes < FIXED_BYTES) throw new SegmentRefused('truncated', `${index.bytes} bytes hold no header`);
  const fixed = index.piece(0, FIXED_BYTES);
  if (fixed.compare(MAGIC, 0, MAGIC.length, 0, MAGIC.length) !== 0) throw new SegmentRefused('magic', 'not a segment');
  const version = fixed.readUInt32LE(HEAD.version);
  if (version !== VERSION && version !== COMPACT_VERSION) throw new SegmentRefused('version', `version ${version}, this build reads ${VERSION} and ${COMPACT_VERSION}`);
  const sections = fixed.readUInt32LE(HEAD.sections);
  if (headerBytes(sections) > Math.min(index.bytes, SEALED_PIECE_BYTES)) throw new SegmentRefused('truncated', 'the section directory is cut');
  const bytes = index.piece(0, headerBytes(sections));
  if (headerCrc(bytes) !== bytes.readUInt32LE(HEAD.crc)) throw new SegmentRefused('checksum', 'header');
  const indexBytes = bytes.readDoubleLE(HEAD.indexBytes);
  if (indexBytes !== index.bytes) throw new SegmentRefused('truncated', `${index.bytes} bytes where ${indexBytes} were sealed`);
  return {
    rows: bytes.readUInt32LE(HEAD.rows),
    rowsBytes: bytes.readDoubleLE(HEAD.rowsBytes),
    indexBytes,
    sections: Array.from({ length: sections }, (_, at) => decodeEntry(bytes, FIXED_BYTES + at * ENTRY_BYTES)),
  };
}

function decodeEntry(bytes: Buffer, at: number): SectionEntry {
  const name = bytes.toString('utf8', at, at + NAME_BYTES).replace(/\0+$/, '');
  const kind = SECTION_KINDS[bytes.readUInt32LE(at + ENTRY.kind)];
  if (kind === undefined) throw new SegmentRefused('malformed', `section ${name} is of no known kind`);
  const entry = { name, kind, crc: bytes.readUInt32LE(at + ENTRY.crc), offset: bytes.readDoubleLE(at + ENTRY.offset), length: bytes.readDoubleLE(at + ENTRY.length) };
  if (entry.offset % ALIGNMENT !== 0) throw new SegmentRefused('malformed', `section ${name} is not aligned`);
  return entry;
}

/** The sections must fill the index from the header to its end, each with its own bytes. */
export function checkSections(index: SealedBytes, header: Header): void {
  let at = alignUp(headerBytes(header.sections.length));
  for (const { name, offset, length, crc } of header.sections) {
    const end = offset + alignUp(length);
    if (offset !== at || end > header.indexBytes) throw new SegmentRefused('malformed', `section ${name} is out of place`);
    if (crcOf(index, offset, end) !== crc) throw new SegmentRefused('checksum', `section ${name}`);
    at = end;
  }
  if (at !== header.indexBytes) throw new SegmentRefused('malformed', 'bytes after the last section');
}

function crcOf(index: SealedBytes, start: number, end: number): number {
  let crc = 0;
  for (let at = start; at < end; at += SEALED_PIECE_BYTES) crc = crc32(index.piece(at, Math.min(end, at + SEALED_PIECE_BYTES)), crc);
  return crc;
}

function headerCrc(bytes: Buffer): number {
  return crc32(bytes.subarray(FIXED_BYTES), crc32(bytes.subarray(0, HEAD.crc)));
}
