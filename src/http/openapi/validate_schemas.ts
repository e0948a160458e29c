import { z } from 'zod';
import { LIMITS } from '../../config/limits.ts';
import { VALIDATE_CODES, type ValidateCode } from '../../validate/request.ts';
import { STAGES } from '../../validate/result.ts';
import type { ended } from '../../validate/envelope.ts';
import { CONTROL_ERROR } from './find_schemas.ts';

const OPTIONS = {
  stages: z.array(z.enum(STAGES)).optional().describe('what to run; syntax always runs'),
  timeout_ms: z.int().min(LIMITS.validateTimeoutMsMin).max(LIMITS.validateTimeoutMsMax).optional().describe(`deadline of the whole call, ${LIMITS.validateTimeoutMsDefault} by default`),
};

/** One address or many, never both. */
export const VALIDATE_BODY = z.union([
  z.strictObject({ email: z.string(), ...OPTIONS }),
  z.strictObject({ emails: z.array(z.unknown()).min(1).describe(`addresses, ${LIMITS.validateEmailsMaxDefault} at most unless the operator allows more; what is no string is a result too`), ...OPTIONS }),
]);

const maybe = z.boolean().nullable();

export const VALIDATION = z.object({
  input: z.unknown(),
  email: z.string().nullable(),
  local: z.string().nullable(),
  domain: z.string().nullable(),
  domain_unicode: z.string().nullable(),
  registrable_domain: z.string().nullable(),
  canonical: z.string().nullable().describe('for telling duplicates, not for sending'),
  tag: z.string().nullable(),
  status: z.enum(['deliverable', 'risky', 'undeliverable', 'unknown']),
  level: z.enum(['syntax', 'domain', 'mailbox']).describe('how deep it was decided'),
  reason: z.string().describe('one of the codes that /v1/schema lists'),
  reasons: z.array(z.string()),
  score: z.int().min(0).max(100),
  suggestion: z.string().nullable(),
  syntax_valid: z.boolean(),
  domain_accepts_mail: maybe,
  mailbox_exists: maybe,
  flags: z.object({
    disposable: z.boolean(), relay: z.boolean(), role: z.boolean(), free: z.boolean(), subaddress: z.boolean(), quoted: z.boolean(), eai: z.boolean(),
    idn: z.boolean(), confusable: z.boolean(), catch_all: maybe, mailbox_full: maybe, mailbox_disabled: maybe,
  }),
  mx: z.object({
    records: z.array(z.object({ exchange: z.string(), preference: z.int() })),
    implicit: z.boolean(), null_mx: z.boolean(), provider: z.string().nullable(), ttl: z.number().nullable(),
  }).nullable(),
  smtp: z.object({
    attempted: z.boolean(), host: z.string().nullable(), code: z.int().nullable(), enhanced: z.string().nullable(), class: z.string().nullable(),
  }).nullable(),
  stages: z.array(z.object({
    name: z.string(), status: z.enum(['pass', 'fail', 'unknown', 'skipped']), code: z.string().nullable(), ms: z.number(), cache: z.enum(['hit', 'miss', 'stale']).nullable(),
  })),
  checked_at: z.string(),
  expires_at: z.string(),
});

const META = z.object({ request_id: z.string(), took_ms: z.number(), cache: z.object({ hits: z.int(), misses: z.int(), stale: z.int() }), unique_domains: z.int() });

const COUNT = z.int().min(0);
const SUMMARY = z.object({ deliverable: COUNT, risky: COUNT, undeliverable: COUNT, unknown: COUNT }).describe('addresses by status');

export const VALIDATE_ANSWER = z.object({
  data: z.union([VALIDATION, z.object({ results: z.array(VALIDATION).describe('in the order given'), summary: SUMMARY })]),
  meta: META,
});

/** What the lines of a stream may be. */
export const VALIDATE_LINE = z.union([
  VALIDATION.extend({ index: z.int().min(0).describe('place among the addresses') }),
  z.strictObject({ '@end': z.strictObject({ summary: SUMMARY, meta: META, units_charged: z.int(), units_remaining: z.int().nullable() }) satisfies z.ZodType<ReturnType<typeof ended>['@end']> }),
  CONTROL_ERROR,
]).describe('A result as it is found, or the last line: @end or @error. A stream without it was cut.');

export const VALIDATE_PROBLEM = z.object({
  data: z.null(),
  meta: z.object({}),
  error: z.object({ code: z.enum(Object.keys(VALIDATE_CODES) as ValidateCode[]), message: z.string(), status: z.int(), example: z.unknown().optional() }),
  detail: z.string().optional().describe('on 429: which cap tripped'),
  retry_after: z.int().optional().describe('on 429: seconds'),
});
