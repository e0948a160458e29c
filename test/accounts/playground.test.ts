import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Playground } from '../../src/accounts/playground.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import type { PlaygroundStore } from '../../src/store/playground_store.ts';
import { turnsMeanwhile } from '../support/turns_meanwhile.ts';
import { freshStore, NOON, TestClock } from './setting.ts';

const SECRET = Buffer.from('secret');
const ALL = { afterName: null, rowsMax: 100 };

async function admitted(playground: Playground, network: string, calls: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: calls }, () => playground.admit(network).then(() => true, () => false)));
  return answers.filter(Boolean).length;
}

test('twenty calls a day are let in of any number at once, for each network by itself', async (t) => {
  const playground = await Playground.open(await freshStore(t), new TestClock(), SECRET);
  assert.equal(await admitted(playground, '192.0.2.1', 64), 20);
  assert.equal(await admitted(playground, '192.0.2.2', 5), 5);
});

test('who is over the cap is told when it resets, and at 00:00 UTC it does', async (t) => {
  const clock = new TestClock();
  const playground = await Playground.open(await freshStore(t), clock, SECRET);
  await admitted(playground, '192.0.2.1', 20);
  await assert.rejects(playground.admit('192.0.2.1'), { code: 'rate_limited', retryAfter: 43_200 });
  clock.pass(12 * 3_600_000 - 1);
  await assert.rejects(playground.admit('192.0.2.1'), { retryAfter: 1 });
  clock.pass(1);
  assert.equal(await admitted(playground, '192.0.2.1', 21), 20);
  clock.jump(-3_600_000);
  await assert.rejects(playground.admit('192.0.2.1'));
});

test('the counts survive a restart, without the addresses, and earlier days are forgotten', async (t) => {
  const store = await freshStore(t);
  const clock = new TestClock();
  const before = await Playground.open(store, clock, SECRET);
  await admitted(before, '192.0.2.1', 18);
  await before.flush();
  assert.ok(!JSON.stringify(await store.playgroundCalls(Math.floor(NOON / 86_400_000), ALL)).includes('192.0.2.1'));
  const after = await Playground.open(store, clock, SECRET);
  assert.equal(await admitted(after, '192.0.2.1', 5), 2);
  clock.pass(86_400_000);
  await after.admit('192.0.2.9');
  await after.flush();
  assert.deepEqual(await store.playgroundCalls(Math.floor(NOON / 86_400_000), ALL), []);
});

test('the counts of more networks than a page holds are taken up page by page, and all else that is due has its turn meanwhile', async (t) => {
  const store = await freshStore(t);
  const clock = new TestClock();
  const networks = Array.from({ length: 3 * LIMITS.storePageRows }, (_, at) => `192.0.${at >> 8}.${at & 255}`);
  const before = await Playground.open(store, clock, SECRET);
  for (const network of networks) await before.admit(network);
  await before.flush();
  let pages = 0;
  const slow: PlaygroundStore = {
    keepPlaygroundCalls: (rows, namesMax) => store.keepPlaygroundCalls(rows, namesMax),
    playgroundCalls: (day, page) => {
      pages += 1;
      for (const begunMs = monotonicMs(); monotonicMs() - begunMs < LIMITS.mainTurnMs;) { /* As a file that holds the thread. */ }
      return store.playgroundCalls(day, page);
    },
  };
  const { result: after, turns } = await turnsMeanwhile(() => Playground.open(slow, clock, SECRET));
  assert.deepEqual([pages, turns >= pages - 1], [4, true], `${turns} turns`);
  for (const network of networks) assert.equal((await after.admit(network)).used, 2);
});

test('a gateway that began by a clock of years ago knows the day when the clock is put right', async (t) => {
  const store = await freshStore(t);
  const clock = new TestClock();
  const before = await Playground.open(store, clock, SECRET);
  await admitted(before, '192.0.2.1', 18);
  await before.flush();
  const yearsMs = 6 * 365 * 86_400_000;
  clock.jump(-yearsMs);
  const after = await Playground.open(store, clock, SECRET);
  assert.equal(await admitted(after, '192.0.2.2', 1), 1);
  await after.flush();
  clock.jump(yearsMs);
  assert.equal(await admitted(after, '192.0.2.1', 5), 2);
});

test('no more networks are tracked than the bound, and the first to come is the first forgotten', async (t) => {
  const playground = await Playground.open(await freshStore(t), new TestClock(), SECRET);
  assert.equal(await admitted(playground, 'first', 21), 20);
  for (let at = 0; at < LIMITS.playgroundNetworksMax - 1; at += 1) await playground.admit(`n${at}`);
  assert.equal(await admitted(playground, 'first', 1), 0);
  await playground.admit('one more');
  assert.equal(await admitted(playground, 'first', 1), 1);
});

test('what is kept of a day is bounded too, and so is what waits for a store that takes nothing', async (t) => {
  const store = await freshStore(t);
  const playground = await Playground.open(store, new TestClock(), SECRET);
  const { keepPlaygroundCalls } = store;
  let refused = 0;
  store.keepPlaygroundCalls = async (rows) => { refused += rows.length; throw new Error('no'); };
  for (let at = 0; at < LIMITS.playgroundNetworksMax + 500; at += 1) {
    await playground.admit(`n${at}`);
    if (at % 50_000 === 0) await playground.flush().catch(() => {});
  }
  assert.ok(refused > 0);
  let asked = 0;
  store.keepPlaygroundCalls = async (rows, namesMax) => { asked += rows.length; assert.equal(namesMax, LIMITS.playgroundNetworksMax); };
  await playground.flush();
  assert.equal(asked, LIMITS.playgroundNetworksMax);
  store.keepPlaygroundCalls = keepPlaygroundCalls;
});
