import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/model/json.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { countedFigures, gatewayOf } from '../../../src/sources/http/describe.ts';

const CONTACTS = vocabulary('contacts');

test('the last change of a source over http is a time, and the newest, whichever of them has a fraction', () => {
  const whole = '2024-05-01T10:00:00Z';
  const later = '2024-05-01T10:00:00.500Z';
  const gateway = (...times: readonly unknown[]) => gatewayOf({ sources: times.map((time) => ({ type: 'contacts', rows: 1, updated_at: time })) }, CONTACTS, {})?.figures?.updatedAt;
  assert.deepEqual([gateway(later, whole), gateway(whole, 'yesterday'), gateway(null, 7), gateway('2024-05-01 12:00:00+02')], [later, whole, null, whole]);
  assert.equal(countedFigures([{ id: '1', updated_at: later }, { id: '2', updated_at: whole }, { id: '3', updated_at: null }], CONTACTS).updatedAt, later);
});

test('the figures of another gateway are told of countries and of fields that rows have here, under their names here, and of nothing else that it calls so', () => {
  const sources: JsonObject[] = [
    {
      type: 'contacts', rows: 30, updated_at: '2024-05-01',
      fill: { email: 0.5, name: 0.9, margin: 0.3, constructor: 1, city: -4, region: 'all' }, countries: { US: 20, constructor: 5, 'de ': 7, DE: -7, FR: 1.5, GB: '3' },
    },
    { type: 'contacts', rows: 10, fill: { email: 7, name: 0.1 }, countries: { US: 1 } },
    { type: 'companies', rows: 10, fill: { email: 1 }, countries: { US: 9 } },
  ];
  assert.deepEqual(gatewayOf({ sources }, CONTACTS, { full_name: 'name' })!.figures, {
    rows: 40, updatedAt: '2024-05-01T00:00:00Z', fill: { full_name: 0.7, email: 0.625, region: 0, city: 0 }, countries: { US: 21 },
  });
  const { updatedAt, countries } = gatewayOf({ sources }, CONTACTS, { country: 'nation', updated_at: 'seen' })!.figures!;
  assert.deepEqual([updatedAt, countries], [null, {}]);
});
