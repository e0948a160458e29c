/** Bounds of `lds ingest`, and of what it makes. */
export const INGEST_LIMITS = {
  // Files.
  ingestHeadBytes: 1_048_576,
  /** Of what gzip packed, so many of its own bytes. */
  ingestPackedHeadBytes: 65_536,
  /** How many times as long a text is taken to be as what zstd made of it: rather too few, so that rather too much of it is looked at. */
  ingestPackedTimes: 4,
  /** Of the first bytes, how many are looked at for the code page of Windows that they are in. */
  ingestCodePageBytes: 65_536,
  /** Of the end of a file, where reports have totals and words: bytes, and lines. */
  ingestFootBytes: 65_536,
  ingestFootLinesMax: 40,
  ingestLineBytesMax: 16 * 1_048_576,
  /** Lines of that length in the buffer that a text is read into: it is to be longer than one, and with 16 it is as the engine has it by itself. */
  ingestBufferLinesMin: 2,
  ingestBufferLinesMax: 16,
  /** Into which the engine divides a buffer. */
  ingestBufferPieces: 16,
  /** Of the memory of the engine, which takes several buffers at once. */
  ingestBufferShare: 0.25,
  /** Small files of one form that are read by one query. */
  ingestFilesTogetherMax: 256,
  ingestSampleRecords: 50_000,
  ingestColumnsMax: 1_024,
  ingestMemoryShare: 0.5,
  /** Of that, what the engine may hold and look through its rows once for each segment; so few segments are worth no other way. */
  ingestHeldShare: 0.75,
  ingestLooksMax: 2,
  /** Rows that each thread gathers before it writes them to files apart: so many as the engine would, eight times these, are spilled first. */
  ingestApartRows: 65_536,

  // What is told of them.
  ingestPreviewRecords: 1_000,
  /** Of a stream of this service that was written to a file, for what its last lines tell. */
  ingestStreamTailBytes: 1_048_576,
  /** Of few rows each is looked up in the source, before anything is written; of many so many, which tell about how much of the input is there as it is. */
  ingestSampleRows: 500,
  /** No more rows are looked up one by one, at some 30 us each and a read of the disk. */
  ingestLookedUpRowsMax: 131_072,
  ingestPreviewRows: 5,
  /** Different values of a column that are looked at, for what it is. */
  ingestValuesMax: 20,
  ingestSamplesMax: 3,
  /** Of the name of a column that none knows: of another kind of file it may be all of the text. */
  ingestNameCharactersMax: 100,
  /** Of a name in a folder, as Linux and macOS have it. */
  fileNameBytesMax: 255,
  ingestRejectsWrittenMax: 1_000_000,
  ingestRejectCharactersMax: 1_000,

  // Segments, and the truth beside them.
  /** A lake of so many rows is cut into several segments, which are built at once, by so many threads at most. */
  segmentedRowsMin: 200_000,
  segmentThreadsMax: 16,
  /** Of a thread that builds a segment: what is read must not outlive one look of the collector. */
  segmentThreadYoungMb: 96,
  /** Bytes of rows that a segment is cut to hold at most. */
  segmentRowsBytesMax: 3_500_000_000,
  /** Small changes stand beside the segments of before. One of at most so many rows is written anew with them, as is one of at most so many times their rows. */
  smallSegmentRowsMax: 16_384,
  keptSegmentRatio: 8,
  /** As is one of which more than this share is gone: every search looks at those rows too, and the disk holds them. */
  goneShareMax: 1 / 32,
  /** Rows of a group of a Parquet truth, and about the bytes of them: a group is in memory as a whole when it is written, and when it is read again. */
  truthGroupRowsMax: 122_880,
  truthGroupBytesMax: 128 * 1_048_576,
} as const;
