import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, Call } from '../../src/http/call.ts';
import { serviceRoutes } from '../../src/http/routes.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';

const VOCABULARIES = { contacts: vocabulary('contacts'), companies: vocabulary('companies') };

test('the description of the API is made before anybody asks for it, and not again when the sources change', async () => {
  let looks = 0;
  const catalog = () => {
    looks += 1;
    return { version: looks, vocabularies: VOCABULARIES, sources: [], retained: new Map() };
  };
  const { routes } = serviceRoutes({ catalog, accounts: {}, validation: {}, instruments: {} } as unknown as Parameters<typeof serviceRoutes>[0]);
  const { handle } = routes.find(({ path }) => path === '/openapi.json')!;
  const ask = async (): Promise<Answer> => {
    const answers: Answer[] = [];
    await handle({ exchange: { head: { headers: { get: () => undefined } } }, answer: (answer: Answer) => { answers.push(answer); } } as unknown as Call);
    return answers[0]!;
  };
  const before = looks;
  const { body } = await ask();
  assert.equal((await ask()).body, body, 'the very same bytes');
  assert.equal(looks, before);
  assert.ok('/v1/find' in JSON.parse(Buffer.from(body).toString()).paths);
});
