import type { z } from 'zod';
import { FIND_EXAMPLE, textExample } from '../../find/request/example.ts';
import type { ValidateCode } from '../../validate/request.ts';
import { TIP } from '../problem.ts';
import type { ANSWER } from './find_schemas.ts';
import type { SOURCES, USAGE, HEALTH } from './describe_schemas.ts';
import type { PROBLEM } from './problem_schemas.ts';
import type { VALIDATE_ANSWER, VALIDATE_PROBLEM } from './validate_schemas.ts';

const REQUEST_ID = '0mbdgmibf-00000-4ivs5jz0k2';

export const FIND_REQUESTS = {
  narrow: { summary: 'Contacts of one country', value: FIND_EXAMPLE },
  text: {
    summary: 'Free text beside a narrowing filter',
    value: { ...textExample('contacts'), filters: { country: ['US', 'CA'], has_email: ['true'] }, fields: ['full_name', 'job_title', 'email'] },
  },
  ranges: {
    summary: 'Companies by size and age, one sector left out',
    value: { type: 'companies', filters: { employee_count: { min: 50, max: 500 }, founded_year: { min: 2010 }, industry: { exclude: ['Retail'] } }, facets: ['country'] },
  },
} as const;

const ROW = {
  id: 'crm:1042', source: 'crm', sources: ['crm', 'partner'], full_name: 'Jane Doe', job_title: 'VP Engineering', email: 'jane@acme.example', phone: null,
  country: 'US', company_name: 'Acme', skills: ['typescript'], updated_at: '2024-05-01T00:00:00.000Z',
};

const ENVELOPE: z.infer<typeof ANSWER> = {
  total: 1_204, warnings: ['partner did not finish (timed out): some of its rows may be missing'], errors: ['partner: timed out'], type: 'contacts', returned: 1,
  next_cursor: 'pm_fykW4frQvltDgYljRKQEBA2NybQE3AQJzMYKJDw', total_relation: 'gte', partial: true, took_ms: 12.4, request_id: REQUEST_ID, facets: null, client_ref: null,
  sources: [
    { source: 'crm', status: 'complete', reason: null, returned: 1, matched: 1_204, took_ms: 3.1, filters: { pushed: ['country'], residual: ['has_email'], unsupported: [] } },
    { source: 'partner', status: 'failed', reason: 'timed out', returned: 0, matched: null, took_ms: 2_000, filters: { pushed: ['country'], residual: ['has_email'], unsupported: [] } },
  ],
};

export const FIND_ANSWER = { results: [ROW], ...ENVELOPE };

export const FIND_STREAM = [
  ROW,
  { '@source': ENVELOPE.sources[0] },
  { '@end': { ...ENVELOPE, units_charged: 1, units_remaining: 9_999, timing: { plan: 0.1, stream: 3.2, deliver: 0.4 } } },
].map((line) => `${JSON.stringify(line)}\n`).join('');

export const FIND_CSV = 'id,source,full_name,skills\r\ncrm:1042,crm,Jane Doe,typescript; sql\r\n';

export const SOURCES_ANSWER: z.infer<typeof SOURCES> = {
  sources: [{
    name: 'crm', type: 'contacts', rows: 100_000, updated_at: '2024-05-01T00:00:00.000Z', status: 'ok', filters: { country: 'pushed', has_email: 'residual' },
    fields: ['id', 'source', 'full_name', 'email'], fill: { email: 0.72 }, countries: { US: 30_112 },
  }],
  totals: { contacts: 100_000, companies: 0 },
};

const gauge = (limit: number, used: number, of: string): z.infer<typeof USAGE>['caps']['burst'] => ({ limit, used, remaining: limit - used, resets_in_s: 42, of });

export const USAGE_ANSWER: z.infer<typeof USAGE> = {
  plan: 'preview',
  caps: { burst: gauge(30, 2, 'requests in any 60 s'), daily: gauge(10_000, 17, 'units a day, from 00:00 UTC'), umbrella: gauge(8, 1, 'requests at once') },
  days: [{ day: '2024-05-01', requests: 12, units: 17, endpoints: { find: { requests: 12, units: 17 } } }],
};

export const HEALTH_ANSWER: z.infer<typeof HEALTH> = {
  status: 'ok', phase: 'serving', version: '0.1.0', uptime_s: 86_400, components: { store: { status: 'ok', detail: 'answers' }, crm: { status: 'ok', detail: '100000 rows' } },
};

const problem = (error: z.infer<typeof PROBLEM>['error'], detail: string, example?: unknown): z.infer<typeof PROBLEM> =>
  ({ error, detail, ...(example !== undefined && { example, tip: TIP }), request_id: REQUEST_ID });

