/** The bounds of scans, of the threads that make them and of what lies between them and the service: part of `LIMITS`. */
export const SCAN_LIMITS = {
  scansQueuedMax: 4_096,
  scansInBatchMax: 8,
  /** Of one thread: the next is there when it is done with one. A power of two: their count may run over. */
  batchesUnderWayMax: 8,
  /** What goes into shared memory of a batch, and of its reply with three numbers a row: what is longer goes as a message. */
  batchNumbers: 4_096,
  replyNumbers: 16_384,
  letterTextBytes: 65_536,
  /** Of a thread: pages that were written and not yet sent. */
  pageTrays: 64,
  trayBytes: 131_072,
  /** Pages of more rows do not come in one. */
  trayRowsMax: 100,
  /** What is left free of each behind its rows, for the rest of the answer: more of it is written elsewhere. */
  trayRoomBytes: 4_096,
  /** Where a thread spells compact rows: for stored bytes of some, for their text until it is copied elsewhere, and for what several segments are spelled with. */
  deskBytes: 4 * 1_048_576,
  expandWindowBytes: 262_144,
  expandScratchBytes: 1_048_576,
  /** What may be written over behind the place that a text was given. */
  textSpareBytes: 1_024,
  /** Rows that a scan copies before it hands them over. */
  chunkBytes: 256 * 1_024,
  /** Likewise where the rows stay where they are: at first, and at most where it takes the scan less than half of `sliceMs`. */
  chunkInPlaceBytes: 1_048_576,
  chunkInPlaceBytesMax: 8 * 1_048_576,
  pageBytesMax: 64 * 1_048_576,
  cancelSlots: 8_192,
  /** How long the scans of a batch hold their thread together before the others get their turn. */
  sliceMs: 5,
  /** A thread that is longer at a batch is taken for hung: one may overrun its time by the opening of segments or the preparation of a dear search. */
  batchHungMs: 3_000,
  /** Scans end this long before their deadline, and are given up this long after it: what was found comes home in between. */
  scanMarginMs: 4,
  /** Of a column with no more lists of rows than this, those that were opened stay so. */
  listsOpenMax: 2_048,
  /** Unfinished totals and facets that a thread keeps; one facet may hold some MB. */
  talliesHeldMax: 32,
  /** Later slices in one batch: it ends where its time does. */
  laterSlicesInBatchMax: 4,
  deadlineTickMs: 4,
  overloadedRetrySeconds: 1,
  poolRebuildMs: 1_000,
} as const;
