/** The fixed numbers of the format; docs/segment-format.md draws it. A change of any of them is a new version of either kind. */
export const MAGIC = Uint8Array.from([0x4c, 0x44, 0x53, 0x45, 0x47, 0x0d, 0x0a, 0x1a]);
export const VERSION = 3;
/** Of a segment whose rows are compact: see `row_form`. All else is the same. */
export const COMPACT_VERSION = 4;

/** Header: 64 fixed bytes, then 64 bytes a section. Sections begin at multiples of 64. */
export const FIXED_BYTES = 64;
export const ENTRY_BYTES = 64;
export const NAME_BYTES = 40;
export const ALIGNMENT = 64;
export const HEAD = { version: 8, sections: 12, indexBytes: 16, rowsBytes: 24, rows: 32, crc: 60 } as const;
export const ENTRY = { kind: 40, crc: 44, offset: 48, length: 56 } as const;

/** Rows whose offsets share a base and whose bytes share a checksum. */
export const ROW_BLOCK = 4_096;

/** Rows of one container of a posting list. */
export const BLOCK_BITS = 16;
export const BLOCK_ROWS = 1 << BLOCK_BITS;
export const BLOCK_WORDS = BLOCK_ROWS / 32;
/** From this many rows on a bitmap is not larger than a list. */
export const ARRAY_MAX = 4_096;

/** A container's header: place, then the running counts of all containers before it. */
export const CONTAINER_WORDS = 8;
export const CONTAINER = { place: 0, data: 1, before: 2, presentBefore: 3 } as const;
export const ARRAY = 0;
export const BITMAP = 1;
export const FULL = 2;
export const PAGES = 3;
/** Rows of a page, of a container in pages. */
export const PAGE_BITS = 8;
export const BLOCK_PAGES = BLOCK_ROWS >>> PAGE_BITS;
/** Bit of a list's count that says its rows lie in containers. */
export const CONTAINERS_FLAG = 0x80000000;
/** Columns of more values are not counted by country. */
export const COUNTED_VALUES_MAX = 127;
/** Counts by country are kept where a byte of them stands for so many rows: those of fewer are counted as fast one by one. */
export const COUNTS_ROWS_PER_BYTE = 2;

/** Presence bitmaps whose counts containers carry. */
export const PRESENCE_MAX = 4;

/** Key reference of a row: class in 2 bits, length in 10, offset in the row's text in 20; length 0 where the row must be parsed. */
const KEY_LENGTH_MAX = 1_023;
const KEY_OFFSET_MAX = 0xfffff;

/** From so many held values on a pair of words has a list of its rows; of fewer the values' own lists are joined, in less than 20 us. */
export const PAIR_VALUES_COMMON = 256;

export const NULL_U32 = 0xffffffff;

export function alignUp(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

/** `offset` -1 says that the key does not stand in the row's text as it is compared. */
export function packKey(keyClass: number, offset: number, length: number): number {
  const fits = length <= KEY_LENGTH_MAX && offset >= 0 && offset <= KEY_OFFSET_MAX;
  return ((keyClass << 30) | (fits ? (length << 20) | offset : 0)) >>> 0;
}

export function unpackKey(packed: number): { readonly keyClass: number; readonly offset: number; readonly length: number } {
  return { keyClass: packed >>> 30, offset: packed & KEY_OFFSET_MAX, length: (packed >>> 20) & KEY_LENGTH_MAX };
}
