import pg from 'pg';
import { LIMITS } from '../../config/limits.ts';
import { neverConnected } from '../connect_errors.ts';
import { SourceFailure, type FailureCode } from '../source.ts';

/** SQLSTATE codes and classes, the longer one first: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const BY_CODE: Readonly<Record<string, FailureCode>> = {
  '08': 'unreachable', '28': 'unreachable', '3D': 'unreachable', '53': 'overloaded', '57': 'broken', '58': 'broken', 'XX': 'broken',
  // It starts; a lock that others hold; a standby that had to apply what changed the rows, and the like.
  '57P03': 'unreachable', '55P03': 'broken', '40': 'broken',
  // All that a pooler says by itself, also of a statement that took it too long.
  '08P01': 'broken',
  // A transaction that took too long for a server behind this one, whose settings are its own.
  '25P03': 'broken', '25P04': 'broken',
  // Its own share of the disk for what it sorts (`temp_file_limit`): the same search would meet it each time.
  '53400': 'refused',
};

/** PgBouncer has as many clients as it may, or no session to lend, which it tells by these words alone. */
const FULL = /^(?:no more connections allowed|client connections exceeded|query_wait_timeout$)/;

/** Nothing of it runs on, and what it met, such as a change that a standby had to apply, is most often over: it may be asked again as if it had not begun. */
const ROLLED_BACK = '40';

/** Of a server behind this one, to which it could not connect, it tells the reason apart. */
const CONNECTING = '08';

/** What the driver or the server said, sorted. It quotes a value that it could not read from its beginning to its end, however long that is. */
export function failureOf(error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  const message = (error instanceof Error ? error.message : String(error)).slice(0, LIMITS.foreignFailureCharactersMax);
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    const said = `${code} ${message}${code.startsWith(CONNECTING) && error.detail !== undefined ? `: ${error.detail}` : ''}`;
    if (FULL.test(message)) return new SourceFailure('overloaded', said);
    return new SourceFailure(BY_CODE[code] ?? BY_CODE[code.slice(0, 2)] ?? 'refused', said, code.startsWith(ROLLED_BACK) ? false : undefined);
  }
  return new SourceFailure(isConnectError(error) ? 'unreachable' : 'broken', message);
}

/** Whether the connection ended without a word of the server, which says why where it can. */
export function isCut(error: unknown): boolean {
  return error instanceof Error && !(error instanceof pg.DatabaseError) && !(error instanceof SourceFailure);
}

function isConnectError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && neverConnected(String(error.code));
}
