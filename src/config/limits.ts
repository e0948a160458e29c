import { FIELDS } from '../model/field.ts';
import { ACCOUNT_LIMITS } from './account_limits.ts';
import { BENCH_LIMITS } from './bench_limits.ts';
import { EMAIL_LIMITS } from './email_limits.ts';
import { FOREIGN_LIMITS } from './foreign_limits.ts';
import { SCAN_LIMITS } from './scan_limits.ts';

/** Every bound in the system, with its unit in its name; the relations between them are asserted at the end. */
export const LIMITS = {
  bodyBytesMax: 1_048_576,
  bodyDropBytesMax: 8 * 1_048_576,
  bodyDropMsMax: 2_000,
  bodyStallMs: 15_000,
  headersBytesMax: 16_384,
  jsonDepthMax: 32,
  /** Objects, arrays and members of one body together: JSON.parse and the count of members cost up to 0.4 us each. */
  jsonNodesMax: 20_000,
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
  pageRowsDefault: 25,
  pageRowsMax: 1_000,
  csvPageRowsMax: 10_000,
  /** Rows of CSV between two looks at the clock. */
  csvRowsUntimed: 128,
  /** A record of a file on the command line; a quote that is not closed would swallow the rest of the file. */
  csvRecordCharactersMax: 1_048_576,
  /** How long `lds validate` waits by itself where the gateway says when to come back, and how often in a row. */
  commandWaitSMax: 60,
  commandTriesMax: 5,
  /** Of one of its calls, unless told. */
  commandTimeoutMsDefault: 30_000,
  ...BENCH_LIMITS,
  /** How long `lds doctor` waits for a server to answer, and for a native module to load. */
  doctorAnswerMs: 2_000,
  doctorLoadMs: 10_000,
  timeoutMsMin: 10,
  pageTimeoutMsDefault: 2_000,
  pageTimeoutMsMax: 30_000,
  streamTimeoutMsDefault: 600_000,
  streamTimeoutMsMax: 3_600_000,
  /** Names in one of the lists `fields`, `sources.only` and `sources.ignore`. */
  namesMax: 1_000,
  facetsMax: 5,
  playgroundRowsMax: 5,
  playgroundCallsADay: 20,
  facetValuesMax: 20,
  /** Values that may be among those, and that are counted once more where a segment gave others alone. */
  facetValuesRecounted: 200,
  clientRefCharactersMax: 128,
  echoedNameCharactersMax: 64,
  /** As many sources as there may be, with their longest names and keys, fit; and some 2,000 segments of lakes. */
  cursorCharactersMax: 65_536,
  cursorRowsEvery: 10_000,
  /** Slices of each lane between two cursors, where several deliver: what the others bring meanwhile puts a cursor off. */
  cursorSlices: 4,
  mergeRows: 512,
  /** Rows and bytes of one slice of a long group of one identity, where rows stay where they are stored. */
  groupRowsMax: 4_096,
  groupBytesMax: 4 * 1_048_576,
  /** Rows that may lend a field and wait unread. */
  donorsWaitingMax: 32,
  /** How long a piece of work may hold the main loop before all others get their turn, and the steps between two looks at the clock. */
  mainTurnMs: 5,
  mergeStepsUntimed: 64,
  /** Rows of MessagePack between two looks at the clock, and the bytes a row is expected to fit. */
  rowsPackedUntimed: 16,
  rowSinkBytes: 4_096,
  /** How long past the deadline a page is still put together from what came by then; and for so many steps, a millisecond or two, where the deadline is seen later. */
  mergeLateMs: 10,
  mergeLateSteps: 2_048,
  heartbeatMs: 5_000,
  /** How long a stream over sources that may be missing waits with its first byte. */
  streamBeginMsMax: 1_500,
  /** How long a reader may take for one piece; over uWebSockets he is asked for every second. Readers pause for what they do with the rows. */
  streamStallMs: 60_000,
  /** Handed to the kernel at once; what it does not take of it is held until the reader goes on. */
  streamPieceBytes: 1_048_576,
  /** What surely fits the cork of uWebSockets, 16 KiB, with its frame and what the library puts before a first one. */
  corkedPieceBytes: 15 * 1_024,
  /** Loopback that does not answer: the service starts without the holder of the cork. */
  corkHolderMs: 1_000,
  /** Rows that are copied together before they are written: with the one that goes beyond it they are one piece. */
  streamGatheredBytes: 480 * 1_024,
  /** Rows of a stream that are copied or put together between two looks at the clock. */
  streamRowsUntimed: 8,
  /** A line of the fewest bytes outlasts the patience: a look each second. */
  streamProbeBytes: 1,
  stallSweepMs: 1_000,
  keepAliveMs: 10_000,
  requestReceiveMs: 60_000,
  drainLingerMs: 500,
  snapshotRetainMs: 15 * 60_000,
  lakePollMs: 500,
  /** How often a writer touches its lock, and how long it is believed to live where it cannot be looked at. */
  lockTouchMs: 10_000,
  lockTrustMs: 120_000,
  /** How often a writer asks for a lock that is held, and how long after the last time. */
  lockTriesMax: 10,
  lockTryAgainMs: 200,
  lakeRetryMsMax: 30_000,
  /** How long the end of the service waits for a look at the lakes; one that loads a large one is left. */
  lakesCloseMs: 50,
  usageDaysShown: 31,
  usageDaysMax: 366,
  adminRowsDefault: 100,
  adminRowsMax: 500,
  /** Values of one kind in one body; a hash with its quotes and comma has 67 bytes. */
  suppressionsInBodyMax: 15_000,
  /** A typed array of this V8 views no more. */
  mappedBytesMax: 4_294_967_295,
  /** Rows of a segment up to this are held against their checksums before they are served, a third of a second each; larger ones meanwhile. */
  rowsVerifiedFirstBytes: 1_073_741_824,
  residentRowsBytesMax: 4_294_000_000,
  /** An answer in the making; what a sink keeps between two of them. */
  sinkBytesMax: 256 * 1_048_576,
  sinkKeptBytes: 2_097_152,
  sinksKeptMax: 4,
  ...SCAN_LIMITS,
  /** How long a start that is told to end may still take before it is left. */
  startLeftMs: 1_000,
  drainMs: 7_500,
  drainCancelMs: 2_000,
  ...EMAIL_LIMITS,
  scanThreadsMax: 64,
  rowsMemoryMbMax: 4_194_304,
  sourcesMax: 64,
  sourceConcurrencyMax: 256,
  extrasMax: 32,
  logFlushBytes: 64 * 1_024,
  logPageBytes: 80 * 1_024,
  logFlushMs: 100,
  logWaitingBytesMax: 4 * 1_048_576,
  logCloseMsMax: 300,
  /** The same failure of one source is a line once in this while. */
  logRepeatMs: 60_000,
  /** Errors behind an error that a line tells of. */
  logCausesMax: 3,
  metricSeriesMax: 2_000,
  eventLoopSampleMs: 20,
  ...ACCOUNT_LIMITS,
  ingestHeadBytes: 1_048_576,
  ingestLineBytesMax: 16 * 1_048_576,
  ingestSampleRecords: 50_000,
  ingestPreviewRecords: 1_000,
  ingestPreviewRows: 5,
  ingestColumnsMax: 1_024,
  ingestRejectsWrittenMax: 1_000_000,
  ingestRejectCharactersMax: 1_000,
  ingestMemoryShare: 0.5,
  /** A lake of so many rows is cut into several segments, which are built at once, by so many threads at most. */
  segmentedRowsMin: 200_000,
  segmentThreadsMax: 16,
  /** Of a thread that builds a segment: what is read must not outlive one look of the collector. */
  segmentThreadYoungMb: 96,
  /** Bytes of rows that a segment is cut to hold at most. */
  segmentRowsBytesMax: 3_500_000_000,
  /** Rows of a group of a Parquet truth, and about the bytes of them: a group is in memory as a whole when it is written, and when it is read again. */
  truthGroupRowsMax: 122_880,
  truthGroupBytesMax: 128 * 1_048_576,
  /** Fields of a row, where rows are put together: the layout of that memory has room for so many. */
  rowFieldsMax: 63,
  idCharactersMax: 200,
  textCharactersMax: 1_000,
  longTextCharactersMax: 10_000,
  websiteCharactersMax: 2_048,
  /** Of a phone number that does not parse. */
  phoneCharactersMax: 64,
  listItemsMax: 100,
  listItemCharactersMax: 200,
  /** Rows of one slice in the order of identity: they are sorted. */
  scanRankedRowsMax: 1_000_000,
  /** Rows read between two looks at the deadline and the cancel flag, where a search must read rows to decide. */
  scanReadRowsMax: 128,
  /** Values of a column up to which a facet adds up running counts; of more it counts the rows. */
  facetPostingsMax: 4_096,
  /** Values of a facet that one scan gives. */
  scanFacetValuesMax: 1_000,
  /** Different values of a column without a dictionary, or of numbers, that one facet counts; later ones are left out. */
  scanFacetDistinctMax: 100_000,
  /** Searches of a segment that are kept prepared between two slices, and the bytes of what was made for them. */
  readingsKept: 32,
  readingsBytesMax: 64 * 1_048_576,
  /** Posting lists that are joined anew in every block; more are joined once. */
  unionLeavesMax: 8,
  /** Rows up to which the union of many lists is kept as a list, else as a bitmap; of few lists, up to which it is sorted at all. */
  unionRowsMax: 8_192,
  unionSortedMax: 256,
  /** Candidates of a phrase that are verified before the scan begins; more are verified as they come. */
  phraseRowsMax: 256,
  ...FOREIGN_LIMITS,
  /** Bytes between two wanted rows on disk that are read along rather than skipped by a second read. */
  rowsGapBytesMax: 2_048,
} as const;

