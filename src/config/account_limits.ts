/** The bounds of keys, caps, usage, the people who hold them, and what is suppressed: part of `LIMITS`, which asserts how they relate. */
export const ACCOUNT_LIMITS = {
  burstWindowMs: 60_000,
  unitRows: 100,
  keysCachedMax: 50_000,
  keyLookupsMax: 1_024,
  /** Of keys that were not seen before: at once in the store, and waiting for that. Whoever floods with such keys takes neither its connections nor the places of known ones. */
  strangeLookupsAtOnceMax: 4,
  strangeLookupsWaitingMax: 508,
  keyPollMs: 250,
  keyTrustMs: 900,
  keyOverlapMsMax: 7 * 86_400_000,
  playgroundNetworksMax: 100_000,
  accountsTrackedMax: 200_000,
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
  usageFlushMs: 400,
  /** A gateway that wrote no usage for so long is forgotten. */
  usageWriterDays: 7,
  ledgerSweepMs: 60_000,
  /** How long the end of the service waits for the store to take what was counted last. */
  accountsCloseMs: 800,
  usageCellsMax: 500_000,
  usageCellsInWriteMax: 1_000,
  storeBusyMs: 2_000,
  storeBusyRetryMs: 10,
  storePageRows: 500,
  /** Closed connections to SQLite and their statements that are kept: some 300 bytes each. */
  storeRetiredMax: 20_000,
  /** Connections to PostgreSQL of one gateway: of its main thread, and of the one that keeps the suppressions. Each of the two has one more to listen on. */
  databaseConnectionsMax: 8,
  databaseKeeperConnectionsMax: 2,
  /** Calls that wait for a connection; the rest is told to come back. */
  databaseWaitingMax: 2_048,
  databaseConnectMs: 1_000,
  /** How long an answer may take: of what every call asks, of the rest, and of long lists and sums. */
  databaseHotMs: 800,
  databaseAnswerMs: 3_000,
  databaseLongMs: 30_000,
  databaseMigrateMs: 300_000,
  databaseIdleInTransactionMs: 5_000,
  /** A server that was restarted leaves all connections dead, and each is found out by itself. */
  databaseTriesMax: 9,
  databaseUndoneMax: 3,
  databaseListenAgainMs: 500,
  databaseConnectionLifeMs: 30 * 60_000,
  /** How long the end of a connection waits for the server's goodbye. */
  databaseCloseMs: 200,
  suppressionPollMs: 250,
  /** Entries that are read at once at the start, and the young heap of the thread that reads them: both small, so that little is left of ten million. */
  suppressionEntriesInRead: 4_000,
  suppressionHeapYoungMb: 8,
  /** Changes of the list that are read and applied at once later: each time every segment is looked through. */
  suppressionChangesInRead: 20_000,
  suppressionQuestionsMax: 256,
  suppressionRowsInSlice: 65_536,
  suppressionDomainsInSlice: 4_096,
  suppressionCharactersMax: 1_024,
  /** Terms that one command writes at once. */
  suppressionTermsInWrite: 5_000,
  emailCharactersMax: 254,
  /** A form of a page: its fields, each character sent as up to 12, and room to spare. What is longer is not taken apart: of a megabyte that holds the loop for a third of a second. */
  formBytesMax: 16_384,
  keyNameCharactersMax: 64,
  inviteUsesMax: 100_000,
  inviteDaysMax: 3_650,
  passwordCharactersMin: 10,
  passwordCharactersMax: 128,
  /** One takes 128 MiB and a thread of libuv's four for a third of a second: files and names need the others. */
  passwordHashesAtOnceMax: 2,
  passwordHashesWaitingMax: 16,
  passwordMemoryBytesMax: 256 * 1_048_576,
  sessionIdleMs: 30 * 60_000,
  sessionMs: 12 * 3_600_000,
  /** How stale the time of a session's last use may be: not every page is worth a write. */
  sessionTouchMs: 60_000,
  sessionsOfAccountMax: 16,
  /** What the store forgets, some of it at each sweep: who never entered an invite, keys that ended, and use of long ago. */
  waitingAccountKeptMs: 90 * 86_400_000,
  waitingAccountsMax: 100_000,
  endedKeyKeptMs: 90 * 86_400_000,
  usageDaysKept: 731,
  /** Of a kind in one step, which holds the main loop where the store is a file; the steps of one sweep, and the pause between them. */
  outdatedRowsMax: 100,
  outdatedStepsMax: 50,
  outdatedPauseMs: 20,
  /** How long the wall clock has gone evenly before anything is forgotten by it: one that is wrong after a start is put right within minutes. A step is what no clock loses between two sweeps. */
  clockEvenMs: 3_600_000,
  clockStepMs: 60_000,
  attemptsWindowMs: 15 * 60_000,
  /** From one address, and from all: whoever guesses at an account is not to lock its owner out, who comes from elsewhere. */
  signInsOfEmailHereMax: 10,
  signInsOfEmailMax: 100,
  /** Of who is signed in: his password again, for what is grave. */
  passwordsOfAccountMax: 10,
  signInsOfAddressMax: 100,
  signUpsOfAddressMax: 20,
  /** From the hashed password of a sign-up to its answer at the least: several times what a store takes to write an account. */
  admissionMsMin: 20,
  changesOfAccountMax: 60,
  attemptsTrackedMax: 50_000,
  keysOfAccountMax: 20,
  keysShownMax: 100,
  keysShownEndedMs: 7 * 86_400_000,
  recentRequestsKept: 25,
  recentAccountsMax: 10_000,
} as const;
