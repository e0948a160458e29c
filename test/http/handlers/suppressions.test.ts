import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { domainToUnicode } from 'node:url';
import { Administration } from '../../../src/accounts/administration.ts';
import type { Accounts } from '../../../src/accounts/open.ts';
import { LIMITS } from '../../../src/config/limits.ts';
import { Call } from '../../../src/http/call.ts';
import { makeCors } from '../../../src/http/cors.ts';
import { suppressionHandlers } from '../../../src/http/handlers/admin/suppressions.ts';
import { problemAnswer } from '../../../src/http/problem.ts';
import { AppError } from '../../../src/model/errors.ts';
import type { SuppressionTerm } from '../../../src/model/suppression/term.ts';
import { freshStore, TestClock } from '../../accounts/setting.ts';
import { KeptExchange } from '../../support/exchanges.ts';
import { turnsMeanwhile } from '../../support/turns_meanwhile.ts';

const NAMES = Array.from({ length: 10_000 }, (_, at) => `gärten${at}.example.com`);

/** What came of a body: the answer, the terms that were handed on, and the turns that the loop had meanwhile. */
async function added(t: TestContext, body: object): Promise<{ exchange: KeptExchange; terms: readonly SuppressionTerm[]; turns: number }> {
  let terms: readonly SuppressionTerm[] = [];
  const list = {
    add: async (given: readonly SuppressionTerm[]) => { terms = given; return given.length; },
    remove: async () => assert.fail(),
    list: async () => assert.fail(),
  };
  const administration = new Administration(await freshStore(t), new TestClock(), list, async () => {});
  const exchange = new KeptExchange();
  exchange.body = Buffer.from(JSON.stringify(body));
  const { turns } = await turnsMeanwhile(() => suppressionHandlers(administration).add(new Call(exchange, 'id-1', new Map(), problemAnswer, {} as Accounts, makeCors([]))));
  return { exchange, terms, turns };
}

test('ten thousand names beyond ASCII are suppressed in their order, and let all else have its turn', async (t) => {
  const { exchange, terms, turns } = await added(t, { domain: NAMES });
  assert.deepEqual([exchange.status, JSON.parse(exchange.text)], [200, { added: NAMES.length }]);
  assert.deepEqual(terms.map(({ value }) => domainToUnicode(value!)), NAMES);
  assert.ok(turns > 3, `${turns} turns`);
});

test('a value that is none, however late it comes, is named by its place, and nothing is suppressed', async (t) => {
  const wrong = LIMITS.suppressionsUntimed * 3 + 1;
  const refused = added(t, { domain: NAMES.map((name, at) => (at === wrong ? 'no domain' : name)) });
  await assert.rejects(refused, (error) => error instanceof AppError && error.code === 'invalid_field' && error.message.includes(`domain[${wrong}]`));
});
