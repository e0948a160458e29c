/** Bounds of a search: what may be asked, and how its answer is put together. */
export const FIND_LIMITS = {
  // What is asked.
  queryCharactersMax: 256,
  /** Words of one free text: each costs a look-up in every segment. */
  queryWordsMax: 64,
  filterValuesMax: 1_000,
  filterValueCharactersMax: 1_024,
  /** Characters of all filter values of a request that are not plain ASCII: folding costs 0.1 us each. */
  filterFoldedCharactersMax: 65_536,
  /** Values of one filter whose compared form is remembered, and the longest of them. */
  knownTextsMax: 512,
  knownTextCharactersMax: 64,
  /** Names in one of the lists `fields`, `sources.only` and `sources.ignore`. */
  namesMax: 1_000,
  facetsMax: 5,
  facetValuesMax: 20,
  /** Values that may be among those, and that are counted once more where a segment gave others alone. */
  facetValuesRecounted: 200,
  /** Values of facets beyond ASCII, of each way to compare them, of which it is remembered what they are compared as. */
  facetKeysKnownMax: 8_192,
  pageRowsDefault: 25,
  pageRowsMax: 1_000,
  csvPageRowsMax: 10_000,
  playgroundRowsMax: 5,
  playgroundCallsADay: 20,

  // Time.
  timeoutMsMin: 10,
  pageTimeoutMsDefault: 2_000,
  pageTimeoutMsMax: 30_000,
  streamTimeoutMsDefault: 600_000,
  streamTimeoutMsMax: 3_600_000,
  /** How long a stream over sources that may be missing waits with its first byte. */
  streamBeginMsMax: 1_500,
  heartbeatMs: 5_000,

  // Cursors.
  /** As many sources as there may be, with their longest names and keys, fit; and some 2,000 segments of lakes. */
  cursorCharactersMax: 65_536,
  cursorRowsEvery: 10_000,
  /** Snapshots that cursors were cut from and this gateway has not taken up, of which it is known since when they are waited for. */
  awaitedSnapshotsMax: 1_000,
  /** Slices of each lane between two cursors, where there are several and their slices are to be small. */
  cursorSlices: 4,
  /** Rows of a stream that are asked for or wait for its reader, 24 bytes each: two slices of one lane, and one of another. */
  streamListedRowsMax: 30_000,
  snapshotRetainMs: 15 * 60_000,

  // The merge.
  /** Rows of the first slice of a stream; rows of a stream, and their bytes, that are put together before they are handed on. */
  mergeRows: 512,
  mergeBytes: 4 * 1_048_576,
  /** Rows, and bytes where they are copied, of the longest slices of one lane; and what all lanes may hold of such, but that none has slices of fewer than half of `chunkBytes`. */
  mergeSliceRowsMax: 2_048,
  mergeSliceBytesMax: 1_048_576,
  mergeHeldBytes: 4 * 1_048_576,
  /** Rows and bytes of one slice of a long group of one identity, where rows stay where they are stored. */
  groupRowsMax: 4_096,
  groupBytesMax: 4 * 1_048_576,
  /** Rows that may lend a field and wait unread. */
  donorsWaitingMax: 32,
  /** How long past the deadline a page is still put together from what came by then; and for so many steps, a millisecond or two, where the deadline is seen later. */
  mergeLateMs: 10,
  mergeLateSteps: 2_048,
  /** How long a piece of work may hold the main loop before all others get their turn, and the steps between two looks at the clock. */
  mainTurnMs: 5,
  mergeStepsUntimed: 64,

  // Rows as bytes.
  /** The rows of a page, in whatever form: it ends behind the one that reaches so much. */
  answerBytesMax: 128 * 1_048_576,
  /** Rows of CSV between two looks at the clock. */
  csvRowsUntimed: 128,
  /** Rows of JSON between two looks at the clock: each takes up to 30 us where it is filled from others. */
  rowsWrittenUntimed: 64,
  /** Sets of fields that rows have, of which it is known where each name stands: one a dataset, and one more for each change of its extra columns. */
  rowLayoutsKept: 16,
  /** Lists of fields that calls asked for lately, of a dataset each, and what is made for them. */
  fieldListsKept: 256,
  /** Rows of MessagePack, or others that are parsed, between two looks at the clock, and the bytes a row is expected to fit. */
  rowsPackedUntimed: 16,
  rowSinkBytes: 4_096,
  /** How long past the deadline rows of any of them are still made: the page ends behind them. */
  rowsLateMs: 10,
  /** An answer in the making; what a sink keeps between two of them. */
  sinkBytesMax: 256 * 1_048_576,
  sinkKeptBytes: 2_097_152,
  sinksKeptMax: 4,
} as const;
