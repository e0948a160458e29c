import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import type { Query } from '../../src/model/query.ts';
import type { Position } from '../../src/plan/plan.ts';
import type { BatchReply, ScanBatch, ScanReply, ScanRequest } from '../../src/pool/protocol.ts';
import type { ScanPool } from '../../src/pool/scan_pool.ts';
import { scanMemory, type MemoryLane } from '../support/memory_lanes.ts';
import { SEED } from '../support/seed.ts';
import { bodyOf, laneOf, pageOf, said, Texts } from './page_texts.ts';

const SMALL = [laneOf('crm.0', 4), laneOf('crm.1', 0), laneOf('crm.2', 9), laneOf('web.0', 5, 'web')];
const PARTS = SMALL.map((lane) => ({ ...lane, large: true }));
const IDS = PARTS.flatMap(({ rows }) => rows.map(({ id }) => id));

describe('a page of several parts as text', () => {
  it('is the page that its rows make, and so is each that follows, to the last', async () => {
    const sizes = fc.array(fc.nat(12), { minLength: 2, maxLength: 5 });
    const forms = fc.constantFrom('json', 'msgpack', 'csv');
    await fc.assert(fc.asyncProperty(sizes, fc.integer({ min: 1, max: 30 }), fc.constantFrom(1, 3, 50), fc.boolean(), forms, async (rows, limit, sliceRows, cut, form) => {
      const lanes = rows.map((length, at) => ({ ...laneOf(`crm.${at}`, length, at === rows.length - 1 ? 'web' : 'crm'), large: length % 3 === 0 }));
      await walk(lanes, { limit, fields: cut ? ['id', 'phone'] : null }, sliceRows, form);
    }), { numRuns: 300, seed: SEED });
  });

  it('asks one part alone for rows, and the others for their number, where that one has enough; else each for no more than it has', async () => {
    for (const [limit, asked] of [[3, [3, 0, 0, 0]], [12, [12, 0, 0, 0, 8]], [30, [30, 0, 0, 0, 9, 5]]] as const) {
      const rows: number[] = [];
      const scan = scanMemory(PARTS, 50);
      await pageOf({ texts: new Texts(50, 0, PARTS), lanes: PARTS, change: { limit }, act: async (batch) => {
        rows.push(...batch.scans.map(({ rowsMax }) => rowsMax));
        return scan(batch);
      } });
      assert.deepEqual(rows, asked);
    }
  });

  it('has small parts counted by the scan of the first, and each by its own where that does not tell them', async () => {
    const parts = [...SMALL.slice(0, 2), { ...SMALL[2]!, large: true }, SMALL[3]!];
    for (const [limit, isTold, asked] of [[3, true, [3, 0]], [12, true, [12, 0, 8]], [30, true, [30, 0, 9, 5]], [3, false, [3, 0, 0, 0]]] as const) {
      const rows: number[] = [];
      const beside: string[] = [];
      const scan = scanMemory(parts, 50);
      const page = await pageOf({ texts: new Texts(50, 0, parts), lanes: parts, change: { limit }, act: async (batch) => {
        rows.push(...batch.scans.map(({ rowsMax }) => rowsMax));
        beside.push(...batch.scans.flatMap((one) => one.beside));
        const { replies, ...rest } = scan(batch);
        const countsOf = ({ beside: asked }: ScanRequest): number[] => asked.map((segment) => parts.find((part) => part.segment === segment)!.rows.length);
        return { ...rest, replies: replies.map((reply, at) => ({ ...reply, beside: isTold && batch.scans[at]!.beside.length > 0 ? countsOf(batch.scans[at]!) : null })) };
      } });
      assert.deepEqual([rows, beside, page.total, page.relation, page.next === null], [asked, ['crm.1', 'web.0'], 18, 'eq', limit === 30]);
      assert.deepEqual(page.outcomes.map(({ source, status, matched }) => [source, status, matched]), [['crm', 'complete', 13], ['web', 'complete', 5]]);
    }
  });

  it('in another form than JSON goes on from rows that came in a table, counts nothing twice, and begins anew only where some came as text', async () => {
    const scan = scanMemory(PARTS, 50);
    const change = { limit: 12 };
    const whole = await pageOf({ texts: new Texts(50, 0, PARTS), lanes: PARTS, change, form: 'rows' });
    for (const [inTable, scans, counts] of [['crm.0', 6, 4], ['crm.2', 9, 8]] as const) {
      const texts = new Texts(50, 4_096, PARTS);
      let counted = 0;
      const page = await pageOf({ texts, lanes: PARTS, change, form: 'msgpack', act: async (batch) => {
        counted += batch.scans.filter(({ count }) => count).length;
        const replies = batch.scans.map((one): ScanReply => {
          const [reply] = texts.answer({ ...batch, scans: [one] }).replies;
          if (one.segment !== inTable || !reply!.ok || reply.text === null) return reply!;
          reply.text.release();
          return scan({ ...batch, scans: [one] }).replies[0]!;
        });
        return { thread: 1, epoch: batch.epoch, replies };
      } });
      assert.deepEqual([page.texts, texts.held, texts.asked.length, counted], [null, 0, scans, counts], inTable);
      assert.deepEqual(said(page), said(whole));
      assert.equal(await bodyOf(page, null, 'msgpack'), await bodyOf(whole, null, 'msgpack'));
    }
  });

  it('in another form than JSON, where nobody counts, goes on from rows that came in a table before any other part was asked', async () => {
    const lanes = PARTS.slice(0, 3);
    const scan = scanMemory(lanes, 50);
    for (const limit of [3, 4, 5, 30]) {
      const change = { limit, count: 'none' } as const;
      const texts = new Texts(50, 4_096, lanes);
      const page = await pageOf({ texts, lanes, change, form: 'csv', act: async (batch) => {
        const inTable = batch.scans.some(({ segment }) => segment === 'crm.0');
        return inTable ? scan(batch) : texts.answer(batch);
      } });
      const whole = await pageOf({ texts: new Texts(50, 0, lanes), lanes, change, form: 'rows' });
      assert.deepEqual([page.texts, texts.held], [null, 0]);
      assert.deepEqual(said(page), said(whole));
      assert.equal(await bodyOf(page, null, 'csv'), await bodyOf(whole, null, 'csv'));
    }
  });

  it('asks the parts of one source in turn where nobody counts, and for a row behind the page only where it ends with one of them', async () => {
    const lanes = [laneOf('crm.0', 4), laneOf('crm.1', 0), laneOf('crm.2', 9), laneOf('crm.3', 0)];
    const change = (limit: number): Partial<Query> => ({ limit, count: 'none' });
    for (const [limit, asked] of [[3, [3]], [4, [4, 1, 1]], [12, [12, 8, 8]], [13, [13, 9, 9, 1]], [30, [30, 26, 26, 17]]] as const) {
      const rows: number[] = [];
      const texts = new Texts(50, 0, lanes);
      const page = await pageOf({ texts, lanes, change: change(limit), act: async (batch) => {
        rows.push(...batch.scans.map(({ rowsMax, count }) => (count ? -1 : rowsMax)));
        return texts.answer(batch);
      } });
      assert.deepEqual([rows, texts.held], [asked, page.texts?.length], `${limit}`);
      const whole = await pageOf({ texts: new Texts(50, 0, lanes), lanes, change: change(limit), form: 'rows' });
      assert.deepEqual({ ...said(page) as object, next: null }, { ...said(whole) as object, next: null });
      assert.deepEqual([page.next === null, await bodyOf(page)], [limit >= 13, await bodyOf(whole)]);
    }
  });

  it('where nobody counts gives every row once, in as many pages as they need', async () => {
    const sizes = fc.array(fc.nat(12), { minLength: 2, maxLength: 6 });
    await fc.assert(fc.asyncProperty(sizes, fc.integer({ min: 1, max: 30 }), fc.constantFrom(1, 3, 50), fc.constantFrom('json', 'csv'), async (rows, limit, sliceRows, form) => {
      await walk(rows.map((length, at) => laneOf(`crm.${at}`, length)), { limit, count: 'none' }, sliceRows, form);
    }), { numRuns: 300, seed: SEED });
  });

  it('is made of rows where nobody counts several sources, or facets alone: all parts tell at once whether they have any', async () => {
    for (const [lanes, facets] of [[PARTS, []], [PARTS.slice(0, 3), ['country']]] as const) {
      const page = await pageOf({ texts: new Texts(50, 0, lanes), lanes, change: { limit: 3, count: 'none', facets } });
      assert.deepEqual([page.texts, page.returned, page.next === null], [null, 3, false]);
    }
  });

  it('where nobody counts tells that a part is lost that was asked, and goes on with the others', async () => {
    const lanes = PARTS.slice(0, 3);
    const texts = new Texts(50, 4_096, lanes);
    const page = await pageOf({ texts, lanes, change: { limit: 7, count: 'none' }, act: async (batch) => {
      const reply = texts.answer(batch);
      return { ...reply, replies: reply.replies.map((one, at): ScanReply => (batch.scans[at]!.segment === 'crm.1' ? { ok: false, code: 'scan_crashed', detail: 'gone' } : one)) };
    } });
    assert.deepEqual([page.outcomes.map(({ source, status, returned }) => [source, status, returned]), page.next === null, page.texts?.length], [[['crm', 'partial', 7]], false, 2]);
  });

  it('leaves out what is suppressed meanwhile, and is searched no second time', async () => {
    const suppressed = new Set(['crm:1', 'web:2', 'crm:7']);
    const texts = new Texts(50, 4_096, PARTS);
    const page = await pageOf({ texts, lanes: PARTS, suppressed, change: { limit: 17 }, act: mountedAfter(texts, 5) });
    const given = JSON.parse(await bodyOf(page)) as { readonly results: readonly { readonly id: string }[] };
    assert.deepEqual(given.results.map(({ id }) => id), IDS.slice(0, 17).filter((id) => !suppressed.has(id)));
    assert.deepEqual([page.returned, page.partial, texts.held, texts.asked.length], [given.results.length, false, 0, 6]);
    assert.equal(page.outcomes.reduce((sum, { returned }) => sum + returned, 0), page.returned);
  });

  it('of some fields is made of whole rows where something was suppressed meanwhile, or one has rotted, and holds nothing', async () => {
    const change = { limit: 17, fields: ['id', 'phone'] };
    const texts = new Texts(50, 4_096, PARTS);
    const late = await pageOf({ texts, lanes: PARTS, change, act: mountedAfter(texts, 5) });
    assert.deepEqual([late.texts, late.returned, texts.held], [null, 17, 0]);
    const scan = scanMemory(PARTS, 50);
    const rotten = await pageOf({ texts, lanes: PARTS, change, act: async (batch) => {
      // The text of the first part comes, the rows of another are cut down here and one of them cannot be.
      const replies = batch.scans.map((one): ScanReply => (one.segment === 'crm.0' ? texts.answer({ ...batch, scans: [one] }) : scan({ ...batch, scans: [one] })).replies[0]!);
      for (const one of replies) if (one.ok && one.rows === 9) one.bytes![one.bytes!.indexOf(0x2c)] = 0x78;
      return { thread: 1, epoch: batch.epoch, replies };
    } });
    assert.deepEqual([rotten.texts, rotten.returned, texts.held], [null, 17, 0]);
  });

  it('ends behind the part with which its answer is full, with a cursor for the rest', async () => {
    const texts = new Texts(50, 4_096, PARTS);
    const page = await pageOf({ texts, lanes: PARTS, change: { limit: 18 }, act: async (batch) => {
      const reply = texts.answer(batch);
      const long = (one: ScanReply): ScanReply => (!one.ok || one.text === null ? one : { ...one, text: { ...one.text, end: one.text.start + LIMITS.answerBytesMax } });
      return { ...reply, replies: reply.replies.map(long) };
    } });
    assert.deepEqual([page.returned, page.partial, page.total, page.relation, page.next === null], [4, false, 18, 'eq', false]);
  });

  it('tells which source is missing where a part is lost, and goes on with the others', async () => {
    const texts = new Texts(50, 4_096, PARTS);
    const page = await pageOf({ texts, lanes: PARTS, change: { limit: 17 }, act: async (batch) => {
      const reply = texts.answer(batch);
      return { ...reply, replies: reply.replies.map((one, at): ScanReply => (batch.scans[at]!.segment === 'crm.2' ? { ok: false, code: 'scan_crashed', detail: 'gone' } : one)) };
    } });
    const { results } = JSON.parse(await bodyOf(page)) as { readonly results: readonly { readonly id: string }[] };
    assert.deepEqual(results.map(({ id }) => id), [...IDS.slice(0, 4), ...IDS.slice(13)]);
    assert.deepEqual([page.outcomes.map(({ source, status, returned }) => [source, status, returned]), page.next === null, texts.held], [[['crm', 'partial', 4], ['web', 'complete', 5]], false, 0]);
  });
});

