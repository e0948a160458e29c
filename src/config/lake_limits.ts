/** Bounds of lakes: how they are followed, written and held in memory, and what their rows may hold. */
export const LAKE_LIMITS = {
  // Followed.
  lakePollMs: 500,
  lakeRetryMsMax: 30_000,
  /** How often a gateway removes from the disk what nobody needs any more, also where it let go of nothing itself. */
  lakeSweepMs: 300_000,
  /** How long it waits at least between two times: of a source that changes each second it lets go of a snapshot each second, and a sweep reads the manifests of all that stay. */
  lakeSweepAgainMs: 10_000,
  /** After so long what a service that is asked nothing had mapped is given back, if garbage collection has not come by itself. */
  leftMappingsMs: 60_000,
  /** How long the end of the service waits for a look at the lakes; one that loads a large one is left. */
  lakesCloseMs: 50,

  /** How long a lake is told to be degraded after a scan of it failed. */
  lakeFailingMs: 60_000,

  /** How long a thread that loads lakes waits for the next before it ends. */
  loadThreadRestMs: 1_000,

  // Written.
  /** How often a writer touches its lock, and how long it is believed to live where it cannot be looked at. */
  lockTouchMs: 10_000,
  lockTrustMs: 120_000,
  /** How often a writer asks for a lock that is held, and how long after the last time. */
  lockTriesMax: 25,
  lockTryAgainMs: 200,

  // In memory.
  /** A typed array of this V8 views no more. */
  mappedBytesMax: 4_294_967_295,
  /** Rows of a segment up to this are held against their checksums before they are served, a third of a second each; larger ones meanwhile. */
  rowsVerifiedFirstBytes: 1_073_741_824,
  /** How often those are read again where the disk fails meanwhile, and how long after the last time. */
  rowsVerifyTriesMax: 12,
  rowsVerifyAgainMs: 10_000,
  residentRowsBytesMax: 4_294_000_000,
  rowsMemoryMbMax: 4_194_304,

  // Rows.
  /** Fields of a row, where rows are put together: the layout of that memory has room for so many. */
  rowFieldsMax: 63,
  extrasMax: 32,
  idCharactersMax: 200,
  textCharactersMax: 1_000,
  longTextCharactersMax: 10_000,
  websiteCharactersMax: 2_048,
  /** Of a phone number that does not parse. */
  phoneCharactersMax: 64,
  listItemsMax: 100,
  listItemCharactersMax: 200,
} as const;
