import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { countedFigures, gatewayOf } from '../../../src/sources/http/describe.ts';

const CONTACTS = vocabulary('contacts');

test('the last change of a source over http is a time, and the newest, whichever of them has a fraction', () => {
  const whole = '2024-05-01T10:00:00Z';
  const later = '2024-05-01T10:00:00.500Z';
  const gateway = (...times: readonly unknown[]) => gatewayOf({ sources: times.map((time) => ({ type: 'contacts', rows: 1, updated_at: time })) }, CONTACTS)?.figures?.updatedAt;
  assert.deepEqual([gateway(later, whole), gateway(whole, 'yesterday'), gateway(null, 7), gateway('2024-05-01 12:00:00+02')], [later, whole, null, whole]);
  assert.equal(countedFigures([{ id: '1', updated_at: later }, { id: '2', updated_at: whole }, { id: '3', updated_at: null }], CONTACTS).updatedAt, later);
});
