/** Bounds of the store of accounts and suppressions, and of the caps that several gateways share. */
export const STORE_LIMITS = {
  // Both stores.
  storePageRows: 500,
  /** A gateway that wrote no usage for so long is forgotten. */
  usageWriterDays: 7,

  // SQLite.
  storeBusyMs: 2_000,
  storeBusyRetryMs: 10,
  /** Writes in one transaction: of most each takes a tenth of a millisecond, and nothing else runs meanwhile. */
  storeWritesTogetherMax: 32,
  /** Calls without a key of days gone by that one write forgets: more than one write adds, so that none stay. */
  playgroundForgottenMax: 2_000,
  /** Closed connections to SQLite and their statements that are kept: some 300 bytes each. */
  storeRetiredMax: 20_000,
  /** Rows of usage that are added up at once: 1 ms, and 5 where the store is larger than what of it is kept in memory, as with 200,000 accounts. */
  usageRowsInSum: 400,

  // PostgreSQL.
  /** Connections to PostgreSQL of one gateway: of its main thread, and of the one that keeps the suppressions. Each of the two has one more to listen on. */
  databaseConnectionsMax: 8,
  databaseKeeperConnectionsMax: 2,
  /** Calls that wait for a connection; the rest is told to come back. */
  databaseWaitingMax: 2_048,
  databaseConnectMs: 1_000,
  /** The first connection of a start, which nobody's call waits for: a server may have to wake. */
  databaseFirstConnectMs: 5_000,
  /** How long an answer may take: of what every call asks, of the rest, and of long lists and sums. */
  databaseHotMs: 800,
  databaseAnswerMs: 3_000,
  databaseLongMs: 30_000,
  databaseMigrateMs: 300_000,
  /** How long a start waits for tables that somebody holds. */
  databaseLockMs: 290_000,
  databaseIdleInTransactionMs: 5_000,
  /** A server that was restarted leaves all connections dead, and each is found out by itself. */
  databaseTriesMax: 9,
  databaseUndoneMax: 3,
  /** A server that has no connection left is asked again so often, for as long as one may take to be made. */
  databaseCrowdedRetryMs: 100,
  databaseListenAgainMs: 500,
  databaseConnectionLifeMs: 30 * 60_000,
  /** How long the end of a connection waits for the server's goodbye. */
  databaseCloseMs: 200,

  // Shared caps, in Redis.
  /** How long a call waits for the shared caps before its gateway decides alone, and how soon they are tried again after that. */
  sharedReplyMs: 50,
  sharedProbeMs: 250,
  /** How long a call waits for the store to tell what its account has used: the first call of the account, and after a loss. */
  sharedStoreMs: 250,
  /** A gateway says every so often which calls it has under way; those of one that fell silent for so long are over. */
  sharedRenewMs: 1_000,
  sharedLeaseMs: 5_000,
  sharedCallsInRenewal: 256,
  /** After this long without use Redis forgets an account. */
  sharedKeptMs: 48 * 3_600_000,
  redisConnectMs: 2_000,
  /** A connection that owes an answer for so long is given up. */
  redisSilenceMs: 3_000,
  redisReconnectMsMax: 1_000,

  // Suppressions.
  suppressionPollMs: 250,
  /** Entries that are read at once at the start, and the young heap of the thread that reads them: both small, so that little is left of ten million. */
  suppressionEntriesInRead: 4_000,
  suppressionHeapYoungMb: 8,
  /** Changes of the list that are read and applied at once later: each time every segment is looked through. */
  suppressionChangesInRead: 20_000,
  suppressionQuestionsMax: 256,
  suppressionRowsInSlice: 65_536,
  suppressionDomainsInSlice: 4_096,
  suppressionOtherFormsInSlice: 256,
  suppressionCharactersMax: 1_024,
  /** Terms that one command writes at once. */
  suppressionTermsInWrite: 5_000,
} as const;
