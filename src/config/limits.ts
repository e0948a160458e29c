import { WASM_PAGE_BYTES } from '../lib/wasm_room.ts';
import { FIELDS } from '../model/field.ts';
import { ACCOUNT_LIMITS } from './account_limits.ts';
import { COMMAND_LIMITS } from './command_limits.ts';
import { EMAIL_LIMITS } from './email_limits.ts';
import { FIND_LIMITS } from './find_limits.ts';
import { FOREIGN_LIMITS } from './foreign_limits.ts';
import { HTTP_LIMITS } from './http_limits.ts';
import { INGEST_LIMITS } from './ingest_limits.ts';
import { LAKE_LIMITS } from './lake_limits.ts';
import { PROCESS_LIMITS } from './process_limits.ts';
import { SCAN_LIMITS } from './scan_limits.ts';
import { STORE_LIMITS } from './store_limits.ts';

/**
 * Every bound in the system, with its unit in its name: each stands once, in the part whose room it bounds, and is read from here. How they
 * relate, across the parts too, is asserted below.
 */
export const LIMITS = {
  ...HTTP_LIMITS,
  ...FIND_LIMITS,
  ...SCAN_LIMITS,
  ...LAKE_LIMITS,
  ...INGEST_LIMITS,
  ...FOREIGN_LIMITS,
  ...EMAIL_LIMITS,
  ...ACCOUNT_LIMITS,
  ...STORE_LIMITS,
  ...PROCESS_LIMITS,
  ...COMMAND_LIMITS,
} as const;

