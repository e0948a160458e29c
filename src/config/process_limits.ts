/** Bounds of the start and the end of the service, of its log and its metrics. */
export const PROCESS_LIMITS = {
  /** How long a start that is told to end may still take before it is left. */
  startLeftMs: 1_000,
  /** Signals that come so soon after the first are the same wish to end. */
  signalSameMs: 1_000,
  drainMs: 7_000,
  drainCancelMs: 2_000,
  drainLingerMs: 500,
  /** How long those who had connected before are still taken: others may go on connecting. */
  drainTakeMs: 1_000,
  /** How long one who ends threads waits for what they must not be ended within. */
  unbrokenMsMax: 250,

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
} as const;
