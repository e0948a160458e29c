import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailingLakes } from '../../src/app/failing_lakes.ts';
import { until } from '../support/until.ts';

test('a lake fails from the first scan that did until none has for a while, and is told once each way', async (t) => {
  const told: string[][] = [];
  const failing = new FailingLakes(200, (lakes) => { told.push([...lakes]); });
  t.after(() => { failing.close(); });
  for (const mount of ['contacts/crm/1', 'contacts/crm/2', 'contacts/crm/1']) failing.failed(mount);
  failing.failed('companies/web/1');
  assert.deepEqual(told, [['contacts/crm'], ['contacts/crm', 'companies/web']]);
  await until(() => told.length === 4);
  assert.deepEqual(told.at(-1), []);
});

test('once closed it tells nothing more', async () => {
  const told: unknown[] = [];
  const failing = new FailingLakes(10, (lakes) => { told.push(lakes); });
  failing.failed('contacts/crm/1');
  failing.close();
  await new Promise((resolve) => { setTimeout(resolve, 60); });
  assert.equal(told.length, 1);
});
