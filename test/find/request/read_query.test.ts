import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lexicon } from '../../../src/find/request/lexicon.ts';
import { readQuery } from '../../../src/find/request/read_query.ts';
import type { AnswerForm } from '../../../src/find/request/body.ts';
import { AppError, type ErrorCode } from '../../../src/model/errors.ts';
import type { Filter } from '../../../src/model/filter.ts';
import { isObject } from '../../../src/model/json.ts';
import type { Query } from '../../../src/model/query.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';

const LEXICONS = {
  contacts: lexicon(vocabulary('contacts', [{ name: 'badge', type: 'integer', description: 'badge number' }])),
  companies: lexicon(vocabulary('companies')),
};
const SOURCES = { contacts: new Set(['crm', 'partner']), companies: new Set(['registry']) };

function read(body: unknown, form: AnswerForm = 'page'): Query {
  assert.ok(isObject(body));
  return readQuery(body, form, LEXICONS, SOURCES);
}

/** The error that a body gets, after its example was seen to work. */
function refused(body: unknown, form: AnswerForm = 'page'): AppError {
  try {
    read(body, form);
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.ok(read(error.example, form));
    return error;
  }
  return assert.fail(`accepted: ${JSON.stringify(body)}`);
}

const contacts = (rest: object): object => ({ type: 'contacts', ...rest });
const filtered = (filters: object): object => contacts({ filters });
const onlyFilter = (filters: object, type = 'contacts'): Filter | undefined => read({ type, filters }).filters[0];
const codes = (bodies: readonly unknown[], code: ErrorCode, form: AnswerForm = 'page'): void => {
  for (const body of bodies) assert.equal(refused(body, form).code, code, JSON.stringify(body));
};

test('domains and addresses are read in one form, in letters or in A-labels', () => {
  const domains = ['MÜNCHEN.de', 'xn--mnchen-3ya.de', ' mu\u0308nchen.de'];
  for (const name of ['company_domain', 'email_domain']) {
    assert.deepEqual(onlyFilter({ [name]: domains }), { kind: 'terms', name, include: ['xn--mnchen-3ya.de'], exclude: [] });
  }
  assert.deepEqual(onlyFilter({ domain: { exclude: domains } }, 'companies'), { kind: 'terms', name: 'domain', include: null, exclude: ['xn--mnchen-3ya.de'] });
  assert.deepEqual(onlyFilter({ email: ['Jörg@MÜNCHEN.de'] }), { kind: 'terms', name: 'email', include: ['jörg@xn--mnchen-3ya.de'], exclude: [] });
  assert.deepEqual(onlyFilter({ id: ['crm:Ü'] }), { kind: 'terms', name: 'id', include: ['crm:ü'], exclude: [] });
});

