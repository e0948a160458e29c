import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { hasBit } from '../../../src/lib/bits.ts';
import type { Dataset } from '../../../src/model/dataset.ts';
import type { Row } from '../../../src/model/field.ts';
import { Suppressions, type SharedSuppressions } from '../../../src/model/suppression/suppressions.ts';
import { domainTerms, emailTerms, linkedinTerms, sha256Terms, type SuppressionTerm } from '../../../src/model/suppression/term.ts';
import type { SuppressionStore } from '../../../src/store/suppression_store.ts';
import { Keeper } from '../../../src/worker/suppression/keeper.ts';
import { freshStore } from '../../accounts/setting.ts';
import { fullRow, inFolder, inOrder, load, shared, write } from '../../segment/support.ts';

const ROWS = 3_000;

/** Few addresses and domains, so that some have one row and some have many. */
function rowsOf(dataset: Dataset): Row[] {
  return Array.from({ length: ROWS }, (_, at) => {
    const email = at % 3 === 0 ? null : `p${at % 700}@${at % 5 === 0 ? 'mail.' : ''}d${at % 40}.com`;
    const linkedin_url = at % 2 === 0 ? null : `https://www.linkedin.com/in/p${at % 900}`;
    const own: Row = dataset === 'contacts' ? { company_domain: `c${at % 30}.com` } : { domain: at % 4 === 0 ? null : `c${at % 30}.com` };
    return fullRow(dataset, { id: `test:${at}`, country: ['DE', 'US', null][at % 3]!, email, linkedin_url, ...own });
  });
}

async function segment(dataset: Dataset) {
  const ranked = inOrder(dataset, rowsOf(dataset));
  const buffers = await inFolder(async (folder) => load(await write(folder, dataset, ranked)));
  return { buffers, rows: ranked.map(({ row }) => row) };
}

function deadIn(dead: SharedArrayBuffer | null, rows: readonly Row[]): unknown[] {
  return dead === null ? [] : rows.filter((_, at) => hasBit(new Int32Array(dead), at)).map(({ id }) => id);
}

function suppressedIn(shared: SharedSuppressions, rows: readonly Row[]): unknown[] {
  const suppressions = new Suppressions(shared);
  return rows.filter((row) => suppressions.isSuppressed(row)).map(({ id }) => id);
}

/** A keeper over a store, and what it last told. */
async function keeperOf(t: TestContext, store?: SuppressionStore) {
  const inner = store ?? await freshStore(t);
  const seen = { shared: null as SharedSuppressions | null, dead: new Map<number, SharedArrayBuffer | null>(), told: 0 };
  const keeper = new Keeper(inner, ({ shared, dead }) => {
    seen.shared = shared;
    seen.told += 1;
    for (const one of dead) seen.dead.set(one.number, one.dead);
  });
  await keeper.open();
  return { keeper, seen, store: inner };
}

const TERMS: SuppressionTerm[] = [emailTerms('P17@d17.com'), domainTerms('d8.com'), domainTerms('c3.com'), linkedinTerms('linkedin.com/in/p5'), emailTerms('nobody@d1.com')].flatMap((terms) => terms!);

for (const dataset of ['contacts', 'companies'] as const) {
  test(`of ${dataset} those rows are dead that are suppressed, before they are served, after each change and after each removal`, async (t) => {
    const { keeper, seen, store } = await keeperOf(t);
    const { buffers, rows } = await segment(dataset);
    await store.addSuppressions(TERMS.slice(0, 2), 1);
    await keeper.follow();
    seen.dead.set(1, await keeper.examine(1, buffers));
    assert.ok(deadIn(seen.dead.get(1)!, rows).length > 10);
    for (const term of TERMS) {
      await keeper.ask({ verb: 'add', terms: [term], nowMs: 1 });
      assert.deepEqual(deadIn(seen.dead.get(1)!, rows), suppressedIn(seen.shared!, rows));
    }
    const all = deadIn(seen.dead.get(1)!, rows).length;
    for (const term of TERMS.slice(0, 4)) {
      await keeper.ask({ verb: 'remove', terms: [term] });
      assert.deepEqual(deadIn(seen.dead.get(1)!, rows), suppressedIn(seen.shared!, rows));
    }
    assert.ok(all > 100);
    assert.deepEqual(deadIn(seen.dead.get(1)!, rows), []);
  });
}

test('a row is dead by the hash of its address with the domain in letters, now and when it is examined later', async (t) => {
  const { keeper, seen } = await keeperOf(t);
  const ranked = inOrder('contacts', Array.from({ length: ROWS }, (_, at) => fullRow('contacts', { id: `test:${at}`, email: `p${at}@${at % 100 === 0 ? 'mail.xn--bcher-kva.de' : 'exn.com'}` })));
  const buffers = await inFolder(async (folder) => load(await write(folder, 'contacts', ranked)));
  const rows = ranked.map(({ row }) => row);
  const hashed = sha256Terms(createHash('sha256').update('p700@mail.bücher.de').digest('hex'))!;
  await keeper.examine(1, buffers);
  await keeper.ask({ verb: 'add', terms: hashed, nowMs: 1 });
  assert.deepEqual(deadIn(seen.dead.get(1)!, rows), ['test:700']);
  assert.deepEqual(deadIn(await keeper.examine(2, buffers), rows), ['test:700']);
  await keeper.ask({ verb: 'remove', terms: hashed });
  assert.deepEqual(deadIn(seen.dead.get(1)!, rows), []);
});

