export type Part = Readonly<Record<string, unknown>>;

const text = (description: string): Part => ({ description, schema: { type: 'string' } });
const integer = (description: string): Part => ({ description, schema: { type: 'integer' } });

export const HEADERS = {
  'X-Request-Id': text('Quote it when you report a problem'),
  'X-Units-Charged': integer('Units that this call cost'),
  'X-Units-Remaining': integer('Units left of the day; absent on a plan without a budget'),
  'Server-Timing': text('Milliseconds in plan, scan, merge and encode'),
  'RateLimit-Policy': text('The caps of the plan: burst in requests and daily in units, each with its quota q in w seconds; absent on a plan without caps'),
  RateLimit: text('What is left of each: r, until t seconds from now'),
  'Retry-After': integer('Seconds to wait'),
  'WWW-Authenticate': text('Bearer'),
  'X-Total': integer('CSV: total of the answer'),
  'X-Partial': text('CSV: partial of the answer'),
  'X-Next-Cursor': text('CSV: next_cursor of the answer'),
  ETag: text('For If-None-Match'),
};
type HeaderName = keyof typeof HEADERS;
export const CHARGED: readonly HeaderName[] = ['X-Units-Charged', 'X-Units-Remaining'];
/** On every answer to a caller who was let in or turned away by a cap. */
export const LIMITED: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit'];

export function answer(description: string, content: Part, headers: readonly HeaderName[] = [], limited = LIMITED): Part {
  return { ...bare(description, [...headers, ...limited]), content };
}

export function bare(description: string, headers: readonly HeaderName[]): Part {
  const names: readonly HeaderName[] = ['X-Request-Id', ...headers];
  return { description, headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}

/** What refusals have of their own: when to come back, or what kind of key is asked for. */
export function refusing(status: number): readonly HeaderName[] {
  if (status === 401) return ['WWW-Authenticate'];
  return status === 429 || status === 503 ? ['Retry-After'] : [];
}

/** The refusals that all endpoints word alike. */
export function problems(statuses: readonly number[]): Part {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]));
}