test('web addresses and addresses of LinkedIn are asked for as they were sent, and in the form in which lakes keep them', () => {
  const included = (filters: Record<string, unknown>, type = 'contacts'): unknown => {
    const filter = onlyFilter(filters, type);
    return filter?.kind === 'terms' ? filter.include : null;
  };
  assert.deepEqual(included({ company_domain: ['https://www.Acme.com/about?x=1', 'www.acme.com', 'acme.com.'] }), ['https://www.acme.com/about?x=1', 'www.acme.com', 'acme.com.', 'acme.com']);
  assert.deepEqual(included({ company_domain: 'http://MÜNCHEN.de:8080' }), ['http://münchen.de:8080', 'xn--mnchen-3ya.de']);
  assert.deepEqual(included({ domain: 'https://acme.com/' }, 'companies'), ['https://acme.com/', 'acme.com']);
  assert.deepEqual(included({ email_domain: ['@gmail.com'] }), ['@gmail.com', 'gmail.com']);
  for (const slip of ['@ gmail.com', '@gmail.com .', 'www.www.gmail.com', '@ www. gmail.com..', 'a@b@gmail.com']) assert.deepEqual(included({ email_domain: slip }), [slip, 'gmail.com']);
  assert.deepEqual(included({ email_domain: '@ münchen.de' }), ['@ münchen.de', 'xn--mnchen-3ya.de']);
  assert.deepEqual(included({ company_domain: ['acme.com', 'www.com', 'nonsense', '://'] }), ['acme.com', 'www.com', 'nonsense', '://']);
  const page = 'https://www.linkedin.com/in/jane-doe';
  for (const written of [`${page}/`, 'linkedin.com/in/jane-doe', 'https://de.linkedin.com/in/Jane-Doe/?trk=nav']) {
    assert.deepEqual(included({ linkedin_url: written }), [written.toLowerCase(), page]);
  }
  assert.deepEqual(included({ linkedin_url: [page, 'jane-doe'] }), [page, 'jane-doe']);
  assert.deepEqual(included({ linkedin_url: 'linkedin.com/company/acme' }, 'companies'), ['linkedin.com/company/acme', 'https://www.linkedin.com/company/acme']);
  assert.deepEqual(onlyFilter({ linkedin_url: { exclude: `${page}/` } }), { kind: 'terms', name: 'linkedin_url', include: null, exclude: [`${page}/`, page] });
});

test('type is required, and is contacts or companies', () => {
  codes([{}, { filters: {} }], 'missing_type');
  codes([{ type: 'people' }, { type: null }, { type: ['contacts'] }, { type: 'Contacts' }], 'unknown_type');
  assert.match(refused({ type: 'contact' }).message, /did you mean contacts\?/);
  assert.equal(read({ type: 'companies' }).type, 'companies');
});

test('no query and no filter at all is allowed, and the defaults are the contract\'s', () => {
  const query = read({ type: 'contacts' });
  assert.deepEqual(query, {
    type: 'contacts', terms: [], filters: [], fields: null, only: null, ignore: [], limit: 25, cursor: null, timeoutMs: 2_000,
    dedupe: true, count: 'exact', facets: [], strict: false, clientRef: null, delivery: 'page',
  });
  assert.ok(Object.isFrozen(query));
  const stream = read({ type: 'contacts' }, 'stream');
  assert.deepEqual([stream.limit, stream.timeoutMs, stream.dedupe, stream.delivery], [Number.MAX_SAFE_INTEGER, 600_000, false, 'stream']);
  assert.equal(read({ type: 'contacts' }, 'csv').delivery, 'page');
});

test('a body key that the contract does not name is unknown_field, prototype names too', () => {
  codes([contacts({ limt: 5 }), contacts({ constructor: 1 }), JSON.parse('{"type":"contacts","__proto__":{}}'), contacts({ '': 1 })], 'unknown_field');
  assert.match(refused(contacts({ limt: 5 })).message, /"limt" \(did you mean limit\?\)/);
  assert.equal(refused(contacts({ ['\u0007' + 'x'.repeat(80)]: 1 })).message, `A find body has no field "?${'x'.repeat(63)}...".`);
});

test('an unknown filter name is unknown_filter, with the nearest suggested', () => {
  codes([filtered({ contry: ['US'] }), filtered(JSON.parse('{"__proto__":["US"]}')), filtered({ constructor: ['x'] }), filtered({ founded_year: ['1999'] })], 'unknown_filter');
  assert.match(refused(filtered({ contry: ['US'] })).message, /did you mean country\?/);
  assert.match(refused(filtered({ title: ['VP'] })).message, /did you mean job_title\?/);
  codes([contacts({ filters: [] }), contacts({ filters: 'US' }), contacts({ filters: null })], 'invalid_field');
});