/** By status: what each refusal looks like. */
export const PROBLEMS: Readonly<Record<number, readonly z.infer<typeof PROBLEM>[]>> = {
  400: [
    problem('missing_type', 'The body has no type: it is contacts or companies.', FIND_EXAMPLE),
    problem('unknown_filter', 'contacts has no filter "contry" (did you mean country?).', FIND_EXAMPLE),
    problem('query_without_narrowing_filter', 'A query needs a narrowing filter beside it, such as country: presence filters and exclusions do not narrow.', textExample('contacts')),
    problem('invalid_json', 'Line 1, column 20: a member name in double quotes should stand here.', FIND_EXAMPLE),
  ],
  401: [problem('unauthorized', 'A valid API key is needed: send "Authorization: Bearer <API_KEY>".')],
  403: [problem('forbidden', 'This endpoint is for operators.')],
  404: [problem('not_found', 'There is no key of that name.')],
  406: [problem('not_acceptable', 'This endpoint answers in application/json, application/x-ndjson, application/vnd.msgpack, text/csv.')],
  409: [problem('conflict', 'The account is suspended: its keys would open nothing.')],
  413: [problem('payload_too_large', 'The body is larger than 1,048,576 bytes.')],
  415: [problem('unsupported_encoding', 'The body must be sent as it is, without Content-Encoding.')],
  429: [{ ...problem('rate_limited', 'The minute-window burst cap is reached (30 requests in any 60 s on the preview plan): retry in 12 s.'), retry_after: 12 }],
  500: [problem('internal', 'Something failed on our side. Quote the request id when you report it.')],
  502: [problem('sources_unreachable', 'None of the sources that were asked could be reached: try again later.')],
  503: [problem('overloaded', 'The service has more searches waiting than it can answer in time: try again later.')],
  508: [problem('loop_detected', 'This search has been here before: among the sources of this gateway is one that asks it in turn.')],
};

export const VALIDATE_REQUESTS = {
  single: { summary: 'One address', value: { email: 'jane@acme.example' } },
  bulk: { summary: 'Several, without asking their domains', value: { emails: ['jane@acme.example', 'no-at-sign'], stages: ['syntax', 'lists'] } },
} as const;

export const VALIDATE_DONE: z.infer<typeof VALIDATE_ANSWER> = {
  data: {
    input: 'jane+news@acme.example', email: 'jane+news@acme.example', local: 'jane+news', domain: 'acme.example', domain_unicode: 'acme.example',
    registrable_domain: 'acme.example', canonical: 'jane@acme.example', tag: 'news', status: 'unknown', level: 'domain', reason: 'DNS_MX_OK', reasons: ['DNS_MX_OK'],
    score: 70, suggestion: null, syntax_valid: true, domain_accepts_mail: true, mailbox_exists: null,
    flags: {
      disposable: false, relay: false, role: false, free: false, subaddress: true, quoted: false, eai: false, idn: false, confusable: false,
      catch_all: null, mailbox_full: null, mailbox_disabled: null,
    },
    mx: { records: [{ exchange: 'mx.acme.example', preference: 10 }], implicit: false, null_mx: false, provider: null, ttl: 300 },
    smtp: null,
    stages: [{ name: 'syntax', status: 'pass', code: null, ms: 0, cache: null }, { name: 'dns', status: 'pass', code: 'DNS_MX_OK', ms: 18.2, cache: 'miss' }],
    checked_at: '2024-05-01T00:00:00.000Z', expires_at: '2024-05-01T00:05:00.000Z',
  },
  meta: { request_id: REQUEST_ID, took_ms: 18.9, cache: { hits: 0, misses: 1, stale: 0 }, unique_domains: 1 },
};

export const VALIDATE_STREAM = [
  { index: 0, ...VALIDATE_DONE.data },
  { '@end': { summary: { deliverable: 0, risky: 0, undeliverable: 0, unknown: 1 }, meta: VALIDATE_DONE.meta, units_charged: 1, units_remaining: 9_999 } },
].map((line) => `${JSON.stringify(line)}\n`).join('');

const refusal = (code: ValidateCode, status: number, message: string, more?: Partial<Refusal>, example?: unknown): Refusal =>
  ({ data: null, meta: {}, error: { code, message, status, ...(example !== undefined && { example }) }, ...more });
type Refusal = z.infer<typeof VALIDATE_PROBLEM>;

/** By status: what each refusal of a validation looks like. */
export const VALIDATE_REFUSALS: Readonly<Record<number, Refusal>> = {
  400: refusal('INVALID_JSON', 400, 'The body is not valid JSON. Send {"email": "jane@acme.example"} or {"emails": ["jane@acme.example"]}.', {}, { email: 'jane@acme.example' }),
  401: refusal('UNAUTHORIZED', 401, PROBLEMS[401]![0]!.detail),
  406: refusal('NOT_ACCEPTABLE', 406, 'This endpoint answers in application/json, application/x-ndjson.'),
  413: refusal('PAYLOAD_TOO_LARGE', 413, PROBLEMS[413]![0]!.detail),
  415: refusal('UNSUPPORTED_ENCODING', 415, PROBLEMS[415]![0]!.detail),
  429: refusal('RATE_LIMITED', 429, PROBLEMS[429]![0]!.detail, { detail: PROBLEMS[429]![0]!.detail, retry_after: 12 }),
  500: refusal('INTERNAL', 500, PROBLEMS[500]![0]!.detail),
  502: refusal('VALIDATOR_UNREACHABLE', 502, 'The name servers that validation asks cannot be reached: try again later.'),
  503: refusal('OVERLOADED', 503, PROBLEMS[503]![0]!.detail),
};
