import pg from 'pg';
import { AppError } from '../../model/errors.ts';

/**
 * What a failure means for who asked. `lost`: the connection is gone, with what was under way on it. `slow`: no answer in time. `undone`:
 * the server took the transaction back, and it may be tried again. `unable`: the server refuses or cannot. `text`: it takes no NUL in a
 * text, which SQLite does. `bug`: a statement or a constraint is broken.
 */
type FailureKind = 'lost' | 'slow' | 'undone' | 'unable' | 'text' | 'bug';

/** SQLSTATE, or its class: https://www.postgresql.org/docs/15/errcodes-appendix.html */
const BY_CODE: Readonly<Record<string, FailureKind>> = {
  '08': 'lost', '57P01': 'lost', '57P02': 'lost', '57P03': 'lost', '57P05': 'lost', '25P03': 'lost',
  '40001': 'undone', '40P01': 'undone',
  // A connection to what became a standby is of no use any more.
  '25006': 'lost',
  '57014': 'slow', '55P03': 'slow',
  '22021': 'text',
  '28': 'unable', '3D': 'unable', '42501': 'unable', '53': 'unable', '57': 'unable', '58': 'unable', 'XX': 'unable',
};
const TIMED_OUT = /timeout/i;

/** What the driver or the server said of a statement, sorted. */
export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure';
  readonly kind: FailureKind;

  constructor(error: unknown, kind = kindOf(error)) {
    super(said(error), { cause: error });
    this.kind = kind;
  }
}

function kindOf(error: unknown): FailureKind {
  if (!(error instanceof pg.DatabaseError)) return error instanceof Error && TIMED_OUT.test(error.message) ? 'slow' : 'lost';
  if (error.severity === 'FATAL' || error.severity === 'PANIC') return 'lost';
  const code = error.code ?? '';
  return BY_CODE[code] ?? BY_CODE[code.slice(0, 2)] ?? 'bug';
}

/** Whether a server takes no connection because it has as many as it may. */
export function isCrowded(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53300';
}

/** A refused connection to a name with several addresses says nothing in its message. */
export function said(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return said(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** The world's failures become `store_unavailable`, a text that cannot be kept `invalid_field`; a bug stays one, and what was thrown by no statement stays as it is. */
export function storeError(error: unknown): unknown {
  if (!(error instanceof DatabaseFailure) || error.kind === 'bug') return error;
  if (error.kind === 'text') return new AppError('invalid_field', 'A text holds the character NUL.', { cause: error });
  return new AppError('store_unavailable', 'The account store cannot be used at the moment. Try again.', { retryAfter: 1, cause: error });
}
