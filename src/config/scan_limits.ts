/** Bounds of scans, of the threads that make them and of what lies between them and the service. */
export const SCAN_LIMITS = {
  // Batches.
  scanThreadsMax: 64,
  scansQueuedMax: 4_096,
  scansInBatchMax: 8,
  /** Of one thread: the next is there when it is done with one. A power of two: their count may run over. */
  batchesUnderWayMax: 8,
  /** What goes into shared memory of a batch, and of its reply with three numbers a row: what is longer goes as a message. */
  batchNumbers: 4_096,
  replyNumbers: 16_384,
  letterTextBytes: 65_536,
  cancelSlots: 8_192,
  poolRebuildMs: 1_000,

  // Time.
  /** How long the scans of a batch hold their thread together before the others get their turn. */
  sliceMs: 5,
  /** Later slices in one batch: it ends where its time does. */
  laterSlicesInBatchMax: 4,
  /** A thread that is longer at a batch is taken for hung: one may overrun its time by the opening of segments or the preparation of a dear search. */
  batchHungMs: 3_000,
  /** How long a thread that is asked nothing may have open what is served no more. */
  idleThreadsToldMs: 2_000,
  /** How often it is looked at in that time. */
  batchHungLooks: 4,
  /** A thread that has not yet taken up its first batch is given longer: on a busy machine it may take seconds to load its code. */
  scanThreadStartMs: 30_000,
  /** Scans end this long before their deadline, and are given up this long after it: what was found comes home in between. */
  scanMarginMs: 4,
  deadlineTickMs: 4,
  /** Rows read between two looks at the deadline and the cancel flag, where a search must read rows to decide. */
  scanReadRowsMax: 128,

  // Rows.
  /** Of a thread: pages that were written and not yet sent. */
  pageTrays: 64,
  trayBytes: 131_072,
  /** Pages of more rows do not come in one. */
  trayRowsMax: 100,
  /** Segments of so few rows, and so many, are counted by the scan of another: that takes it no longer than a step of its own would. */
  besideRowsMax: 65_536,
  besideSegmentsMax: 8,
  /** What is left free of each behind its rows, for the rest of the answer: more of it is written elsewhere. */
  trayRoomBytes: 4_096,
  /** Rows that a scan copies before it hands them over. */
  chunkBytes: 256 * 1_024,
  /** Likewise where the rows stay where they are: at first, and at most where it takes the scan less than half of `sliceMs`. */
  chunkInPlaceBytes: 1_048_576,
  chunkInPlaceBytesMax: 8 * 1_048_576,
  /** Likewise for streams, where they lie one behind the other and the slice before was taken within so long: what is brought to memory for a slow reader may be gone when he takes it. They are handed on in parts of as many rows as lie between cursors, which may end behind every `runPartRows`. */
  runRowsMax: 40_000,
  runBytesMax: 32 * 1_048_576,
  runTakenMsMax: 100,
  runPartRows: 2_500,
  pageBytesMax: 64 * 1_048_576,
  /** Rows of one slice in the order of identity: they are sorted. */
  scanRankedRowsMax: 1_000_000,
  /** Bytes between two wanted rows on disk that are read along rather than skipped by a second read. */
  rowsGapBytesMax: 2_048,

  // Compact rows.
  /** Where a thread spells compact rows, and makes of rows what leaves the service: for stored bytes of some, for their text until it is copied or sent, for the names of fields, and for what several segments are spelled with. */
  deskBytes: 4 * 1_048_576,
  expandWindowBytes: 9 * 65_536,
  expandScratchBytes: 1_048_576,
  /** Of that text, what is left free where it would take bringing more rows there to fill it. */
  expandSpareBytes: 65_536,
  /** What may be written over behind the place that a text was given. */
  textSpareBytes: 1_024,
  deskLabelsBytes: 12_288,
  /** Rows that are put together there at a time, and the donors of one: those of a longer group are read once for all of its rows. */
  rowsOnDeskMax: 256,
  donorsOnDeskMax: 4,

  // Totals and facets.
  /** Unfinished totals and facets that a thread keeps; one facet may hold some MB. */
  talliesHeldMax: 32,
  /** Values of a column up to which a facet adds up running counts; of more it counts the rows. */
  facetPostingsMax: 4_096,
  /** Rows for each range of a search up to which facets of countries and presence go through them; of more they are totals. */
  facetRowsOfRangeMax: 256,
  /** Values of a facet that one scan gives. */
  scanFacetValuesMax: 1_000,
  /** Different values of a column without a dictionary, or of numbers, that one facet counts; of more it is not counted. */
  scanFacetDistinctMax: 100_000,

  // Lists of rows.
  /** Countries up to which a search for those with an email address is read as a part of each, where such rows lie first; of more their runs would be too short. */
  partedCountriesMax: 16,
  /** Of a column with no more lists of rows than this, those that were opened stay so. */
  listsOpenMax: 2_048,
  /** Searches of a segment that are kept prepared between two slices, and the bytes of what was made for them. */
  readingsKept: 32,
  readingsBytesMax: 64 * 1_048_576,
  /** Posting lists that are joined anew in every block; more are joined once. */
  unionLeavesMax: 8,
  /** Blocks of 65,536 rows up to which many posting lists are joined at once; in more each block is joined when it is first asked for. */
  unionBlocksMax: 4,
  /** Rows up to which the union of many lists is kept as a list, else as a bitmap; of few lists, up to which it is sorted at all. */
  unionRowsMax: 8_192,
  unionSortedMax: 256,
  /** Candidates of a phrase that are verified before the scan begins; more are verified as they come. */
  phraseRowsMax: 256,
  /** Likewise of the values of a filter that are looked up, of which each has a row or two nearly always. */
  lookupRowsMax: 4_096,
  /** Intervals of numbers that a row is held to one after the other; of more the one that may hold it is searched for. */
  intervalsTriedMax: 8,
} as const;
