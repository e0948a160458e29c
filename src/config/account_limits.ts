/** Bounds of keys, caps, usage, and the people who hold them. */
export const ACCOUNT_LIMITS = {
  // Keys.
  keysCachedMax: 50_000,
  keyLookupsMax: 1_024,
  /** Of keys that were not seen before: at once in the store, and waiting for that. Whoever floods with such keys takes neither its connections nor the places of known ones. */
  strangeLookupsAtOnceMax: 4,
  strangeLookupsWaitingMax: 508,
  /** Of callers with calls under way, when some key has changed. */
  callersAskedAtOnceMax: 4,
  keyPollMs: 250,
  keyTrustMs: 900,
  keyOverlapMsMax: 7 * 86_400_000,
  keyNameCharactersMax: 64,
  keysOfAccountMax: 20,
  keysShownMax: 100,
  keysShownEndedMs: 7 * 86_400_000,

  // Caps.
  burstWindowMs: 60_000,
  unitRows: 100,
  accountsTrackedMax: 200_000,
  ledgerSweepMs: 60_000,
  playgroundNetworksMax: 100_000,

  // Usage.
  usageFlushMs: 400,
  usageCellsMax: 500_000,
  usageCellsInWriteMax: 1_000,
  /** How long the end of the service waits for the store to take what was counted last. */
  accountsCloseMs: 800,
  recentRequestsKept: 25,
  recentAccountsMax: 10_000,

  // People.
  emailCharactersMax: 254,
  /** A form of a page: its fields, each character sent as up to 12, and room to spare. What is longer is not taken apart: of a megabyte that holds the loop for a third of a second. */
  formBytesMax: 16_384,
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

  // Attempts.
  attemptsWindowMs: 15 * 60_000,
  /** From one address, and from all: whoever guesses at an account is not to lock its owner out, who comes from elsewhere. A browser that is known from before is counted by itself, as an address is. */
  signInsOfEmailHereMax: 10,
  signInsOfEmailMax: 100,
  /** Since the last sign-in there. */
  deviceKnownMs: 180 * 86_400_000,
  /** Of who is signed in: his password again, for what is grave. */
  passwordsOfAccountMax: 10,
  signInsOfAddressMax: 100,
  signUpsOfAddressMax: 20,
  /** From the hashed password of a sign-up to its answer at the least: several times what a store takes to write an account. */
  admissionMsMin: 20,
  changesOfAccountMax: 60,
  attemptsTrackedMax: 50_000,

  // What is forgotten.
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
} as const;