/** Page by page as text, each beside the page that its rows make, until nothing is left: in as many pages as all rows need. */
async function walk(lanes: readonly MemoryLane[], change: Partial<Query> & Pick<Query, 'limit'>, sliceRows: number, form: 'json' | 'msgpack' | 'csv'): Promise<void> {
  const fields = change.fields ?? null;
  let [from, pages] = [null as Position | null, 0];
  do {
    const texts = new Texts(sliceRows, 4_096, lanes);
    const page = await pageOf({ texts, change, lanes, from, form });
    const whole = await pageOf({ texts: new Texts(50, 0, lanes), change, lanes, from, form: 'rows' });
    assert.ok(page.texts !== null && page.rows.length === 0 && texts.held === page.texts.length);
    assert.deepEqual({ ...said(page) as object, next: null }, { ...said(whole) as object, next: null });
    assert.equal(page.next === null, whole.next === null);
    assert.deepEqual([...places(page.next, lanes)].sort(), [...places(whole.next, lanes)].sort());
    assert.equal(await bodyOf(page, fields, form), await bodyOf(whole, fields, form));
    assert.equal(texts.held, 0);
    from = page.next;
    pages += 1;
  } while (from !== null);
  assert.equal(pages, Math.max(1, Math.ceil(lanes.reduce((sum, { rows }) => sum + rows.length, 0) / change.limit)));
}

/** Something is suppressed once so many scans were answered. */
function mountedAfter(texts: Texts, scans: number): (batch: ScanBatch, pool: ScanPool) => Promise<BatchReply> {
  return async (batch, pool) => {
    const reply = texts.answer(batch);
    if (texts.asked.length >= scans) pool.mount([]);
    return reply;
  };
}

/** Where each part stands: one that has no row left is done, wherever its scan stood. */
function places(next: Position | null, lanes: readonly { readonly segment: string; readonly rows: readonly unknown[] }[]): string[] {
  return (next?.lanes ?? []).map(({ segment, after, done }) => {
    const { rows } = lanes.find((lane) => lane.segment === segment)!;
    return done || rows.length === 0 ? `${segment} done` : `${segment} ${after}`;
  });
}