test('whoever opens later finds what stands', async (t) => {
  const { keeper, store } = await keeperOf(t);
  const { buffers, rows } = await segment('contacts');
  await keeper.ask({ verb: 'add', terms: TERMS, nowMs: 1 });
  await keeper.ask({ verb: 'remove', terms: TERMS.slice(2, 3) });
  const later = await keeperOf(t, store);
  assert.deepEqual(deadIn(await later.keeper.examine(1, buffers), rows), deadIn(await keeper.examine(1, buffers), rows));
  assert.deepEqual(deadIn(await later.keeper.examine(2, buffers), rows), suppressedIn(later.seen.shared!, rows));
});

test('what changes while a segment is examined is not missed, whether it is added or removed', async (t) => {
  const { keeper, seen, store } = await keeperOf(t);
  const { buffers, rows } = await segment('contacts');
  await store.addSuppressions(TERMS.slice(0, 2), 1);
  await keeper.follow();
  const examining = keeper.examine(1, buffers);
  await Promise.all([keeper.ask({ verb: 'add', terms: TERMS.slice(2), nowMs: 1 }), keeper.ask({ verb: 'remove', terms: TERMS.slice(0, 1) })]);
  const dead = await examining;
  assert.deepEqual(deadIn(seen.dead.get(1) ?? dead, rows), suppressedIn(seen.shared!, rows));
});

test('a change that touches no row, and one that says nothing new, leave the segments as they are', async (t) => {
  const { keeper, seen } = await keeperOf(t);
  const { buffers } = await segment('contacts');
  await keeper.ask({ verb: 'add', terms: TERMS, nowMs: 1 });
  await keeper.examine(1, buffers);
  const { told } = seen;
  await keeper.ask({ verb: 'add', terms: TERMS, nowMs: 1 });
  assert.equal(seen.told, told);
  await keeper.ask({ verb: 'add', terms: emailTerms('stranger@example.com')!, nowMs: 1 });
  assert.equal(seen.told, told + 1);
  assert.equal(seen.dead.size, 0);
});

test('a segment that is forgotten while it is examined is not followed', async (t) => {
  const { keeper, seen } = await keeperOf(t);
  const { buffers } = await segment('contacts');
  await keeper.ask({ verb: 'add', terms: TERMS.slice(0, 2), nowMs: 1 });
  const examining = keeper.examine(1, buffers);
  keeper.forget(1);
  await assert.rejects(examining, /forgotten/);
  await keeper.ask({ verb: 'add', terms: TERMS.slice(2), nowMs: 1 });
  assert.equal(seen.dead.size, 0);
});

test('a row that cannot be read while it is suppressed does not leave once it can', async (t) => {
  const { keeper, seen } = await keeperOf(t);
  const ranked = inOrder('contacts', rowsOf('contacts'));
  await inFolder(async (folder) => {
    const { index, rows: file } = await write(folder, 'contacts', ranked);
    const bytes = readFileSync(file);
    await keeper.examine(1, { index: shared(readFileSync(index)), rows: { file, bytes: bytes.length, mapped: false } });
    writeFileSync(file, '');
    await keeper.ask({ verb: 'add', terms: TERMS, nowMs: 1 }).catch(() => {});
    writeFileSync(file, bytes);
    await keeper.ask({ verb: 'add', terms: TERMS, nowMs: 1 });
    const rows = ranked.map(({ row }) => row);
    assert.deepEqual(deadIn(seen.dead.get(1) ?? null, rows), suppressedIn(seen.shared!, rows));
  });
});

test('nor does one that is suppressed by the hash of its address with the domain in letters', async (t) => {
  const { keeper, seen } = await keeperOf(t);
  const ranked = inOrder('contacts', ['jo@xn--bcher-kva.de', 'jo@example.com'].map((email, at) => fullRow('contacts', { id: `test:${at}`, email })));
  await inFolder(async (folder) => {
    const { index, rows: file } = await write(folder, 'contacts', ranked);
    const bytes = readFileSync(file);
    await keeper.examine(1, { index: shared(readFileSync(index)), rows: { file, bytes: bytes.length, mapped: false } });
    writeFileSync(file, '');
    await keeper.ask({ verb: 'add', terms: sha256Terms(createHash('sha256').update('jo@bücher.de').digest('hex'))!, nowMs: 1 });
    writeFileSync(file, bytes);
    assert.deepEqual(deadIn(seen.dead.get(1) ?? null, ranked.map(({ row }) => row)), ['test:0']);
  });
});