/** What must hold between the bounds for each to mean what it says. A rule that fails stops every thread at its start. */
const RELATIONS: Readonly<Record<string, boolean>> = {
  // Bodies and searches.
  'a body that is too large is dropped further than it is read': LIMITS.bodyDropBytesMax >= LIMITS.bodyBytesMax,
  'a body that keeps its pace is whole within the time for a request': LIMITS.bodyBytesMax / LIMITS.bodyPaceBytes * LIMITS.bodyStallMs <= LIMITS.requestReceiveMs,
  'the largest filter fits a body': LIMITS.filterValuesMax * LIMITS.filterValueCharactersMax <= LIMITS.bodyBytesMax,
  'a cursor fits a body many times over': LIMITS.cursorCharactersMax * 16 <= LIMITS.bodyBytesMax,
  'places of all sources fit a cursor': LIMITS.sourcesMax * (LIMITS.foreignKeyBytesMax + 160) * 4 / 3 <= LIMITS.cursorCharactersMax,
  'the largest body of hashes fits a body': LIMITS.suppressionsInBodyMax * 67 < LIMITS.bodyBytesMax,
  'an operator reads no more at once than the store gives': LIMITS.adminRowsMax <= LIMITS.storePageRows,
  'a page asked for by default is a page that may be asked for': LIMITS.pageRowsDefault <= LIMITS.pageRowsMax,
  'rows of a stream that were put together fit a sink, whatever row comes last': LIMITS.mergeBytes * 2 <= LIMITS.sinkBytesMax,
  'a row more fits an answer': LIMITS.answerBytesMax * 2 <= LIMITS.sinkBytesMax,
  'rows that are copied at once fit an answer behind others': LIMITS.answerBytesMax + LIMITS.pageBytesMax <= LIMITS.sinkBytesMax,
  'a CSV page is the larger one': LIMITS.pageRowsMax <= LIMITS.csvPageRowsMax,
  'what is told of the rows of a page as text, as in the header of CSV, is of the catalog that it is planned by: nothing is waited for in between': LIMITS.trayRowsMax <= LIMITS.unitRows,
  'a page may take its default time': LIMITS.timeoutMsMin <= LIMITS.pageTimeoutMsDefault && LIMITS.pageTimeoutMsDefault <= LIMITS.pageTimeoutMsMax,
  'a stream may take its default time': LIMITS.pageTimeoutMsMax <= LIMITS.streamTimeoutMsDefault && LIMITS.streamTimeoutMsDefault <= LIMITS.streamTimeoutMsMax,
  'a cursor of a page outlives the page': LIMITS.pageTimeoutMsMax < LIMITS.snapshotRetainMs,

  // Streams.
  'rows gathered for a stream leave as one piece, whatever row comes last but a very long one': LIMITS.streamGatheredBytes + 16_384 <= LIMITS.streamPieceBytes,
  'rows that are spelled for a stream leave as one piece': LIMITS.expandScratchBytes <= LIMITS.streamPieceBytes,
  'a slow reader of a stream is given less at a time than others, in whatever way its rows are put together': LIMITS.streamSlowPieceBytes < LIMITS.streamGatheredBytes,
  'a cursor is due where rows that lie one behind the other may be parted': LIMITS.cursorRowsEvery % LIMITS.runPartRows === 0 && LIMITS.cursorRowsEvery <= LIMITS.runRowsMax,
  'a stream begins before its first heartbeat': LIMITS.streamBeginMsMax < LIMITS.heartbeatMs,
  'a silent stream is heard before its reader is taken for stalled': LIMITS.heartbeatMs < LIMITS.streamStallMs,

  // Scans.
  'a scan gives more facet values than an answer shows, so that those of several segments add up': LIMITS.scanFacetValuesMax >= LIMITS.facetValuesMax * 10,
  'the rows of a slice in the order of identity can be numbered beside their ranks': LIMITS.scanRankedRowsMax < 2 ** 21,
  'every scan that is under way has a tray': LIMITS.pageTrays >= LIMITS.scansInBatchMax * LIMITS.batchesUnderWayMax,
  'batches keep their slot when their count runs over': 2 ** 32 % LIMITS.batchesUnderWayMax === 0,
  'a batch of scans fits the queue': LIMITS.scansInBatchMax <= LIMITS.scansQueuedMax,
  'every scan that waits can be cancelled': LIMITS.scansQueuedMax < LIMITS.cancelSlots,
  'a desk is whole pages of memory, half of them for the stencils of many segments':
    LIMITS.deskBytes % WASM_PAGE_BYTES === 0 && LIMITS.expandWindowBytes + LIMITS.expandScratchBytes + 2 * LIMITS.textSpareBytes + LIMITS.deskLabelsBytes <= LIMITS.deskBytes / 2,
  'the names of all fields that a row may have are looked for on a desk, in a row and in one that lends it values': 176 * LIMITS.rowFieldsMax + 2 * 256 + 8 * LIMITS.rowFieldsMax <= LIMITS.deskLabelsBytes,
  'fields of a row are told in their part of a desk': 4 * (LIMITS.rowFieldsMax + 1) <= 256,
  'a slice is long over before its thread counts as hung': LIMITS.sliceMs * 100 < LIMITS.batchHungMs,
  'a search has time beside the margin of scans': LIMITS.scanMarginMs * 2 <= LIMITS.timeoutMsMin,
  'what was found comes home within half of the 25 ms that an answer may be late': LIMITS.scanMarginMs + LIMITS.deadlineTickMs <= 12,

  // Lakes.
  'a writer may be late to touch its lock': LIMITS.lockTouchMs * 6 <= LIMITS.lockTrustMs,
  'a preview shows rows that it has read': LIMITS.ingestPreviewRows <= LIMITS.ingestPreviewRecords,
  'values that are shown are looked at': LIMITS.ingestSamplesMax <= LIMITS.ingestValuesMax,
  'the rows of a segment can be mapped, and kept in memory':
    LIMITS.segmentRowsBytesMax * 1.1 < LIMITS.mappedBytesMax && LIMITS.segmentRowsBytesMax * 1.1 < LIMITS.residentRowsBytesMax,
  'the fields of a row and its extra columns can be put together':
    Math.max(...Object.values(FIELDS).map(({ length }) => length)) + LIMITS.extrasMax <= LIMITS.rowFieldsMax,
  'an item of a list is no longer than a text': LIMITS.listItemCharactersMax <= LIMITS.textCharactersMax,

  // Other sources.
  'a source that came back is asked again within half a minute': LIMITS.probeMsMax <= 30_000,
  'a search has time beside the margin of foreign scans': LIMITS.foreignMarginMs * 2 <= LIMITS.timeoutMsMin,
  'the engine of Parquet files leaves half of the four threads that read files, and a place to pages':
    LIMITS.parquetCallsMax <= 2 && LIMITS.parquetLongCallsMax < LIMITS.parquetCallsMax,
  'a look at Parquet files goes on for whoever asks next': LIMITS.parquetLookMs > LIMITS.describeMs + LIMITS.probeMsMax,
  'the rows of Parquet files are told where counting the rest takes too long': LIMITS.parquetFiguresMs < LIMITS.figuresMs,

  // Email.
  'a call to the validator is no smaller by default than it may be': LIMITS.validateEmailsMaxDefault <= LIMITS.validateEmailsMaxCeiling,
  'a call to the validator may take its default time':
    LIMITS.validateTimeoutMsMin <= LIMITS.validateTimeoutMsDefault && LIMITS.validateTimeoutMsDefault <= LIMITS.validateTimeoutMsMax,
  'a resolver that dies right after an answer counts as silent before it is given up, within the default time':
    LIMITS.dnsAliveMs < LIMITS.dnsTryMs * 2 + LIMITS.dnsSecondTryMs && LIMITS.dnsTryMs * 3 + LIMITS.dnsSecondTryMs < LIMITS.validateTimeoutMsDefault,
  'a resolver that was left out is asked again by a call that waited for it': LIMITS.dnsOutageWaitMs > LIMITS.dnsServerDownMs + LIMITS.dnsSweepMs,
  'a name that a resolver answers late is looked up a second time within the default time': LIMITS.dnsSlowWaitMs > LIMITS.dnsFailureMsMin
    && LIMITS.dnsTryMs + LIMITS.dnsSecondTryMs + LIMITS.dnsSlowWaitMs < LIMITS.validateTimeoutMsDefault,
  'a resolver that is gone is found out within the default time': LIMITS.dnsServersMax * LIMITS.dnsTryMs + LIMITS.dnsTryMs < LIMITS.validateTimeoutMsDefault,
  'a lost query is sent again while its answer can still come in time': LIMITS.dnsResendMs * 2 <= LIMITS.dnsTryMs,
  'an address is refused for its length long before it is too much to read': LIMITS.addressOctetsMax < LIMITS.addressInputOctetsMax,
  'a session of recipients fits what is read of its host': LIMITS.smtpRecipientsMax * LIMITS.smtpLineBytesMax < LIMITS.smtpSessionBytesMax,
  'a connection is given up before its session is': LIMITS.smtpConnectMs < LIMITS.smtpSessionMs,
  'a host has fair time for a connection in a call of the default time':
    LIMITS.smtpConnectMsFair * LIMITS.smtpAddressesMax * LIMITS.smtpHostsTriedMax <= LIMITS.validateTimeoutMsDefault,
  'what a mail host said is handed over within the shortest call': LIMITS.smtpReserveMs < LIMITS.validateTimeoutMsMin,

  // Accounts and their store.
  'a revoked key is dead within a second, and the polls between keep the others warm': LIMITS.keyPollMs * 2 < LIMITS.keyTrustMs && LIMITS.keyTrustMs < 1_000,
  'keys that nobody knows leave half the places and connections to those that are known':
    LIMITS.strangeLookupsAtOnceMax * 2 <= LIMITS.databaseConnectionsMax
    && (LIMITS.strangeLookupsAtOnceMax + LIMITS.strangeLookupsWaitingMax) * 2 <= LIMITS.keyLookupsMax,
  'a key is looked up in less time than a look-up is believed': LIMITS.databaseHotMs < LIMITS.keyTrustMs,
  'every key that is looked up may wait for a connection': LIMITS.keyLookupsMax < LIMITS.databaseWaitingMax,
  'the keys that an account may have are all shown': LIMITS.keysOfAccountMax < LIMITS.keysShownMax,
  'keys that ended are kept for as long as they are shown, and the usage that an operator may ask for at once':
    LIMITS.keysShownEndedMs <= LIMITS.endedKeyKeptMs && LIMITS.usageDaysShown <= LIMITS.usageDaysMax && LIMITS.usageDaysMax <= LIMITS.usageDaysKept,
  'hashing passwords fits its memory and leaves half of the four threads that read files': LIMITS.passwordHashesAtOnceMax <= 2,
  'a session that is in use is not taken for idle': LIMITS.sessionTouchMs * 2 < LIMITS.sessionIdleMs && LIMITS.sessionIdleMs < LIMITS.sessionMs,
  'every form that a person can fill in is read':
    12 * (LIMITS.emailCharactersMax + 2 * LIMITS.passwordCharactersMax + 256) < LIMITS.formBytesMax && LIMITS.formBytesMax < LIMITS.bodyBytesMax,
  'what every call asks of a database is answered before the rest':
    LIMITS.databaseHotMs <= LIMITS.databaseAnswerMs && LIMITS.databaseAnswerMs < LIMITS.databaseLongMs,
  'a start tells of held tables before it gives up on its server': LIMITS.databaseLockMs < LIMITS.databaseMigrateMs,
  'a lost gateway gives its locks back before the others give up twice': LIMITS.databaseIdleInTransactionMs < 2 * LIMITS.databaseAnswerMs,
  'a try is left when all connections turned out to be dead':
    LIMITS.databaseTriesMax > LIMITS.databaseConnectionsMax && LIMITS.databaseConnectionsMax >= LIMITS.databaseKeeperConnectionsMax,
  'a gateway that misses a renewal or two keeps the places of its calls': LIMITS.sharedRenewMs * 3 < LIMITS.sharedLeaseMs,
  'what is said of an account a second time has been written by all meanwhile': LIMITS.sharedRenewMs >= 2 * LIMITS.usageFlushMs,
  'what is shared of a day outlives the day': LIMITS.sharedKeptMs > 86_400_000,
  'what any process suppresses is gone within a second': LIMITS.suppressionPollMs * 2 < 1_000,
  'a crash loses less than a second of usage': LIMITS.usageFlushMs * 2 < 1_000,
  'one write of usage takes part of what may wait': LIMITS.usageCellsInWriteMax <= LIMITS.usageCellsMax,

  // The process.
  'a burst of log lines is flushed before it is dropped': LIMITS.logPageBytes * 4 <= LIMITS.logWaitingBytesMax && LIMITS.logFlushBytes < LIMITS.logPageBytes,
  'a thread that hangs is ended before the drain is': LIMITS.batchHungMs + 2 * LIMITS.batchHungMs / LIMITS.batchHungLooks < LIMITS.drainMs,
  'a thread that starts is given longer than one at work': LIMITS.scanThreadStartMs > LIMITS.batchHungMs,
  // The drain, then lakes, foreign sources, what is counted, both that use the store, the shared caps, the last log lines and what stdout still holds;
  // and what threads are waited for where the scan threads end, the foreign one and the process.
  'the end of the service takes less than the ten seconds of the contract':
    LIMITS.drainMs + LIMITS.lakesCloseMs + LIMITS.foreignCloseMs + LIMITS.accountsCloseMs
    + 2 * LIMITS.databaseCloseMs + LIMITS.sharedReplyMs + 2 * LIMITS.logCloseMsMax + 3 * LIMITS.unbrokenMsMax < 10_000,

  // Commands.
  'what is kept of an answer that loads the gateway holds its longest cursor, and it is waited for as long as a search may take':
    LIMITS.benchTailBytesMax >= 2 * LIMITS.cursorCharactersMax && LIMITS.benchAnswerMsMax > LIMITS.pageTimeoutMsMax,
};

for (const [rule, holds] of Object.entries(RELATIONS)) {
  if (!holds) throw new Error(`src/config/limits.ts: ${rule}`);
}
