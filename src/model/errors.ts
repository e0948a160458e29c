/** Every way a call can fail, as the caller reads it. `http/problem` alone knows the status of each. */
export const ERROR_CODES = [
  'invalid_json', 'missing_type', 'unknown_type', 'unknown_field', 'unknown_filter', 'invalid_filter_value',
  'query_without_narrowing_filter', 'invalid_query', 'invalid_limit', 'invalid_timeout', 'invalid_cursor', 'stale_cursor',
  'unknown_source', 'unsupported_filter', 'invalid_field',
  'unauthorized', 'forbidden', 'csrf', 'not_found', 'method_not_allowed', 'not_acceptable', 'conflict', 'payload_too_large', 'unsupported_encoding',
  'rate_limited', 'internal', 'sources_unreachable', 'validator_unreachable', 'starting', 'shutting_down', 'overloaded', 'store_unavailable', 'loop_detected',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

type Extras = {
  /** Seconds, for every answer that says to come back. */
  readonly retryAfter?: number;
  /** The verbs of a 405. */
  readonly allow?: string;
  /** For a 400: a request that would have worked. */
  readonly example?: unknown;
  /** Of a 429, which cap was in the way: for the log. */
  readonly cap?: string;
  readonly cause?: unknown;
};

/** A failure the world caused. `detail` reaches the caller: no host, path, SQL or value of his may stand in it. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly retryAfter: number | undefined;
  readonly allow: string | undefined;
  readonly example: unknown;
  readonly cap: string | undefined;

  constructor(code: ErrorCode, detail: string, extras: Extras = {}) {
    // Where it was thrown is never looked at, and walking the stack costs a refusal more than all the rest: floods are answered by refusals.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail, extras.cause === undefined ? undefined : { cause: extras.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.retryAfter = extras.retryAfter;
    this.allow = extras.allow;
    this.example = extras.example;
    this.cap = extras.cap;
  }
}

export function shuttingDown(): AppError {
  return new AppError('shutting_down', 'The service is shutting down. Try again on another connection.', { retryAfter: 1 });
}

/** The walk cannot go on: what the cursor was cut from is there no more, or no more in that order. */
export function staleCursor(): AppError {
  return new AppError('stale_cursor', 'The data this cursor was cut from has been replaced: start the search again without a cursor.');
}

/** For a `catch` that goes on without what failed: only where the world failed, and not where we did. */
export function nothingOfWorld(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

/** What the cursor was cut from may be among what is still being loaded, or on its way to this gateway. */
export function restoringCursor(): AppError {
  return new AppError('starting', 'The data this cursor was cut from are still being loaded. Send it again in a moment.', { retryAfter: 1 });
}