test('filter values are an array of strings or a single string; text is trimmed and folded, each value once', () => {
  assert.deepEqual(onlyFilter({ city: [' MÜNCHEN', 'munchen', 'Łódź'] }), { kind: 'terms', name: 'city', include: ['munchen', 'lodz'], exclude: [] });
  assert.deepEqual(onlyFilter({ city: 'Köln' }), { kind: 'terms', name: 'city', include: ['koln'], exclude: [] });
  assert.deepEqual(onlyFilter({ city: { include: ['A'], exclude: 'B' } }), { kind: 'terms', name: 'city', include: ['a'], exclude: ['b'] });
  assert.deepEqual(onlyFilter({ city: { exclude: ['B'] } }), { kind: 'terms', name: 'city', include: null, exclude: ['b'] });
  assert.deepEqual(onlyFilter({ email: ['ÅSA@X.se'] }), { kind: 'terms', name: 'email', include: ['åsa@x.se'], exclude: [] });
  assert.deepEqual(onlyFilter({ city: ["' OR 1=1--", '%', '$1'] }), { kind: 'terms', name: 'city', include: ["' or 1=1--", '%', '$1'], exclude: [] });
});

test('a filter value of the wrong kind is invalid_filter_value', () => {
  const wrong: readonly unknown[] = [
    [], {}, null, 5, true, [5], [null], [['x']], { include: [] }, { includes: ['x'] }, { include: ['x'], min: 1 }, JSON.parse('{"__proto__":["x"]}'),
    Array.from({ length: 1_001 }, (_, i) => `v${i}`), { include: Array.from({ length: 600 }, String), exclude: Array.from({ length: 600 }, String) },
    ['a\0b'], ['\ud800'], ['x\udc00y'], [''], ['  '], ['x'.repeat(1_025)], ['\u{20000}'.repeat(1_025)],
  ];
  codes(wrong.map((city) => filtered({ city })), 'invalid_filter_value');
  assert.equal(read(filtered({ city: Array.from({ length: 1_000 }, (_, i) => `v${i}`) })).filters.length, 1);
  for (const character of ['x', '\u{20000}']) assert.equal(read(filtered({ city: character.repeat(1_024) })).filters.length, 1);
});

test('values that cost much to fold are bounded over all filters together', () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `${'é'.repeat(96)}${String(i).padStart(4, '0')}`);
  assert.equal(read(filtered({ city: names(327), region: names(327) })).filters.length, 2);
  assert.match(refused(filtered({ city: names(400), region: { exclude: names(400) } })).message, /together more than 65536 characters/);
  assert.equal(read(filtered({ email: Array.from({ length: 1_000 }, (_, i) => `${'a'.repeat(90)}${i}@acme.com`) })).filters.length, 1);
});

test('country takes ISO 3166-1 alpha-2 in any case, UK as GB, and suggests where it is none', () => {
  assert.deepEqual(onlyFilter({ country: ['us', ' De ', 'UK', 'gb'] }), { kind: 'terms', name: 'country', include: ['US', 'DE', 'GB'], exclude: [] });
  codes([filtered({ country: ['XX'] }), filtered({ country: { exclude: ['Narnia'] } })], 'invalid_filter_value');
  // Their capitals would be South Sudan, Italy, Finland and the United States.
  codes(['ß', 'ıt', 'ﬁ', 'uſ'].map((letters) => filtered({ country: [letters] })), 'invalid_filter_value');
  for (const [name, code] of [['Germany', 'DE'], ['germny', 'DE'], ['USA', 'US'], ['U.S.', 'US'], ['Côte d’Ivoire', 'CI'], ['england', 'GB']] as const) {
    assert.match(refused(filtered({ country: [name] })).message, new RegExp(`did you mean ${code}\\?`), name);
  }
  assert.doesNotMatch(refused(filtered({ country: ['Secretland'] })).message, /Secretland/);
  // A word in common says nothing of countries.
  for (const name of ['New Mexico', 'Northern Ireland']) assert.doesNotMatch(refused(filtered({ country: [name] })).message, /did you mean/, name);
});