/** What must hold between the bounds for each to mean what it says. A rule that fails stops every thread at its start. */
const RELATIONS: Readonly<Record<string, boolean>> = {
  'a preview shows rows that it has read': LIMITS.ingestPreviewRows <= LIMITS.ingestPreviewRecords,
  'the rows of a segment can be mapped, and kept in memory': LIMITS.segmentRowsBytesMax * 1.1 < LIMITS.mappedBytesMax && LIMITS.segmentRowsBytesMax * 1.1 < LIMITS.residentRowsBytesMax,
  'the fields of a row and its extra columns can be put together': Math.max(...Object.values(FIELDS).map(({ length }) => length)) + LIMITS.extrasMax <= LIMITS.rowFieldsMax,
  'an item of a list is no longer than a text': LIMITS.listItemCharactersMax <= LIMITS.textCharactersMax,
  'a body that is too large is dropped further than it is read': LIMITS.bodyDropBytesMax >= LIMITS.bodyBytesMax,
  'the largest filter fits a body': LIMITS.filterValuesMax * LIMITS.filterValueCharactersMax <= LIMITS.bodyBytesMax,
  'a cursor fits a body many times over': LIMITS.cursorCharactersMax * 16 <= LIMITS.bodyBytesMax,
  'a page asked for by default is a page that may be asked for': LIMITS.pageRowsDefault <= LIMITS.pageRowsMax,
  'a CSV page is the larger one': LIMITS.pageRowsMax <= LIMITS.csvPageRowsMax,
  'a page may take its default time': LIMITS.timeoutMsMin <= LIMITS.pageTimeoutMsDefault && LIMITS.pageTimeoutMsDefault <= LIMITS.pageTimeoutMsMax,
  'a stream may take its default time': LIMITS.pageTimeoutMsMax <= LIMITS.streamTimeoutMsDefault && LIMITS.streamTimeoutMsDefault <= LIMITS.streamTimeoutMsMax,
  'a writer may be late to touch its lock': LIMITS.lockTouchMs * 6 <= LIMITS.lockTrustMs,
  'what is kept of an answer that loads the gateway holds its longest cursor, and it is waited for as long as a search may take':
    LIMITS.benchTailBytesMax >= 2 * LIMITS.cursorCharactersMax && LIMITS.benchAnswerMsMax > LIMITS.pageTimeoutMsMax,
  'a cursor of a page outlives the page': LIMITS.pageTimeoutMsMax < LIMITS.snapshotRetainMs,
  'rows gathered for a stream leave as one piece, whatever row comes last but a very long one': LIMITS.streamGatheredBytes + 16_384 <= LIMITS.streamPieceBytes,
  'a stream begins before its first heartbeat': LIMITS.streamBeginMsMax < LIMITS.heartbeatMs,
  'a silent stream is heard before its reader is taken for stalled': LIMITS.heartbeatMs < LIMITS.streamStallMs,
  'a scan gives more facet values than an answer shows, so that those of several segments add up': LIMITS.scanFacetValuesMax >= LIMITS.facetValuesMax * 10,
  'the rows of a slice in the order of identity can be numbered beside their ranks': LIMITS.scanRankedRowsMax < 2 ** 21,
  'every scan that is under way has a tray': LIMITS.pageTrays >= LIMITS.scansInBatchMax * LIMITS.batchesUnderWayMax,
  'batches keep their slot when their count runs over': 2 ** 32 % LIMITS.batchesUnderWayMax === 0,
  'a batch of scans fits the queue': LIMITS.scansInBatchMax <= LIMITS.scansQueuedMax,
  'every scan that waits can be cancelled': LIMITS.scansQueuedMax < LIMITS.cancelSlots,
  'a desk is whole pages of memory, half of them for the stencils of many segments':
    LIMITS.deskBytes % 65_536 === 0 && LIMITS.expandWindowBytes + LIMITS.expandScratchBytes + 2 * LIMITS.textSpareBytes <= LIMITS.deskBytes / 2,
  'a slice is long over before its thread counts as hung': LIMITS.sliceMs * 100 < LIMITS.batchHungMs,
  'a search has time beside the margin of scans': LIMITS.scanMarginMs * 2 <= LIMITS.timeoutMsMin,
  'what was found comes home within half of the 25 ms that an answer may be late': LIMITS.scanMarginMs + LIMITS.deadlineTickMs <= 12,
  'a thread that hangs is ended before the drain is': LIMITS.batchHungMs < LIMITS.drainMs,
  'a revoked key is dead within a second, and the polls between keep the others warm': LIMITS.keyPollMs * 2 < LIMITS.keyTrustMs && LIMITS.keyTrustMs < 1_000,
  'keys that nobody knows leave half the places and connections to those that are known': LIMITS.strangeLookupsAtOnceMax * 2 <= LIMITS.databaseConnectionsMax && (LIMITS.strangeLookupsAtOnceMax + LIMITS.strangeLookupsWaitingMax) * 2 <= LIMITS.keyLookupsMax,
  'a key is looked up in less time than a look-up is believed': LIMITS.databaseHotMs < LIMITS.keyTrustMs,
  'what every call asks of a database is answered before the rest': LIMITS.databaseHotMs <= LIMITS.databaseAnswerMs && LIMITS.databaseAnswerMs < LIMITS.databaseLongMs,
  'a lost gateway gives its locks back before the others give up twice': LIMITS.databaseIdleInTransactionMs < 2 * LIMITS.databaseAnswerMs,
  'a try is left when all connections turned out to be dead': LIMITS.databaseTriesMax > LIMITS.databaseConnectionsMax && LIMITS.databaseConnectionsMax >= LIMITS.databaseKeeperConnectionsMax,
  'every key that is looked up may wait for a connection': LIMITS.keyLookupsMax < LIMITS.databaseWaitingMax,
  'hashing passwords fits its memory and leaves half of the four threads that read files': LIMITS.passwordHashesAtOnceMax <= 2,
  'a gateway that misses a renewal or two keeps the places of its calls': LIMITS.sharedRenewMs * 3 < LIMITS.sharedLeaseMs,
  'what is shared of a day outlives the day': LIMITS.sharedKeptMs > 86_400_000,
  'a session that is in use is not taken for idle': LIMITS.sessionTouchMs * 2 < LIMITS.sessionIdleMs && LIMITS.sessionIdleMs < LIMITS.sessionMs,
  'every form that a person can fill in is read': 12 * (LIMITS.emailCharactersMax + 2 * LIMITS.passwordCharactersMax + 256) < LIMITS.formBytesMax && LIMITS.formBytesMax < LIMITS.bodyBytesMax,
  'keys that ended are kept for as long as they are shown, and the usage that an operator may ask for at once':
    LIMITS.keysShownEndedMs <= LIMITS.endedKeyKeptMs && LIMITS.usageDaysShown <= LIMITS.usageDaysMax && LIMITS.usageDaysMax <= LIMITS.usageDaysKept,
  'the keys that an account may have are all shown': LIMITS.keysOfAccountMax < LIMITS.keysShownMax,
  'the largest body of hashes fits a body': LIMITS.suppressionsInBodyMax * 67 < LIMITS.bodyBytesMax,
  'an operator reads no more at once than the store gives': LIMITS.adminRowsMax <= LIMITS.storePageRows,
  'what any process suppresses is gone within a second': LIMITS.suppressionPollMs * 2 < 1_000,
  'a crash loses less than a second of usage': LIMITS.usageFlushMs * 2 < 1_000,
  'one write of usage takes part of what may wait': LIMITS.usageCellsInWriteMax <= LIMITS.usageCellsMax,
  'a burst of log lines is flushed before it is dropped': LIMITS.logPageBytes * 4 <= LIMITS.logWaitingBytesMax && LIMITS.logFlushBytes < LIMITS.logPageBytes,
  'the drain, the end of lakes, foreign sources and what is counted, of both that use the store and of the shared caps, the last log lines and what stdout still holds take less than the ten seconds of the contract':
    LIMITS.drainMs + LIMITS.lakesCloseMs + LIMITS.foreignCloseMs + LIMITS.accountsCloseMs + 2 * LIMITS.databaseCloseMs + LIMITS.sharedReplyMs + 2 * LIMITS.logCloseMsMax < 10_000,
  'a source that came back is asked again within half a minute': LIMITS.probeMsMax <= 30_000,
  'a search has time beside the margin of foreign scans': LIMITS.foreignMarginMs * 2 <= LIMITS.timeoutMsMin,
  'the engine of Parquet files leaves half of the four threads that read files, and a place to pages': LIMITS.parquetCallsMax <= 2 && LIMITS.parquetLongCallsMax < LIMITS.parquetCallsMax,
  'the rows of Parquet files are told where counting the rest takes too long': LIMITS.parquetFiguresMs < LIMITS.figuresMs,
  'places of all sources fit a cursor': LIMITS.sourcesMax * (LIMITS.foreignKeyBytesMax + 160) * 4 / 3 <= LIMITS.cursorCharactersMax,
  'a call to the validator may take its default time': LIMITS.validateTimeoutMsMin <= LIMITS.validateTimeoutMsDefault && LIMITS.validateTimeoutMsDefault <= LIMITS.validateTimeoutMsMax,
  'a resolver that is gone is found out within the default time': LIMITS.dnsServersMax * LIMITS.dnsTryMs + LIMITS.dnsTryMs < LIMITS.validateTimeoutMsDefault,
  'a lost query is sent again while its answer can still come in time': LIMITS.dnsResendMs * 2 <= LIMITS.dnsTryMs,
  'an address is refused for its length long before it is too much to read': LIMITS.addressOctetsMax < LIMITS.addressInputOctetsMax,
  'a session of recipients fits what is read of its host': LIMITS.smtpRecipientsMax * LIMITS.smtpLineBytesMax < LIMITS.smtpSessionBytesMax,
  'a connection is given up before its session is': LIMITS.smtpConnectMs < LIMITS.smtpSessionMs,
  'a host has fair time for a connection in a call of the default time': LIMITS.smtpConnectMsFair * LIMITS.smtpAddressesMax * LIMITS.smtpHostsTriedMax <= LIMITS.validateTimeoutMsDefault,
  'what a mail host said is handed over within the shortest call': LIMITS.smtpReserveMs < LIMITS.validateTimeoutMsMin,
  'a call to the validator is no smaller by default than it may be': LIMITS.validateEmailsMaxDefault <= LIMITS.validateEmailsMaxCeiling,
};

for (const [rule, holds] of Object.entries(RELATIONS)) {
  if (!holds) throw new Error(`src/config/limits.ts: ${rule}`);
}
