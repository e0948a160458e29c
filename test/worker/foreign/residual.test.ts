import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Suppressions, SuppressionSets } from '../../../src/model/suppression/suppressions.ts';
import { emailTerms } from '../../../src/model/suppression/term.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import type { Search } from '../../../src/sources/source.ts';
import { Residual } from '../../../src/worker/foreign/residual.ts';

const WORDS = vocabulary('contacts');
const WITH_PHONE: Search = { filters: [{ kind: 'presence', name: 'has_phone', present: true, absent: false }], terms: [] };
const jsonOf = (row: object): string => JSON.stringify({ email: null, phone: null, ...row });

function withoutGone(): Suppressions {
  const sets = new SuppressionSets();
  for (const term of emailTerms('gone@x.org')!) sets.add(term);
  return new Suppressions(sets.shared);
}

describe('what is left to test of the rows of an engine', () => {
  it('keeps of those that it is not sure of the ones that match alone', () => {
    const residual = new Residual(WITH_PHONE, WORDS, null, () => {});
    assert.equal(residual.keeps({ json: jsonOf({ phone: '+4930123456' }), sure: false }), true);
    assert.equal(residual.keeps({ json: jsonOf({ email: 'ann@x.org' }), sure: false }), false);
    assert.equal(residual.keeps({ json: jsonOf({ email: 'ann@x.org' }), sure: true }), true);
  });

  it('leaves out who is suppressed, however sure the engine is, and tells of him where he matches', () => {
    const told: unknown[] = [];
    const residual = new Residual(WITH_PHONE, WORDS, withoutGone(), ({ email, phone }) => told.push([email, phone]));
    assert.equal(residual.keeps({ json: jsonOf({ email: 'gone@x.org', phone: '1' }), sure: true }), false);
    assert.equal(residual.keeps({ json: jsonOf({ email: 'Gone@X.org', phone: '2' }), sure: false }), false);
    assert.equal(residual.keeps({ json: jsonOf({ email: 'gone@x.org' }), sure: false }), false);
    assert.equal(residual.keeps({ json: jsonOf({ email: 'ann@x.org', phone: '3' }), sure: true }), true);
    assert.deepEqual(told, [['gone@x.org', '1'], ['Gone@X.org', '2']]);
  });

  it('reads the fields of its filters, and where somebody is suppressed those by which he is told', () => {
    assert.deepEqual([...new Residual(WITH_PHONE, WORDS, null, () => {}).reads], ['phone']);
    const { reads } = new Residual(WITH_PHONE, WORDS, withoutGone(), () => {});
    for (const field of ['phone', 'email', 'linkedin_url']) assert.ok(reads.has(field), field);
  });
});