test('a listed value may be written with blanks, hyphens and any case; another is refused with the list', () => {
  assert.deepEqual(onlyFilter({ seniority: ['C-Suite', 'c suite', 'VP'] }), { kind: 'terms', name: 'seniority', include: ['c_suite', 'vp'], exclude: [] });
  assert.deepEqual(onlyFilter({ company_size: ['1,001 – 5,000', '10001+'] }), { kind: 'terms', name: 'company_size', include: ['1001-5000', '10001+'], exclude: [] });
  const { code, message } = refused(filtered({ seniority: ['directr'] }));
  assert.equal(code, 'invalid_filter_value');
  assert.match(message, /owner, founder, c_suite.*did you mean director\?/);
});

test('presence filters take "true", "false", true and false', () => {
  const presence = (value: unknown): unknown[] => {
    const filter = onlyFilter({ has_email: value });
    return filter?.kind === 'presence' ? [filter.present, filter.absent] : [];
  };
  for (const yes of [true, 'true', ['true'], [true], ['TRUE'], { include: ['true'] }, { exclude: [false] }]) assert.deepEqual(presence(yes), [true, false]);
  for (const no of [false, 'false', ['false'], { exclude: 'true' }]) assert.deepEqual(presence(no), [false, true]);
  assert.deepEqual(presence(['true', 'false']), [true, true]);
  codes([filtered({ has_email: 1 }), filtered({ has_email: ['yes'] }), filtered({ has_email: [] }), filtered({ has_email: { min: 1 } })], 'invalid_filter_value');
});

test('numbers take min and max, both inclusive, and values as numbers or strings', () => {
  const numbers = (employee_count: unknown): unknown => {
    const filter = onlyFilter({ employee_count }, 'companies');
    return filter?.kind === 'intervals' ? [filter.include, filter.exclude] : [];
  };
  assert.deepEqual(numbers({ min: 50, max: '200' }), [[[50, 200]], []]);
  assert.deepEqual(numbers({ min: 50 }), [[[50, Infinity]], []]);
  assert.deepEqual(numbers(['10', 10, 20]), [[[10, 10], [20, 20]], []]);
  assert.deepEqual(numbers({ max: 5, exclude: [3] }), [[[-Infinity, 5]], [[3, 3]]]);
  assert.deepEqual(numbers({ exclude: '-0' }), [null, [[0, 0]]]);
  const wrong = [['x'], [''], ['0x10'], [JSON.parse('1e999')], ['1e999'], { min: 2, max: 1 }, { min: [1] }, { min: null }, { min: 1, include: [2] }, { min: 1, exclude: [] }, [true], {}];
  codes(wrong.map((employee_count) => ({ type: 'companies', filters: { employee_count } })), 'invalid_filter_value');
});

test('a date alone means its whole UTC day, a time that instant', () => {
  const times = (updated_at: unknown): unknown => {
    const filter = onlyFilter({ updated_at });
    return filter?.kind === 'intervals' ? [filter.include, filter.exclude] : [];
  };
  const at = (time: string): number => Date.parse(time);
  assert.deepEqual(times({ min: '2024-01-31', max: '2024-01-31' }), [[[at('2024-01-31T00:00:00Z'), at('2024-01-31T23:59:59.999Z')]], []]);
  assert.deepEqual(times(['2024-02-29']), [[[at('2024-02-29T00:00:00Z'), at('2024-02-29T23:59:59.999Z')]], []]);
  for (const time of ['2024-01-31T09:30:00Z', '2024-01-31T09:30:00', '2024-01-31 09:30', '2024-01-31T11:30:00+02:00', '2024-01-31T04:00:00.0-0530']) {
    assert.deepEqual(times({ max: time }), [[[-Infinity, at('2024-01-31T09:30:00Z')]], []], time);
  }
  const wrong = ['2024-02-30', '2023-02-29', '2024-13-01', '2024', '31.01.2024', '2024-01-31T24:00', '2024-01-31T09:30:00+99:00', 'yesterday', 1_700_000_000_000];
  codes(wrong.map((min) => filtered({ updated_at: { min } })), 'invalid_filter_value');
  codes([filtered({ updated_at: { min: '2024-02-02', max: '2024-02-01' } })], 'invalid_filter_value');
});

