import { z } from 'zod';
import { LIMITS } from '../../config/limits.ts';
import { VALIDATE_CODES, type ValidateCode } from '../../validate/request.ts';
import { STAGES } from '../../validate/result.ts';
import type { ended } from '../../validate/envelope.ts';
import { CONTROL_ERROR } from './find_schemas.ts';

const OPTIONS = {
  stages: z.array(z.enum(STAGES)).max(LIMITS.validateStagesMax).optional().describe('what to run; syntax always runs'),
  timeout_ms: z.int().min(LIMITS.validateTimeoutMsMin).max(LIMITS.validateTimeoutMsMax).optional().describe(`deadline of the whole call, ${LIMITS.validateTimeoutMsDefault} by default`),
};

/** One address or many, never both. */
export const VALIDATE_BODY = z.union([
  z.strictObject({ email: z.string(), ...OPTIONS }),
  z.strictObject({ emails: z.array(z.unknown()).min(1).describe(`addresses, ${LIMITS.validateEmailsMaxDefault} at most unless the operator allows more; what is no string is a result too`), ...OPTIONS }),
]);

const known = (description: string) => z.boolean().describe(description);
const maybe = (description: string) => z.boolean().nullable().describe(`${description}; null where that is not known`);
const part = (description: string) => z.string().nullable().describe(description);

export const VALIDATION = z.object({
  input: z.unknown().describe('as it was sent'),
  email: part('with the domain in lower case and ASCII; null where it is no address'),
  local: part('what stands before the @'),
  domain: part('what stands after it, in ASCII'),
  domain_unicode: part('the domain as people write it'),
  registrable_domain: part('the domain that somebody registered, by the Public Suffix List'),
  canonical: part('for telling duplicates, not for sending'),
  tag: part('what follows a + before the @, at some providers a -'),
  status: z.enum(['deliverable', 'risky', 'undeliverable', 'unknown'])
    .describe('deliverable: the mail host takes this very address, which only the stage smtp can tell; risky: it does, but any name there, or it is full, or the domain is a throw-away or a slip; undeliverable: form, domain or mail host rule it out; unknown: nothing speaks against it, or trouble on the way'),
  level: z.enum(['syntax', 'domain', 'mailbox']).describe('how deep it was decided'),
  reason: z.string().describe('one of the codes that /v1/schema lists'),
  reasons: z.array(z.string()).describe('all that was found, the reason first'),
  score: z.int().min(0).max(100).describe('for ranking, no probability: undeliverable 0 to 9, risky 25 to 59, unknown 20 to 74, deliverable 75 to 100'),
  suggestion: part('the address that was probably meant'),
  syntax_valid: known('whether the form is right'),
  domain_accepts_mail: maybe('whether the domain has a mail host'),
  mailbox_exists: maybe('whether the mail host knows the mailbox'),
  flags: z.object({
    disposable: known('a throw-away provider'), relay: known('a forwarding alias service'), role: known('a function rather than a person'), free: known('a public mail provider'),
    subaddress: known('has a tag'), quoted: known('has quotes before the @'), eai: known('letters beyond ASCII before the @'), idn: known('an international domain'), confusable: known('letters that pass for others'),
    catch_all: maybe('whether the domain takes any name'), mailbox_full: maybe('whether the mailbox is full'), mailbox_disabled: maybe('whether the mailbox is closed'),
  }).describe('traits; which of them matter is for the caller to say'),
  mx: z.object({
    records: z.array(z.object({ exchange: z.string(), preference: z.int() })),
    implicit: known('no MX record: the domain itself is the mail host'), null_mx: known('the domain says that it takes no mail'), provider: part('who runs the mail host, where that is known'),
    ttl: z.number().nullable().describe('seconds that the records hold'),
  }).nullable().describe('null where the stage dns did not run'),
  smtp: z.object({
    attempted: z.boolean(), host: z.string().nullable(), code: z.int().nullable(), enhanced: z.string().nullable(), class: z.string().nullable(),
  }).nullable().describe('what the mail host answered; null where it was not asked'),
  stages: z.array(z.object({
    name: z.string(), status: z.enum(['pass', 'fail', 'unknown', 'skipped']), code: z.string().nullable(), ms: z.number(), cache: z.enum(['hit', 'miss', 'stale']).nullable(),
  })).describe('one entry for each stage, also where it was skipped'),
  checked_at: z.string().describe('when this was answered'),
  expires_at: z.string().describe('until when it holds, by the TTLs of the records'),
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
