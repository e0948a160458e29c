import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { failureOf, readAnswer } from '../../../src/cli/bench/answer.ts';
import { drawable, drawSearches } from '../../../src/cli/bench/draw.ts';
import { Histogram, PRECISION } from '../../../src/cli/bench/histogram.ts';
import { searchLines } from '../../../src/cli/bench/search_file.ts';
import { summaryOf, summaryText } from '../../../src/cli/bench/summary.ts';
import { stopAfter, Tally } from '../../../src/cli/bench/tally.ts';
import { LIMITS } from '../../../src/config/limits.ts';
import type { SchemaDocument } from '../../../src/find/schema.ts';

test('a quantile is that of the sorted latencies, never told shorter and longer by its precision at most', () => {
  const latencyMs = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1_000, noNaN: true }), fc.double({ min: 0, max: 3_600_000, noNaN: true }));
  fc.assert(fc.property(fc.array(latencyMs, { minLength: 1, maxLength: 200 }), fc.double({ min: 0, max: 1, noNaN: true }), (latenciesMs, share) => {
    const histogram = new Histogram();
    for (const ms of latenciesMs) histogram.record(ms);
    const exact = latenciesMs.map((ms) => Math.round(ms * 1_000)).toSorted((a, b) => a - b);
    const expected = exact[Math.max(1, Math.ceil(share * exact.length)) - 1]!;
    const told = Math.round(histogram.quantileMs(share)! * 1_000);
    assert.ok(told >= expected && told <= expected * (1 + PRECISION), `${told} for ${expected}`);
    assert.equal(Math.round(histogram.mostMs()! * 1_000), exact.at(-1));
  }));
});

test('a histogram of nothing has no quantile, and one latency is told at the ends of its range', () => {
  const histogram = new Histogram();
  assert.deepEqual([histogram.quantileMs(0.5), histogram.mostMs()], [null, null]);
  for (const [ms, told] of [[-1, 0], [0, 0], [0.127, 0.127], [0.128, 0.128], [1e12, 4_294_967.295]] as const) {
    const one = new Histogram();
    one.record(ms);
    assert.deepEqual([one.quantileMs(0), one.quantileMs(1), one.mostMs()], [told, told, told]);
  }
});

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test('an answer is read by its end, whatever the rows and facets hold', () => {
  const members = { total: 5, warnings: ['a],"total":1'], type: 'contacts', returned: 3, partial: false, facets: null, sources: [] };
  assert.deepEqual(readAnswer(200, bytes({ results: [], ...members })), { kind: 'whole', rows: 3 });
  assert.deepEqual(readAnswer(200, bytes({ results: [{ skills: ['x'], total: 8 }], ...members })), { kind: 'whole', rows: 3 });
  assert.deepEqual(readAnswer(200, bytes({ results: [], ...members, facets: { skills: [], total: [{ value: 'x', count: 1 }] } })), { kind: 'whole', rows: 3 });
  const tail = bytes({ results: [{ id: 'a' }], ...members });
  assert.deepEqual(readAnswer(200, tail.subarray(tail.indexOf('],"total"'))), { kind: 'whole', rows: 3 });
  const late = { ...members, partial: true, sources: [{ reason: 'timed out' }, { reason: null }, { reason: 'timed out' }, { reason: 'unreachable' }] };
  assert.deepEqual(readAnswer(200, bytes({ results: [], ...late })), { kind: 'partial', rows: 3, reasons: ['timed out', 'unreachable'] });
  for (const wrong of ['', '<html>', '],"total":', '{"results":[],"total":1}', 'x],"total":1,"returned":"3","partial":false}']) {
    assert.deepEqual(readAnswer(200, Buffer.from(wrong)), { kind: 'failed', reason: 'unreadable' }, wrong);
  }
});

test('a refusal is known by its code, a cap by what its detail names', () => {
  const refused = (status: number, body: unknown): unknown => {
    const outcome = readAnswer(status, bytes(body));
    return outcome.kind === 'refused' ? [outcome.code, outcome.waitS] : outcome;
  };
  assert.deepEqual(refused(429, { error: 'rate_limited', detail: 'The minute-window burst cap is reached.', retry_after: 7 }), ['rate_limited:burst', 7]);
  assert.deepEqual(refused(429, { error: 'rate_limited' }), ['rate_limited:other', null]);
  assert.deepEqual(refused(503, { error: 'overloaded' }), ['overloaded', null]);
  assert.deepEqual(refused(502, 'bad gateway'), ['http_502', null]);
});