test('a filter object that is empty, or of another filter\'s form, is told what this one takes', () => {
  const said = (filters: object, type = 'companies'): string => refused({ type, filters }).message;
  const range = 'an object of min and max, or of include, with exclude beside either or alone';
  assert.equal(said({ employee_count: {} }), `The filter employee_count is an empty object: leave the filter out, or give ${range}.`);
  for (const employee_count of [{ from: 9 }, { min: 9, include: [1] }]) assert.equal(said({ employee_count }), `The filter employee_count takes ${range}.`);
  assert.equal(said({ employee_count: { min: 9, max: 1 } }), 'The filter employee_count has a min above its max, so that no value lies between: exchange them, or leave one out.');
  assert.equal(said({ country: {} }), 'The filter country is an empty object: leave the filter out, or give an object of include and exclude.');
  assert.equal(said({ country: { min: 1 } }), 'The filter country takes an object of include and exclude.');
});

test('an extra column of the operator is a filter, a field and a facet', () => {
  const query = read(contacts({ filters: { badge: { min: 3 } }, fields: ['badge'], facets: ['badge'] }));
  assert.deepEqual([query.filters[0]?.name, query.fields, query.facets], ['badge', ['id', 'source', 'badge'], ['badge']]);
});

test('a query with no narrowing filter is refused: alone, or beside presence filters and exclusions', () => {
  const query = 'vp';
  codes([
    contacts({ query }), contacts({ query, filters: {} }), contacts({ query, filters: { has_email: ['true'] } }),
    contacts({ query, filters: { country: { exclude: ['US'] } } }),
  ], 'query_without_narrowing_filter');
  assert.equal(read(contacts({ query, filters: { country: ['US'], has_email: true } })).terms.length, 1);
  assert.equal(read(contacts({ query, filters: { updated_at: { min: '2024-01-01' } } })).terms.length, 1);
});

test('a query has 1 to 256 characters after trimming, and a word', () => {
  const narrowed = (query: unknown): object => contacts({ query, filters: { country: ['US'] } });
  codes(['', '   ', '*', '"" -', '--', 'x'.repeat(257), 5, null, ['x'], 'a\ud800', 'a '.repeat(65).trim()].map(narrowed), 'invalid_query');
  assert.equal(read(narrowed(` ${'😀'.repeat(255)}x  `)).terms.length, 1);
});

test('limit is an integer from 1 to 1000, on CSV to 10,000, on a stream any; never clamped', () => {
  codes([0, -1, 1.5, '10', 1_001, 2 ** 53, null, JSON.parse('1e999')].map((limit) => contacts({ limit })), 'invalid_limit');
  codes([10_001].map((limit) => contacts({ limit })), 'invalid_limit', 'csv');
  codes([0, 2 ** 53].map((limit) => contacts({ limit })), 'invalid_limit', 'stream');
  assert.equal(read(contacts({ limit: 10_000 }), 'csv').limit, 10_000);
  assert.equal(read(contacts({ limit: 5_000_000 }), 'stream').limit, 5_000_000);
});

test('timeout_ms is an integer from 10 to 30000, on a stream to 3600000', () => {
  codes([9, 30_001, '100', 99.5].map((timeout_ms) => contacts({ timeout_ms })), 'invalid_timeout');
  codes([9, 3_600_001].map((timeout_ms) => contacts({ timeout_ms })), 'invalid_timeout', 'stream');
  assert.equal(read(contacts({ timeout_ms: 30_000 })).timeoutMs, 30_000);
  assert.equal(read(contacts({ timeout_ms: 3_600_000 }), 'stream').timeoutMs, 3_600_000);
});

