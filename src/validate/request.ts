import { LIMITS } from '../config/limits.ts';
import { STAGES, type Stage } from './result.ts';

export type ValidateRequest = {
  readonly addresses: readonly unknown[];
  /** Whether one address was sent, and one result is the answer. */
  readonly single: boolean;
  /** Null for all that are on. */
  readonly stages: readonly Stage[] | null;
  readonly timeoutMs: number;
};

export const VALIDATE_CODES = {
  INVALID_JSON: 400, INVALID_REQUEST: 400, TOO_MANY_EMAILS: 400, UNAUTHORIZED: 401, NOT_FOUND: 404, METHOD_NOT_ALLOWED: 405, NOT_ACCEPTABLE: 406,
  PAYLOAD_TOO_LARGE: 413, UNSUPPORTED_ENCODING: 415, RATE_LIMITED: 429, INTERNAL: 500, VALIDATOR_UNREACHABLE: 502, OVERLOADED: 503, SHUTTING_DOWN: 503, STARTING: 503,
} as const;
export type ValidateCode = keyof typeof VALIDATE_CODES;

export function validateCodesOf(status: number): ValidateCode[] {
  return (Object.keys(VALIDATE_CODES) as ValidateCode[]).filter((code) => VALIDATE_CODES[code] === status);
}

/** The `error` member of the envelope. A 400 carries a request that would have worked. */
export type ValidateError = { readonly code: ValidateCode; readonly message: string; readonly status: number; readonly example?: unknown };

export const VALIDATE_EXAMPLE = { email: 'jane.doe@acme.com' };
const BULK_EXAMPLE = { emails: ['jane.doe@acme.com', 'info@acme.com'] };
const SHAPES = `Send ${JSON.stringify(VALIDATE_EXAMPLE)} for one address, or ${JSON.stringify(BULK_EXAMPLE)} for several.`;

/** For a body that does not parse; `detail` says where, and quotes nothing of it. */
export function invalidJson(detail = 'The body is not valid JSON.'): ValidateError {
  return refused('INVALID_JSON', `${detail} ${SHAPES}`);
}

export function validateError(code: ValidateCode, message: string): ValidateError {
  return { code, message, status: VALIDATE_CODES[code] };
}

/** Reads the body of `/v1/email/validate`, a parsed JSON value. What is wrong with an address is a result, not an error. */
export function readValidateRequest(body: unknown, emailsMax: number = LIMITS.validateEmailsMaxDefault): ValidateRequest | ValidateError {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return invalidJson('The body must be a JSON object.');
  const { email, emails, stages, timeout_ms: timeoutMs, ...others } = body as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return refused('INVALID_REQUEST', `Unknown field ${printable(unknown)}. ${SHAPES}`);
  const has = (name: string): boolean => Object.hasOwn(body, name);
  if (has('email') === has('emails')) return refused('INVALID_REQUEST', `Exactly one of email and emails is needed. ${SHAPES}`);
  if (has('email') && typeof email !== 'string') return refused('INVALID_REQUEST', `email must be a string. ${SHAPES}`);
  const fault = has('emails') ? emailsFault(emails, emailsMax) : null;
  if (fault !== null) return fault;
  if (has('stages') && !isStages(stages)) return refused('INVALID_REQUEST', `stages must be an array of some of ${STAGES.join(', ')}.`, { ...VALIDATE_EXAMPLE, stages: ['syntax', 'dns'] });
  if (has('timeout_ms') && !isTimeout(timeoutMs)) {
    return refused('INVALID_REQUEST', `timeout_ms must be an integer from ${LIMITS.validateTimeoutMsMin} to ${LIMITS.validateTimeoutMsMax}.`, { ...VALIDATE_EXAMPLE, timeout_ms: LIMITS.validateTimeoutMsDefault });
  }
  return {
    addresses: has('emails') ? emails as unknown[] : [email],
    single: has('email'),
    stages: has('stages') ? stages as Stage[] : null,
    timeoutMs: has('timeout_ms') ? timeoutMs as number : LIMITS.validateTimeoutMsDefault,
  };
}

export function isValidateError(read: ValidateRequest | ValidateError): read is ValidateError {
  return 'code' in read;
}

function emailsFault(emails: unknown, emailsMax: number): ValidateError | null {
  if (!Array.isArray(emails)) return refused('INVALID_REQUEST', `emails must be an array. ${SHAPES}`, BULK_EXAMPLE);
  if (emails.length === 0) return refused('INVALID_REQUEST', `emails must not be empty. ${SHAPES}`, BULK_EXAMPLE);
  if (emails.length > emailsMax) return refused('TOO_MANY_EMAILS', `A call takes at most ${emailsMax} addresses; split the list.`, BULK_EXAMPLE);
  return null;
}

function isStages(stages: unknown): stages is Stage[] {
  return Array.isArray(stages) && stages.length <= LIMITS.validateStagesMax && stages.every((stage) => STAGES.includes(stage as Stage));
}

function isTimeout(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= LIMITS.validateTimeoutMsMin && value <= LIMITS.validateTimeoutMsMax;
}

function refused(code: ValidateCode, message: string, example: unknown = VALIDATE_EXAMPLE): ValidateError {
  return { ...validateError(code, message), example };
}

/** The one offending name may be told, as far as it can be printed. */
function printable(name: string): string {
  return name.replace(/[^\x20-\x7e]/g, '?').slice(0, LIMITS.echoedNameCharactersMax);
}
