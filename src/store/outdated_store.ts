/** What has had its time: all that is older than these moments, and no more at once than `rowsMax` of a kind. */
export type Outdated = {
  /** Of accounts that wait. Beyond `waitingMax` of them the oldest have had their time, too. */
  readonly waitingCreatedMs: number;
  readonly waitingMax: number;
  readonly keysEndedMs: number;
  /** The keys of these accounts stay, whenever they ended. */
  readonly keysKeptOf: readonly string[];
  readonly usageDay: number;
  readonly rowsMax: number;
};

/** The part of the store that keeps it from growing for ever. */
export interface OutdatedStore {
  /**
   * Forgets keys that ended, use of days long past, and accounts that wait and never had anything: one that has a key, or of whose use anything is
   * kept, stays. Tells how many it forgot. May be lost in a crash of the machine.
   */
  forgetOutdated(outdated: Outdated): Promise<number>;
}