test('fields come in row order with id and source; an unknown one is unknown_field', () => {
  assert.deepEqual(read(contacts({ fields: ['email', 'full_name', 'email'] })).fields, ['id', 'source', 'full_name', 'email']);
  assert.deepEqual(read(contacts({ fields: [] })).fields, ['id', 'source']);
  assert.deepEqual(read(contacts({ fields: ['email', 'full_name', 'email'] })).fields, ['id', 'source', 'full_name', 'email'], 'once more');
  assert.deepEqual(read(contacts({ fields: ['full_name', 'email'] })).fields, ['id', 'source', 'full_name', 'email']);
  codes([contacts({ fields: ['e-mail'] }), contacts({ fields: ['__proto__'] }), contacts({ fields: ['domain'] }), contacts({ fields: ['full_name,email'] })], 'unknown_field');
  codes([contacts({ fields: ['full_name,email', 'email'] }), contacts({ fields: ['email,full_name', 'email'] })], 'unknown_field');
  codes([contacts({ fields: 'email' }), contacts({ fields: [5] }), contacts({ fields: Array.from({ length: 1_001 }, () => 'id') })], 'invalid_field');
});

test('sources are chosen by their public names; an unknown one is unknown_source', () => {
  const query = read(contacts({ sources: { only: ['crm', 'partner', 'crm'], ignore: ['partner'] } }));
  assert.deepEqual([query.only, query.ignore], [['crm', 'partner'], ['partner']]);
  codes([{ only: ['crn'] }, { ignore: ['registry'] }].map((sources) => contacts({ sources })), 'unknown_source');
  codes([[], 'crm', { only: 'crm' }, { only: [] }, { ignore: ['crm', 'partner'] }].map((sources) => contacts({ sources })), 'invalid_field');
  codes([{ except: ['crm'] }, JSON.parse('{"__proto__":["crm"]}')].map((sources) => contacts({ sources })), 'unknown_field');
});

test('amid a walk the names of its sources are taken as they are, for one may have left since it began', () => {
  const query = read(contacts({ cursor: 'c', sources: { only: ['left', 'crm', 'left'], ignore: ['crm'] } }));
  assert.deepEqual([query.only, query.ignore], [['left', 'crm'], ['crm']]);
  assert.deepEqual(read(contacts({ cursor: 'c', sources: { ignore: ['crm', 'partner'] } })).ignore, ['crm', 'partner']);
  codes([[], { only: 'crm' }].map((sources) => contacts({ cursor: 'c', sources })), 'invalid_field');
});

test('any other field of a wrong form is invalid_field', () => {
  codes([
    { dedupe: 'true' }, { strict: 1 }, { count: 'all' }, { facets: 'country' }, { facets: [1] },
    { facets: ['country', 'region', 'city', 'industry', 'email', 'id'] }, { client_ref: 'x'.repeat(129) }, { client_ref: 5 }, { client_ref: '\ud800' },
  ].map(contacts), 'invalid_field');
  codes([contacts({ facets: ['countries'] })], 'unknown_filter');
  codes([contacts({ cursor: null }), contacts({ cursor: 5 }), contacts({ cursor: '' }), contacts({ cursor: 'x'.repeat(65_537) })], 'invalid_cursor');
  assert.equal(read(contacts({ client_ref: '' })).clientRef, '');
});

test('a caller\'s value is never echoed', () => {
  const bodies = [
    { type: 'SECRET' }, filtered({ country: ['SECRET'] }), filtered({ seniority: ['SECRET'] }), filtered({ updated_at: { min: 'SECRET' } }),
    contacts({ limit: 'SECRET' }), contacts({ count: 'SECRET' }), contacts({ cursor: 'SECRET'.repeat(11_000) }), contacts({ query: 'SECRET' }),
  ];
  for (const body of bodies) {
    const { message, example } = refused(body);
    assert.doesNotMatch(message + JSON.stringify(example), /SECRET/i);
  }
});
