import { LIMITS } from '../config/limits.ts';
import { AppError, ERROR_CODES, type ErrorCode } from '../model/errors.ts';
import { headerLines, ownLines } from './answer_lines.ts';
import { apiLines } from './api_headers.ts';
import type { HeaderLines, Headers } from './exchange.ts';

/** The only place where a failure becomes a status. */
const STATUS: Readonly<Record<ErrorCode, number>> = {
  invalid_json: 400,
  missing_type: 400,
  unknown_type: 400,
  unknown_field: 400,
  unknown_filter: 400,
  invalid_filter_value: 400,
  query_without_narrowing_filter: 400,
  invalid_query: 400,
  invalid_limit: 400,
  invalid_timeout: 400,
  invalid_cursor: 400,
  stale_cursor: 400,
  unknown_source: 400,
  unsupported_filter: 400,
  invalid_field: 400,
  unauthorized: 401,
  forbidden: 403,
  csrf: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  payload_too_large: 413,
  unsupported_encoding: 415,
  rate_limited: 429,
  internal: 500,
  sources_unreachable: 502,
  validator_unreachable: 502,
  starting: 503,
  shutting_down: 503,
  overloaded: 503,
  store_unavailable: 503,
  loop_detected: 508,
};

export function statusOf(code: ErrorCode): number {
  return STATUS[code];
}

/** Every code that becomes this status. */
export function codesOf(status: number): ErrorCode[] {
  return ERROR_CODES.filter((code) => STATUS[code] === status);
}

type Problem = {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string;
  /** Whole seconds; null where coming back is not advised. */
  readonly retryAfter: number | null;
  /** Those that belong to this failure alone: `Retry-After`, `WWW-Authenticate`, `Allow`. */
  readonly headers: Headers;
  /** A request that would have worked: for a 400. */
  readonly example: unknown;
  /** Which cap turned the call away, for the log; null where none did. */
  readonly cap: string | null;
};

export type ProblemAnswer = { readonly status: number; readonly headers: HeaderLines; readonly body: string };

export const TIP = 'GET /v1/sources lists the datasets and which filters each of them supports; GET /v1/schema describes every filter.';
/** None of the operators' endpoints takes filters. */
const OPERATORS_TIP = 'GET /openapi.json describes what each operator endpoint takes.';
const WORKING_EXAMPLE: unknown = { type: 'contacts', filters: { country: ['US'] }, limit: 5 };
const INTERNAL_DETAIL = 'Something failed on our side. Quote the request id when you report it.';

const OURS: Problem = { code: 'internal', status: 500, detail: INTERNAL_DETAIL, retryAfter: null, headers: [], example: WORKING_EXAMPLE, cap: null };

/** What of a failure the caller may know, and the log beside him. Whatever is not an `AppError` is ours, and its text stays inside. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof AppError)) return OURS;
  const { code, allow, example = WORKING_EXAMPLE, cap = null } = error;
  const status = STATUS[code];
  const retryAfter = status === 429 || status === 503 ? Math.max(1, Math.ceil(error.retryAfter ?? LIMITS.overloadedRetrySeconds)) : null;
  const detail = code === 'internal' ? INTERNAL_DETAIL : error.message;
  return { code, status, detail, retryAfter, headers: ownHeaders(status, retryAfter, allow), example, cap };
}

function ownHeaders(status: number, retryAfter: number | null, allow: string | undefined): Headers {
  const headers: [string, string][] = [];
  if (retryAfter !== null) headers.push(['Retry-After', String(retryAfter)]);
  if (status === 401) headers.push(['WWW-Authenticate', 'Bearer']);
  if (status === 405 && allow !== undefined) headers.push(['Allow', allow]);
  return headers;
}

/** The answer of every endpoint but validate, which has its own envelope. A 400 has a body that would have worked. */
export function problemAnswer(error: unknown, requestId: string): ProblemAnswer {
  return answerOf(error, requestId, TIP);
}

/** The same of the endpoints for operators. */
export function operatorsProblem(error: unknown, requestId: string): ProblemAnswer {
  return answerOf(error, requestId, OPERATORS_TIP);
}

function answerOf(error: unknown, requestId: string, tip: string): ProblemAnswer {
  const problem = problemOf(error);
  return {
    status: problem.status,
    headers: ownLines(apiLines(requestId) + headerLines(problem.headers)),
    body: JSON.stringify({
      error: problem.code,
      detail: problem.detail,
      ...(problem.status === 400 && { example: problem.example, tip }),
      ...(problem.status === 429 && { retry_after: problem.retryAfter }),
      request_id: requestId,
    }),
  };
}
