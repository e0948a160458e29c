import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matches } from '../../src/filter/matches.ts';
import { matchingRows } from '../../src/filter/matching_rows.ts';
import { read } from '../../src/filter/read.ts';
import type { Row } from '../../src/model/field.ts';
import type { Filter } from '../../src/model/filter.ts';
import type { Term } from '../../src/model/query.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { fullRow, segmentOf } from '../segment/support.ts';

const EXTRAS = [{ name: 'tags', type: 'strings', description: 'tags' }] as const;
const ROWS: Row[] = ([
  {
    id: 'test:a', full_name: 'Łukasz Żak', job_title: 'VP, Engineering', email: 'l.zak@Acme.com', country: 'PL',
    city: '  Łódź ', company_name: 'Straße 5 GmbH', skills: ['Deep Learning', 'Go'], tags: ['Hot', 'new'],
    updated_at: '2024-01-01T00:00:00.000Z',
  },
  { id: 'test:b', full_name: 'Ann Lee', job_title: 'Head of Engineering VP', country: 'DE', city: 'BERLIN', skills: ['Learning Deep'], tags: ['cold'], updated_at: '2024-06-01T00:00:00.000Z' },
  { id: 'test:c', full_name: 'İpek', job_title: null, country: null, city: '   ', phone: '+15550100', tags: null },
] as Row[]).map((row) => fullRow('contacts', row, EXTRAS));
const VOCABULARY = vocabulary('contacts', EXTRAS);
const { segment, stored } = await segmentOf('contacts', ROWS, EXTRAS);

/** The ids that a search finds, by the plain loop and by the segment, which must agree. */
function found(filters: readonly Filter[], terms: readonly Term[] = []): string {
  const plain = stored.filter(matches(filters, terms, VOCABULARY)).map(({ id }) => String(id));
  assert.deepEqual(Array.from(matchingRows(read(segment, filters, terms)), (row) => String(stored[row]!.id)), plain);
  return plain.map((id) => id.slice(5)).sort().join('');
}

const including = (name: string, ...include: string[]): Filter => ({ kind: 'terms', name, include, exclude: [] });
const excluding = (name: string, ...exclude: string[]): Filter => ({ kind: 'terms', name, include: null, exclude });
const term = (kind: Term['kind'], text: string, negated = false): Term => ({ kind, words: text.split(' '), negated });

test('values of a filter are alternatives, filters are conditions', () => {
  assert.equal(found([including('country', 'PL', 'DE')]), 'ab');
  assert.equal(found([including('country', 'PL', 'DE'), including('city', 'berlin')]), 'b');
});

test('text is compared trimmed and folded', () => {
  assert.equal(found([including('city', 'lodz')]), 'a');
  assert.equal(found([including('company_name', 'strasse 5 gmbh')]), 'a');
});

test('emails and domains are compared in lower case, and the domain is what follows the last @', () => {
  assert.equal(found([including('email', 'l.zak@acme.com')]), 'a');
  assert.equal(found([including('email_domain', 'acme.com')]), 'a');
  assert.equal(found([including('id', 'test:b', 'test:nobody')]), 'b');
});

test('a domain in letters and the same in A-labels are one, whichever the row has', async () => {
  const rows = ['info@xn--mnchen-3ya.de', 'info@MÜNCHEN.de', 'info@mu\u0308nchen.de', 'info@munchen.de'].map((email, at) =>
    fullRow('contacts', { id: `test:${at}`, email, company_domain: email.slice(5) }));
  const held = await segmentOf('contacts', rows);
  const words = vocabulary('contacts');
  for (const [name, value] of [['email', 'info@xn--mnchen-3ya.de'], ['email_domain', 'xn--mnchen-3ya.de'], ['company_domain', 'xn--mnchen-3ya.de']] as const) {
    for (const filter of [including(name, value), excluding(name, value)]) {
      const plain = held.stored.filter(matches([filter], [], words)).map(({ id }) => id);
      assert.deepEqual(Array.from(matchingRows(read(held.segment, [filter], [])), (row) => held.stored[row]!.id), plain);
      assert.deepEqual(plain.toSorted(), filter.kind === 'terms' && filter.include === null ? ['test:3'] : ['test:0', 'test:1', 'test:2'], name);
    }
  }
});

test('a blank is null; nulls match no include and are kept by exclude', () => {
  assert.equal(found([excluding('city', 'berlin')]), 'ac');
  assert.equal(found([excluding('country', 'PL')]), 'bc');
  assert.equal(found([including('city', '')]), '');
  assert.equal(found([{ kind: 'intervals', name: 'updated_at', include: [[-Infinity, Infinity]], exclude: [] }]), 'ab');
  assert.equal(found([{ kind: 'intervals', name: 'updated_at', include: null, exclude: [[0, Infinity]] }]), 'c');
});

test('intervals are inclusive at both ends', () => {
  const start = Date.parse('2024-01-01');
  assert.equal(found([{ kind: 'intervals', name: 'updated_at', include: [[start, start]], exclude: [] }]), 'a');
  assert.equal(found([{ kind: 'intervals', name: 'updated_at', include: [[start + 1, Infinity]], exclude: [] }]), 'b');
});

test('a list matches if any element does, and is dropped if any element is excluded', () => {
  assert.equal(found([including('tags', 'new', 'cold')]), 'ab');
  assert.equal(found([excluding('tags', 'hot')]), 'bc');
});

test('presence asks whether a field holds anything', () => {
  const presence = (name: string, present: boolean, absent: boolean): Filter => ({ kind: 'presence', name, present, absent });
  assert.equal(found([presence('has_email', true, false)]), 'a');
  assert.equal(found([presence('has_email', false, true)]), 'bc');
  assert.equal(found([presence('has_phone', true, true)]), 'abc');
});

test('a column that the dataset never had reads as nulls', () => {
  assert.equal(found([including('never', 'x')]), '');
  assert.equal(found([excluding('never', 'x')]), 'abc');
  assert.equal(found([{ kind: 'presence', name: 'has_never', present: false, absent: true }]), 'abc');
});

test('every word must occur as a whole word in some searchable field', () => {
  assert.equal(found([], [term('word', 'engineering'), term('word', 'lukasz')]), 'a');
  assert.equal(found([], [term('word', 'engineer')]), '');
  assert.equal(found([], [term('prefix', 'engineer')]), 'ab');
  assert.equal(found([], [term('word', 'acme')]), '', 'an email is not searched');
});

test('a phrase is consecutive words in one field, and in one element of a list', () => {
  assert.equal(found([], [term('phrase', 'vp engineering')]), 'a');
  assert.equal(found([], [term('phrase', 'deep learning')]), 'a');
  assert.equal(found([], [term('phrase', 'learning go')]), '');
  assert.equal(found([], [term('phrase', 'ann lee')]), 'b');
});

test('a negated term must not occur', () => {
  assert.equal(found([], [term('word', 'engineering', true)]), 'c');
  assert.equal(found([], [term('phrase', 'vp engineering', true)]), 'bc');
  assert.equal(found([], [term('prefix', 'l', true)]), 'c');
  assert.equal(found([], [term('word', 'absent', true)]), 'abc');
});
