/** Bounds of connections, of bodies on their way in, and of pieces of an answer on their way out. */
export const HTTP_LIMITS = {
  // Of the files that the process may have open, those that connections of callers leave: so many, and no less than that one in so many.
  openFilesKeptMin: 128,
  openFilesKeptOneIn: 8,

  // A request, as it comes in.
  headersBytesMax: 16_384,
  bodyBytesMax: 1_048_576,
  /** A body so short is read at once, whatever else was done in the turn of the loop. */
  bodyUntimedBytes: 8_192,
  bodyDropBytesMax: 8 * 1_048_576,
  bodyDropMsMax: 2_000,
  bodyStallMs: 15_000,
  /** What must come of a body while it is waited for that long: 17 KB a second, as uWebSockets wants by itself. */
  bodyPaceBytes: 262_144,
  requestReceiveMs: 60_000,
  keepAliveMs: 10_000,
  jsonDepthMax: 32,
  /** Objects, arrays and members of one body together: JSON.parse and the count of members cost up to 0.4 us each. */
  jsonNodesMax: 20_000,
  clientRefCharactersMax: 128,
  echoedNameCharactersMax: 64,
  overloadedRetrySeconds: 1,

  // A stream, as it goes out.
  /** How long a reader may take for one piece; over uWebSockets he is asked for every second. Readers pause for what they do with the rows. */
  streamStallMs: 60_000,
  /** Of answers that have ended, over all connections, what readers have not taken yet: beyond it those who take nothing are not waited for. */
  unreadBytesMax: 256 * 1_048_576,
  /** Of one of them over `node:http`, which tells of a piece that it is taken. In pieces of 64 KiB a page of a thousand rows takes nearly twice as long to send. */
  unreadPieceBytes: 256 * 1_024,
  /** A line of the fewest bytes outlasts the patience: a look each second. */
  streamProbeBytes: 1,
  stallSweepMs: 1_000,
  /** Handed to the kernel at once; what it does not take of it is held until the reader goes on. */
  streamPieceBytes: 1_048_576,
  /** Who takes longer for a piece is given the next in such small ones, each twice as large as the one before while he takes them in less. */
  streamSlowMs: 250,
  streamSlowPieceBytes: 65_536,
  /** What surely fits the cork of uWebSockets, 16 KiB, with its frame and what the library puts before a first one. */
  corkedPieceBytes: 15 * 1_024,
  /** Loopback that does not answer: the service starts without the holder of the cork. */
  corkHolderMs: 1_000,
  /** Rows that are copied together before they are written: with the one that goes beyond it they are one piece. */
  streamGatheredBytes: 480 * 1_024,
  /** Rows of a stream that are copied or put together between two looks at the clock. */
  streamRowsUntimed: 8,

  // What is asked of usage, and of an operator.
  usageDaysShown: 31,
  usageDaysMax: 366,
  adminRowsDefault: 100,
  adminRowsMax: 500,
  /** Values of one kind in one body; a hash with its quotes and comma has 67 bytes. */
  suppressionsInBodyMax: 15_000,
  /** Values read between two looks at the clock. */
  suppressionsUntimed: 64,
} as const;
