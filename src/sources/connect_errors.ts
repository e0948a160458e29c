import { SourceFailure } from './source.ts';

const CODES = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT', 'EACCES', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);
/** OpenSSL names what is wrong with a certificate in many ways; for some, such as too weak a key, Node knows no name. */
const TLS = /^(?:ERR_TLS_|ERR_SSL_|CERT_|EPROTO$|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$|INVALID_CA$|UNSPECIFIED$)/;

/** Whether the code of an error says that there never was a connection, or none that can be trusted. */
export function neverConnected(code: string): boolean {
  return CODES.has(code) || TLS.test(code);
}

const RESETS = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether the other side, or whoever stands between, ended the connection without a word. */
export function wasReset(error: unknown): boolean {
  return RESETS.has(codeOf(error));
}

/** Whether an error that came before any answer says that the request had not been taken. */
function neverAnswered(code: string): boolean {
  return neverConnected(code) || RESETS.has(code);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** What befell the connection; `answered` where an answer had begun. */
export function failureOf(error: unknown, answered: boolean): SourceFailure {
  if (error instanceof SourceFailure) return error;
  const code = codeOf(error);
  return new SourceFailure(neverConnected(code) ? 'unreachable' : 'broken', error instanceof Error ? `${code} ${error.message}` : String(error), answered || !neverAnswered(code));
}
