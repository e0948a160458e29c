/** Bounds of the commands that are no service: `lds validate`, `lds doctor`, `lds bench`. */
export const COMMAND_LIMITS = {
  /** A record of a file on the command line; a quote that is not closed would swallow the rest of the file. */
  csvRecordCharactersMax: 1_048_576,
  /** Of the names of its columns, where none is the wanted one: a file of another kind may have anything there, and no end of it. */
  columnsToldCharactersMax: 500,
  /** How long `lds validate` waits by itself where the gateway says when to come back, and how often in a row. */
  commandWaitSMax: 60,
  commandTriesMax: 5,
  /** Its first wait where trouble passes; each further one in a row is twice as long. */
  commandBackoffS: 1,
  /** Of one of its calls, unless told. */
  commandTimeoutMsDefault: 30_000,

  /** How long `lds doctor` waits for a server to answer, and for a native module to load. */
  doctorAnswerMs: 2_000,
  doctorLoadMs: 10_000,

  benchConnectionsMax: 1_000,
  benchConnectionsDefault: 8,
  benchSecondsMax: 3_600,
  benchSecondsDefault: 10,
  /** Requests a second. */
  benchRateMax: 100_000,
  /** Searches that are drawn: asked in turn, from the start again after the last. */
  benchSearchesDrawn: 1_000,
  /** Lines of a file of searches, and its bytes: they are in memory while they are sent. */
  benchSearchesMax: 100_000,
  benchSearchesBytesMax: 64 * 1_048_576,
  /** What is kept of an answer under way: its end, behind the rows, with the longest cursor and an entry for each source. */
  benchTailBytesMax: 131_072,
  /** How long an answer may take, or be silent: longer than any search may. */
  benchAnswerMsMax: 35_000,
  /** After so long with failures alone the gateway counts as gone. */
  benchFailingMs: 5_000,
  /** How long a connection rests after a failure where it sends as fast as answers come. */
  benchRestMs: 100,
  /** Codes or reasons that are counted apart; what comes after is counted together. */
  benchReasonsMax: 32,
  /** Lines of a file of searches whose refusal is told. */
  benchRefusalsTold: 5,
  /** Buckets of latencies for each doubling: one is less than this part of what it holds wide. */
  benchBucketsADoubling: 128,
} as const;
