import { AppError, type ErrorCode } from '../../model/errors.ts';
import { failed } from '../../validate/envelope.ts';
import { invalidJson, validateError, type ValidateCode, type ValidateError } from '../../validate/request.ts';
import { headerLines, ownLines } from '../answer_lines.ts';
import { apiLines } from '../api_headers.ts';
import { problemOf, type ProblemAnswer } from '../problem.ts';

/** A request that validation refuses by one of its own codes. */
export class ValidateRefusal extends AppError {
  readonly refused: ValidateError;

  constructor(refused: ValidateError) {
    super(refused.code === 'INVALID_JSON' ? 'invalid_json' : 'invalid_field', refused.message);
    this.refused = refused;
  }
}

/** The codes of the rest of the service as this endpoint spells them. */
const CODES: Partial<Record<ErrorCode, ValidateCode>> = {
  unauthorized: 'UNAUTHORIZED',
  not_found: 'NOT_FOUND',
  method_not_allowed: 'METHOD_NOT_ALLOWED',
  not_acceptable: 'NOT_ACCEPTABLE',
  payload_too_large: 'PAYLOAD_TOO_LARGE',
  unsupported_encoding: 'UNSUPPORTED_ENCODING',
  rate_limited: 'RATE_LIMITED',
  validator_unreachable: 'VALIDATOR_UNREACHABLE',
  overloaded: 'OVERLOADED',
  store_unavailable: 'OVERLOADED',
  shutting_down: 'SHUTTING_DOWN',
  starting: 'STARTING',
};

export function validateCodeOf(code: ErrorCode): ValidateCode {
  return CODES[code] ?? 'INTERNAL';
}

/** Every failure of `/v1/email/validate` in its envelope; a tripped cap stands beside it too. */
export function validateProblem(error: unknown, requestId: string): ProblemAnswer {
  const problem = problemOf(error);
  const refused = refusalOf(error) ?? { ...validateError(validateCodeOf(problem.code), problem.detail), status: problem.status };
  const more = problem.status === 429 && problem.retryAfter !== null ? { detail: problem.detail, retry_after: problem.retryAfter } : {};
  return {
    status: problem.status,
    headers: ownLines(apiLines(requestId) + headerLines(problem.headers)),
    body: JSON.stringify(failed(refused, more)),
  };
}

function refusalOf(error: unknown): ValidateError | null {
  if (error instanceof ValidateRefusal) return error.refused;
  return error instanceof AppError && error.code === 'invalid_json' ? invalidJson(error.message) : null;
}