test('failures are told apart by where they struck', () => {
  const kinds = ['ECONNREFUSED', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_SOCKET', 'ECONNRESET'].map((code) => failureOf(Object.assign(new Error(code), { code })));
  assert.deepEqual(kinds, ['no_connection', 'no_answer', 'cut', 'cut'].map((reason) => ({ kind: 'failed', reason })));
});

test('it is stopped where going on is in vain', () => {
  const refused = (status: number, code: string, waitS: number | null) => ({ kind: 'refused', status, code, detail: '', waitS }) as const;
  assert.equal(stopAfter({ kind: 'whole', rows: 1 }, 1e9), null);
  assert.equal(stopAfter(refused(401, 'unauthorized', null), 0), 'key_refused');
  assert.equal(stopAfter(refused(429, 'rate_limited:burst', 600), 0), null);
  assert.equal(stopAfter(refused(429, 'rate_limited:daily', 1), 0), null);
  assert.equal(stopAfter(refused(429, 'rate_limited:daily', 600), 0), 'units_spent');
  assert.equal(stopAfter({ kind: 'failed', reason: 'cut' }, LIMITS.benchFailingMs - 1), null);
  assert.equal(stopAfter({ kind: 'failed', reason: 'cut' }, LIMITS.benchFailingMs), 'no_answer');
});

test('codes without end are counted together', () => {
  const tally = new Tally();
  const many = LIMITS.benchReasonsMax + 10;
  for (let nth = 0; nth < many; nth += 1) {
    tally.add({ outcome: { kind: 'refused', status: 400, code: `c${nth}`, detail: '', waitS: null }, latencyMs: 1, bytes: 1, units: 0, unitsRemaining: null });
  }
  assert.deepEqual([tally.refused, tally.refusedCodes.size, tally.refusedCodes.get('other')], [many, LIMITS.benchReasonsMax + 1, 10]);
});

const filter = (name: string, sources: readonly string[]) => ({ name, kind: 'narrowing', values: 'strings', description: '', example: '', sources }) as const;
const SCHEMA = {
  types: {
    contacts: {
      filters: [filter('country', ['crm']), filter('industry', ['crm']), filter('seniority', []), filter('city', ['crm']), filter('job_title', ['crm']), filter('has_email', ['crm'])],
      fields: [], searchable: [],
    },
    companies: { filters: [], fields: [], searchable: [] },
  },
} as unknown as SchemaDocument;

test('searches are drawn from filters that some source has and that are not given', () => {
  assert.deepEqual(drawable(SCHEMA, 'contacts', {}), { facets: ['country', 'industry', 'city'], presence: 'has_email' });
  assert.deepEqual(drawable(SCHEMA, 'contacts', { country: ['US'], has_email: ['true'] }), { facets: ['industry', 'city'], presence: null });
  assert.deepEqual(drawable(SCHEMA, 'companies', {}), { facets: [], presence: null });
});

test('the same data give the same searches, frequent values more of them, and what is given stands in each', () => {
  const facets = { country: [{ value: 'US', count: 90 }, { value: 'DE', count: 10 }], industry: [{ value: 'Software', count: 1 }], city: [] };
  const drawing = { type: 'contacts', given: { email: ['a', 'b'] }, limit: 5, drawable: drawable(SCHEMA, 'contacts', {}), facets, count: 1_000 } as const;
  const bodies = drawSearches(drawing);
  assert.deepEqual(drawSearches(drawing), bodies);
  const searches = bodies.map((body) => JSON.parse(body) as { type: string; limit: number; filters: Record<string, string[]> });
  const share = (name: string, value: string): number => searches.filter(({ filters }) => filters[name]?.[0] === value).length / searches.length;
  assert.ok(share('country', 'US') > 0.8 && share('country', 'DE') > 0.05 && share('country', 'US') + share('country', 'DE') === 1);
  assert.ok(share('industry', 'Software') > 0.4 && share('industry', 'Software') < 0.6 && share('has_email', 'true') > 0.4);
  assert.ok(searches.every(({ type, limit, filters }) => type === 'contacts' && limit === 5 && filters['email']!.length === 2 && filters['city'] === undefined));
});

test('where nothing is left to draw there is one search', () => {
  const fixed = drawSearches({ type: 'companies', given: { id: ['x:1'] }, limit: undefined, drawable: { facets: [], presence: null }, facets: {}, count: 1_000 });
  assert.deepEqual(fixed, ['{"type":"companies","filters":{"id":["x:1"]}}']);
});

test('lines of a file are numbered as an editor does, blank ones left out', () => {
  assert.deepEqual(searchLines(Buffer.from('{"a":1}\r\n\n  \n{"b":"ü"}')).map(({ line, body }) => [line, body.toString()]), [[1, '{"a":1}'], [4, '{"b":"ü"}']]);
});

test('the summary shows what was counted, and no control character of the gateway', () => {
  const tally = new Tally();
  const told = { latencyMs: 2, bytes: 1_048_576, units: 1, unitsRemaining: 7_000 };
  tally.add({ ...told, outcome: { kind: 'whole', rows: 25 } });
  tally.add({ ...told, outcome: { kind: 'partial', rows: 5, reasons: ['timed\u001b[31m out'] } });
  const summary = summaryOf({ url: 'http://h', searches: 1_000, connections: 8, rate: 50 }, tally, { elapsedMs: 2_000, stop: null, abandoned: 0, unsent: 3, lateMsMax: 1.234 });
  assert.equal(summaryText(summary), [
    'searches    1,000 in turn over 8 connections, 50 due a second, for 2 s',
    'answered    1 requests/s, 15 rows/s, 1 MiB/s',
    'latency ms  p50 2.00   p90 2.00   p99 2.00   max 2.00   (to 0.78 %)',
    'whole       1',
    'partial     1 (timed [31m out 1)',
    'refused     0',
    'failed      0',
    'unsent      3 were due and found no free connection; how long they waited is in the latencies',
    'sent late   1.23 ms at most, which is in the latencies',
    'rows        30',
    'units       2, 7,000 left of the day',
    '',
  ].join('\n'));
});
