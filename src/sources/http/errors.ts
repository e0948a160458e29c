import { SourceFailure, type FailureCode } from '../source.ts';

/** What a status means where it stands in place of the rows. Whatever is not here is a search that it would not run. */
const BY_STATUS: Readonly<Record<number, FailureCode>> = {
  // A server that does not know the key: another may, and it is no fault of the search.
  401: 'unreachable',
  408: 'broken', 429: 'overloaded', 500: 'broken', 502: 'unreachable', 503: 'overloaded', 504: 'broken', 508: 'looped',
};

/** `said` is the beginning of the body. */
export function statusFailure(status: number, said: string): SourceFailure {
  if (status >= 300 && status < 400) return new SourceFailure('refused', `HTTP ${status}: redirects are not followed`);
  const code = BY_STATUS[status] ?? (status >= 500 ? 'broken' : status < 300 ? 'malformed' : 'refused');
  return new SourceFailure(code, `HTTP ${status}: ${said}`, status !== 502 && status !== 503);
}
