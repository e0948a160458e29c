import { isObject } from '../../model/json.ts';

/** What became of one search. `waitS` where the gateway said when to come back. */
export type Outcome =
  | { readonly kind: 'whole'; readonly rows: number }
  | { readonly kind: 'partial'; readonly rows: number; readonly reasons: readonly string[] }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly detail: string; readonly waitS: number | null }
  | { readonly kind: 'failed'; readonly reason: FailureReason };

/** `unreadable`: an answer that is none of a gateway. */
export type FailureReason = 'no_connection' | 'cut' | 'no_answer' | 'unreadable';

const AFTER_ROWS = '],"total":';

/**
 * Reads an answer by its end, of which `tail` holds enough: the rows come first on the wire, and are not looked at. Behind them the members of the
 * answer are whole JSON; a row that holds the same text further in front, or a facet of that name behind, makes none.
 */
export function readAnswer(status: number, tail: Buffer): Outcome {
  if (status !== 200) return readRefusal(status, tail);
  for (let at = tail.lastIndexOf(AFTER_ROWS); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(AFTER_ROWS, at - 1)) {
    const answer = parsed(`{${tail.toString('utf8', at + 2)}`);
    if (answer === null) continue;
    const { returned: rows, partial, sources } = answer;
    if (typeof rows !== 'number' || typeof partial !== 'boolean') break;
    return partial ? { kind: 'partial', rows, reasons: reasonsOf(sources) } : { kind: 'whole', rows };
  }
  return { kind: 'failed', reason: 'unreadable' };
}

function reasonsOf(sources: unknown): string[] {
  const reasons = Array.isArray(sources) ? sources.map((source: unknown) => (isObject(source) ? source['reason'] : null)).filter((reason) => typeof reason === 'string') : [];
  return [...new Set(reasons)];
}

function readRefusal(status: number, tail: Buffer): Outcome {
  const { error, detail, retry_after: waitS } = parsed(tail.toString('utf8')) ?? {};
  const said = typeof detail === 'string' ? detail : '';
  const code = typeof error === 'string' ? error : `http_${status}`;
  return { kind: 'refused', status, code: code === 'rate_limited' ? `${code}:${capOf(said)}` : code, detail: said, waitS: typeof waitS === 'number' ? waitS : null };
}

/** The detail of a 429 names the cap. */
function capOf(detail: string): string {
  return ['burst', 'daily', 'umbrella'].find((cap) => detail.includes(cap)) ?? 'other';
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const UNCONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);
/** The last: given up by us, for it took too long. */
const SILENT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_DESTROYED']);

export function failureOf(error: Error): Outcome {
  const code = 'code' in error ? String(error.code) : '';
  return { kind: 'failed', reason: UNCONNECTED.has(code) ? 'no_connection' : SILENT.has(code) ? 'no_answer' : 'cut' };
}
