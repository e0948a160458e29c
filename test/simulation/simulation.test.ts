import { describe, it } from 'node:test';
import { simulateCalls } from './simulate.ts';

/** As many as take some seconds; `npm run bench -- simulation` runs more. */
const CALLS = 10_000;

describe('a search over sources that go wrong', () => {
  it('never lacks a row without saying so, never says so without cause, loses and doubles none over its pages, and is on time', async (t) => {
    t.diagnostic(JSON.stringify(await simulateCalls(Math.floor(Math.random() * 2 ** 31), CALLS)));
  });
});
