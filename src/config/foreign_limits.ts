/** Bounds of sources that are no lakes. */
export const FOREIGN_LIMITS = {
  // How many.
  sourcesMax: 64,
  /** Tasks of foreign sources at once: each waits for its own sockets. */
  foreignTasksMax: 16_384,
  /** Connections to a source, and scans of it at once; of those that wait, so many for each. */
  sourceConcurrencyDefault: 8,
  sourceConcurrencyMax: 256,
  waitingPerPlace: 16,
  /** The share of a source's places, and of those who wait for them, that streams leave to pages: one place at least, where there are two. */
  pagePlacesShare: 0.25,

  // Time.
  /** A foreign scan ends this long before its deadline, so that what it has can still be delivered. */
  foreignMarginMs: 3,
  /** Of the time a call has left when it asks a foreign source, so much is kept for putting the answer together without it; at most so long. */
  foreignKeptShare: 0.05,
  foreignKeptMsMax: 20,
  /** How long foreign sources may hold up the start. */
  foreignStartMs: 2_000,
  /** How long `lds doctor` waits for one. */
  foreignExaminedMs: 5_000,
  /** How long sources may take to end what still runs when the service does. */
  foreignCloseMs: 300,
  /** How long a stream waits for the next rows of a source that says no time of its own. */
  foreignSilenceMs: 60_000,
  connectMsDefault: 1_000,
  connectionIdleMs: 30_000,

  // Described.
  describeMs: 10_000,
  describeEveryMs: 300_000,
  /** How often at most it is described because it refused a search. */
  refusedEveryMs: 1_000,
  /** How long the rows of a source may take to count when it is described. */
  figuresMs: 5_000,
  /** Servers behind a table that are asked whether they are there. */
  shardsMax: 1_000,

  // Statements and rows.
  /** A line of a foreign answer, and a statement to a foreign engine: the largest filter fits several times over. */
  foreignLineBytesMax: 4 * 1_048_576,
  foreignStatementBytesMax: 64 * 1_048_576,
  /** Of what an engine says of a statement that failed: it may quote the statement. */
  foreignFailureCharactersMax: 500,
  /** Rows that a foreign source gives at a time; of a table that is read to its end so many bytes of them, as far as the rows before tell, and few at first. */
  foreignBatchRows: 512,
  foreignBatchBytes: 2 * 1_048_576,
  foreignFirstRows: 32,
  /** Rows of a page are gathered up to so many bytes before they are handed on: a statement reads no more of them. */
  foreignPageBytes: 16 * 1_048_576,
  /** Pieces of a stream that are read before they are asked for. */
  foreignPiecesAhead: 4,
  /** Suppressed rows that a scan of a foreign source keeps, to take them out of what the source counted. */
  foreignDroppedRowsMax: 1_000,
  /** Bytes of a key by which rows of a foreign source are ordered: places in a cursor hold it. */
  foreignKeyBytesMax: 320,
  /** Matches of which the engine cannot tell for sure that are counted one by one; more are left uncounted. */
  unsureRowsMax: 10_000,
  /** And bytes of them, which are held until they are counted. */
  unsureBytesMax: 64 * 1_048_576,
  /** Rows up to which the statements of a page grow where most of what they read may turn out not to match. */
  unsureWindowRowsMax: 2_048,
  facetRowsMax: 10_000,
  /** Texts that are looked for in what is stored before values are made of it. */
  sievedTextsMax: 16,

  // Failures.
  breakerFailures: 5,
  /** A scan that timed out within less says nothing of the source; where nothing but such was heard of it for so long, it is asked, and must answer as soon. */
  breakerTimeoutMsMin: 250,
  breakerSilenceMs: 2_000,
  probeMsMin: 250,
  probeMsMax: 15_000,

  // Replicas.
  /** Servers that hold the same, beside the first; and of all calls those that may be made twice: a share, and so many at once. */
  replicasMax: 4,
  extraCallsShare: 0.1,
  extraCallsMost: 10,
  /** How long a search that never began waits before it is asked again. */
  retryMsMin: 5,
  retryMsMax: 50,
  /** A second server is asked when the first has been silent for longer than so many of the answers; within these bounds, and for so long where too few have come. */
  hedgeQuantile: 0.95,
  hedgeMsMin: 5,
  hedgeMsMax: 2_000,
  hedgeMsUnknown: 200,
  latencySamplesMin: 20,
  latencySamplesMax: 512,

  // Over http.
  /** Gateways that a search may pass before it comes to this one. */
  hopsMax: 8,
  /** Of an answer over http: its longest line, all of it on a page and on a stream, rows that are put in order here, and those that may be junk. */
  httpLineBytesMax: 256 * 1_024,
  httpPageBytesMax: 64 * 1_048_576,
  httpStreamBytesMax: 64 * 1_024 * 1_048_576,
  httpSortRowsMax: 100_000,
  httpJunkRowsMax: 100,
  /** Pages in a row that bring nothing but what came before, of which those of a gateway grow twofold, and that bring nothing. */
  httpRepeatedPagesMax: 20,
  httpEmptyPagesMax: 1_000,
  /** Rows by which it is told what an API sends, where it has no list of its sources. */
  httpSampleRows: 100,
  /** Searches whose walks over another gateway are remembered, and places of each. */
  httpWalksMax: 1_024,
  httpWalkPlacesMax: 64,
  /** Characters of those searches, keys and cursors together, of each source: a search may be as long as a body, a cursor is the other side's. */
  httpWalkCharactersMax: 32 * 1_048_576,
  /** Bytes of an answer that is read whole, and of what is said of a failure. */
  httpDocumentBytesMax: 4 * 1_048_576,
  httpFailureBytesMax: 2_048,
  /** How long is waited for what is said. */
  httpFailureMs: 1_000,

  // Parquet.
  /**
   * Calls of the engine of Parquet files at once, whatever the number of sources, and those among them that nobody waits for as for a page. Each
   * holds one of the four threads of the process that read files and look up names; an interrupt that is not heard is said again.
   */
  parquetCallsMax: 2,
  parquetLongCallsMax: 1,
  parquetInterruptEveryMs: 10,
  /** What the engine of one source may take of memory, and of the disk where that is not enough. */
  parquetMemoryMbDefault: 512,
  parquetMemoryMbMin: 64,
  parquetSpillMbMax: 16_384,
  parquetFilesMax: 10_000,
  parquetFilesAtOnce: 500,
  /** How long files that were found are taken for all there are: ten times what it took to look for them, within these bounds. */
  parquetFilesKeptMs: 250,
  parquetListingsApart: 10,
  parquetFilesKeptMsMax: 2_000,
  parquetFiguresMs: 4_000,
  /** How long a look at all files, or at their columns, may take, whoever waits for it. */
  parquetLookMs: 120_000,
  /** Files that a page by their places asks first; where they have too few rows, those up to so many times as many, and so on. */
  parquetPageFiles: 16,
  parquetPageFilesMore: 8,

  // PostgreSQL.
  /** No table or view has more. */
  postgresColumnsMax: 1_600,

  // ClickHouse.
  /** Statements that a ClickHouse server is still to be told to stop. */
  clickhouseKillsMax: 1_000,
  /** Rows of a page that are read by the keys found before: more lie in nearly every part of a table. */
  clickhouseKeysMax: 2_048,
  /** A sort of all rows goes on on the server's disk once it holds one part of so many of what a statement may hold: what is read meanwhile and the merging of what lies there need the others. */
  clickhouseSortParts: 4,
  /** Rows that such a sort takes and gives at a time. */
  clickhouseSortedRows: 8_192,
} as const;
