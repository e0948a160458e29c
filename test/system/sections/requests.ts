import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunningService } from '../service.ts';

/** Contract, sections 1 to 3: which requests are refused, and how the refusal helps. */
export function requestRules(service: () => RunningService): void {
  const REFUSED: readonly (readonly [rule: string, body: unknown, code: string])[] = [
    ['a missing type', {}, 'missing_type'],
    ['another type', { type: 'people' }, 'unknown_type'],
    ['an unknown filter name', { type: 'contacts', filters: { contry: ['US'] } }, 'unknown_filter'],
    ['a filter of the other type', { type: 'contacts', filters: { founded_year: { min: 1990 } } }, 'unknown_filter'],
    ['a query with no filter', { type: 'contacts', query: 'vp' }, 'query_without_narrowing_filter'],
    ['a query with presence filters alone', { type: 'contacts', query: 'vp', filters: { has_email: ['true'] } }, 'query_without_narrowing_filter'],
    ['a query with an exclusion alone', { type: 'contacts', query: 'vp', filters: { country: { exclude: ['US'] } } }, 'query_without_narrowing_filter'],
    ['an empty query', { type: 'contacts', query: '  ', filters: { country: ['US'] } }, 'invalid_query'],
    ['a query of 257 characters', { type: 'contacts', query: 'a'.repeat(257), filters: { country: ['US'] } }, 'invalid_query'],
    ['malformed JSON', '{"type": "contacts"', 'invalid_json'],
    ['an empty body', '', 'invalid_json'],
    ['trailing text', '{"type":"contacts"} x', 'invalid_json'],
    ['a duplicate key, also in escapes', '{"type":"contacts","\\u0074ype":"companies"}', 'invalid_json'],
    ['nesting deeper than 32', `{"type":"contacts","filters":${'['.repeat(33)}${']'.repeat(33)}}`, 'invalid_json'],
    ['a body that is no object', '[]', 'invalid_json'],
    ['bad UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'invalid_json'],
    ['an unknown field', { type: 'contacts', limits: 5 }, 'unknown_field'],
    ['__proto__ as a field', '{"type":"contacts","__proto__":{"limit":1}}', 'unknown_field'],
    ['constructor as a filter', { type: 'contacts', filters: { constructor: ['x'] } }, 'unknown_filter'],
    ['an empty filter', { type: 'contacts', filters: { country: [] } }, 'invalid_filter_value'],
    ['1,001 values', { type: 'contacts', filters: { city: Array.from({ length: 1_001 }, (_, i) => `c${i}`) } }, 'invalid_filter_value'],
    ['an unknown country', { type: 'contacts', filters: { country: ['XX'] } }, 'invalid_filter_value'],
    ['a country by its name', { type: 'contacts', filters: { country: ['Germany'] } }, 'invalid_filter_value'],
    ['a value of the wrong kind', { type: 'contacts', filters: { city: [5] } }, 'invalid_filter_value'],
    ['a lone surrogate', '{"type":"contacts","filters":{"city":["\\ud800"]}}', 'invalid_filter_value'],
    ['NUL in a value', { type: 'contacts', filters: { city: ['a\0b'] } }, 'invalid_filter_value'],
    ['an infinite bound', '{"type":"companies","filters":{"founded_year":{"min":1e999}}}', 'invalid_filter_value'],
    ['limit 0', { type: 'contacts', limit: 0 }, 'invalid_limit'],
    ['limit 1001', { type: 'contacts', limit: 1_001 }, 'invalid_limit'],
    ['a limit as text', { type: 'contacts', limit: '10' }, 'invalid_limit'],
    ['a fractional limit', { type: 'contacts', limit: 1.5 }, 'invalid_limit'],
    ['timeout 9', { type: 'contacts', timeout_ms: 9 }, 'invalid_timeout'],
    ['timeout 30001', { type: 'contacts', timeout_ms: 30_001 }, 'invalid_timeout'],
    ['a made-up cursor', { type: 'contacts', cursor: 'abc' }, 'invalid_cursor'],
    ['an unknown row field', { type: 'contacts', fields: ['shoe_size'] }, 'unknown_field'],
    ['an unknown source', { type: 'contacts', sources: { only: ['nobody'] } }, 'unknown_source'],
    ['a dedupe that is no boolean', { type: 'contacts', dedupe: 'yes' }, 'invalid_field'],
    ['six facets', { type: 'contacts', facets: ['country', 'region', 'city', 'industry', 'seniority', 'department'] }, 'invalid_field'],
    ['a client_ref of 129 characters', { type: 'contacts', client_ref: 'x'.repeat(129) }, 'invalid_field'],
  ];

  describe('refused searches', () => {
    for (const [rule, body, code] of REFUSED) {
      it(`refuses ${rule} as ${code}, with a worked example that succeeds`, async () => {
        const answer = await service().find(body);
        assert.equal(answer.status, 400, answer.text.slice(0, 300));
        assert.equal(answer.json.error, code, answer.text.slice(0, 300));
        assert.ok(answer.json.detail.length > 10);
        assert.match(answer.json.tip, /GET \/v1\/sources/);
        const retry = await service().find(answer.json.example);
        assert.equal(retry.status, 200, JSON.stringify(answer.json.example));
      });
    }

    it('suggests the nearest name for an unknown filter, and echoes no value', async () => {
      const { json, text } = await service().find({ type: 'contacts', filters: { contry: ['secretvalue'] } });
      assert.match(json.detail, /country/);
      assert.ok(!text.includes('secretvalue'));
    });

    it('suggests the code for a country given by name', async () => {
      assert.match((await service().find({ type: 'contacts', filters: { country: ['Germany'] } })).json.detail, /DE/);
    });

    it('takes text that looks like SQL or a pattern as plain text', async () => {
      for (const value of ["' OR 1=1--", '%', '_', '\\', '$1', '{x:String}', '"; DROP TABLE x', '*/']) {
        const { status, json } = await service().find({ type: 'contacts', filters: { city: [value] } });
        assert.equal(status, 200);
        assert.equal(json.total, 0, value);
      }
    });
  });
}
