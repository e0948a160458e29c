/**
 * Rows on their way out: ready JSON text, one row a line, with what the merge must know of each.
 *
 *   bytes   ...{"id":"crm:7",...,"email":"a@b.c",...}\n{"id":...}\n...
 *              ^start[i]                             ^end[i]   (the newline stands at end[i])
 *
 * `bytes` may be a transferred buffer of the chunk's own or a view of a sealed segment shared by all: never write into it.
 * Rows need not touch or be in order inside `bytes`.
 */
export type Chunk = {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly start: ArrayLike<number>;
  readonly end: ArrayLike<number>;
  /** Where the scan stands after a row: handed back to the source as `after` it yields the next row. */
  readonly markAt: (row: number) => Mark;
  /** Identity of each row, only where the merge asked for it. */
  readonly identity: Identities | null;
  /** Where the first row begins and the last ends, if they are known to lie one behind the other: then nothing need be asked of each. */
  readonly run?: { readonly start: number; readonly end: number };
  /**
   * Of rows whose text is nowhere yet, and is made where somebody asks for `bytes`, `start` or `end`: the text of row after row, from `first` on and before `end`,
   * each with its line end: as much as makes one piece of a stream, but for a row that is longer. None where one of them is broken: then their source has failed.
   */
  spell?(first: number, end: number): SpelledRows;
  /** Of such rows: whether all have a text, which is made here. Else nobody may ask for `bytes`, `start` or `end`, and their source has failed. */
  isSound?(): boolean;
};

/** `next`: the first row that is not in it. The bytes are lent until more rows are spelled in the same thread, or made on its desk, of whatever chunk. */
export type SpelledRows = { readonly bytes: Uint8Array; readonly next: number };

/** A row of a chunk, by place. */
export type RowAt = { readonly chunk: Chunk; readonly row: number };

export function rowBytes({ chunk: { start, end }, row }: RowAt): number {
  return end[row]! - start[row]!;
}

/** Of all rows of a chunk. */
export function textBytes({ rows, start, end }: Chunk): number {
  let bytes = 0;
  for (let row = 0; row < rows; row += 1) bytes += end[row]! - start[row]!;
  return bytes;
}

/** A number in the sealed parts of a lake (-1 before the first row), a text of its own in every other source ('' before the first row). */
export type Mark = number | string;

/**
 * The identity key of each row. Order of the merge: class, then key bytes.
 * Contacts: 0 email, 1 LinkedIn address, 2 the row's own id. Companies: 0 domain, 2 own id.
 */
type Identities = {
  readonly class: ArrayLike<number>;
  /** Offsets of the raw key text inside `bytes` of the chunk. */
  readonly start: ArrayLike<number>;
  readonly end: ArrayLike<number>;
};

export const OWN_IDENTITY = 2;
