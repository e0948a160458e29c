import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { seeded } from '../../bench/support/figures.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { separateRows } from '../../src/federation/page_text.ts';
import { releasePage } from '../../src/find/find.ts';
import type { BatchReply, ScanBatch, ScanReply } from '../../src/pool/protocol.ts';
import type { ScanPool } from '../../src/pool/scan_pool.ts';
import { VirtualTime } from '../simulation/virtual_time.ts';
import { scanMemory } from '../support/memory_lanes.ts';
import { bodyOf, LANE, LANES, laneOf, pageOf, said, Texts } from './page_texts.ts';

const FORMS = ['json', 'msgpack', 'csv'] as const;

describe('a page of one lake as text', () => {
  it('is the page that its rows make, byte for byte, in one slice or many, with room around it or without', async () => {
    for (const [sliceRows, room, limit] of [[50, 4_096, 7], [50, 4_096, 50], [50, 0, 11], [3, 4_096, 7], [3, 4_096, 50], [1, 0, 10]] as const) {
      const rows = await pageOf({ texts: new Texts(50, room), change: { limit }, form: 'rows' });
      for (const form of FORMS) {
        for (const fields of [null, ['id', 'phone']]) {
          const texts = new Texts(sliceRows, room);
          const page = await pageOf({ texts, change: { limit, fields }, form });
          assert.ok(page.texts !== null && page.rows.length === 0 && texts.held === page.texts.length);
          assert.deepEqual(said(page), said(rows));
          assert.equal(await bodyOf(page, fields, form), await bodyOf(rows, fields, form));
          assert.equal(texts.held, 0, 'all of it is released');
        }
      }
    }
  });

  it('of some fields is the page that its rows make, whether the thread cut them down or gave them whole in a table', async () => {
    const change = { limit: 7, fields: ['id', 'phone'] };
    const rows = await pageOf({ texts: new Texts(50, 0), change, form: 'rows' });
    const scan = scanMemory(LANES, 3);
    for (const act of [undefined, (batch: ScanBatch) => Promise.resolve(scan(batch))]) {
      const texts = new Texts(3, 4_096);
      const page = await pageOf({ texts, change, ...(act === undefined ? {} : { act }) });
      assert.ok(page.texts !== null && page.texts.length === 3);
      assert.deepEqual(said(page), said(rows));
      assert.equal(await bodyOf(page), await bodyOf(rows, change.fields));
      assert.equal(texts.held, 0);
    }
  });

  it('of some fields is made of whole rows where these must be looked into: something was suppressed meanwhile, or one of them has rotted', async () => {
    const change = { limit: 7, fields: ['id', 'phone'] };
    const texts = new Texts(3, 4_096);
    const late = await pageOf({ texts, change, act: async (batch, pool) => {
      const reply = texts.answer(batch);
      if (texts.asked.length === 2) pool.mount([]);
      return reply;
    } });
    assert.deepEqual([late.texts, late.returned, texts.held], [null, 7, 0]);
    assert.deepEqual(texts.asked, [true, true, true, false, false, false], 'anew, and as rows');

    const scan = scanMemory(LANES, 3);
    const rotten = await pageOf({ texts, change, act: async (batch) => {
      const reply = scan(batch);
      for (const one of reply.replies) if (one.ok) one.bytes![one.bytes!.indexOf(0x2c)] = 0x78;
      return reply;
    } });
    assert.deepEqual([rotten.texts, rotten.returned], [null, 7]);
    assert.equal((await rotten.whole!()).returned, 4, 'one of each slice has rotted');
  });

  it('ends behind the slice with which its answer is full, whole and with a cursor for the rest', async () => {
    const texts = new Texts(2, 4_096);
    const long = (reply: ScanReply): ScanReply => (!reply.ok || reply.text === null ? reply : { ...reply, text: { ...reply.text, end: reply.text.start + LIMITS.answerBytesMax / 2 } });
    const page = await pageOf({ texts, change: { limit: 9 }, act: (batch) => {
      const reply = texts.answer(batch);
      return Promise.resolve({ ...reply, replies: reply.replies.map(long) });
    } });
    assert.deepEqual([page.returned, page.partial, page.errors, page.total, page.relation], [4, false, [], LANE.rows.length, 'eq']);
    assert.notEqual(page.next, null);
    releasePage(page);
    assert.equal(texts.held, 0);
  });

  it('is not asked for where rows may meet those of another source, are more than go through a ring, or are to be put together', async () => {
    for (const asked of [{ lanes: [LANE, laneOf('web.0', 11, 'web')], dedupe: true }, { change: { limit: LIMITS.trayRowsMax + 1 } }, { form: 'rows' as const }]) {
      const texts = new Texts(50, 4_096, asked.lanes);
      const page = await pageOf({ texts, ...asked });
      assert.ok(page.texts === null && texts.asked.length > 0 && !texts.asked.includes(true));
    }
  });

  it('is made of rows that come in a table, where the thread has no place', async () => {
    const texts = new Texts(4, 4_096);
    const scan = scanMemory(LANES, 4);
    const page = await pageOf({ texts, change: { limit: 9 }, act: (batch) => Promise.resolve(scan(batch)) });
    assert.ok(page.texts !== null && page.texts.length === 3);
    assert.equal(await bodyOf(page), await bodyOf(await pageOf({ texts, change: { limit: 9 }, form: 'rows' })));
  });

  it('in another form than JSON goes on from the rows that came in a table, and asks for none of them again', async () => {
    const scan = scanMemory(LANES, 4);
    const change = { limit: 9 };
    const whole = await pageOf({ texts: new Texts(4, 0), change, form: 'rows' });
    for (const form of ['msgpack', 'csv'] as const) {
      for (const [madeAt, asked] of [[[], [true, false, false]], [[0], [true, true, false, false, false]]] as const) {
        const texts = new Texts(4, 4_096);
        const page = await pageOf({ texts, change, form, act: async (batch) => {
          const isMade = (madeAt as readonly number[]).includes(texts.asked.length);
          const reply = texts.answer(batch);
          if (isMade) return reply;
          for (const one of reply.replies) if (one.ok) one.text?.release();
          return scan(batch);
        } });
        assert.deepEqual([page.texts, texts.asked, texts.held], [null, asked, 0], 'but where others came as text before');
        assert.deepEqual(said(page), said(whole));
        assert.equal(await bodyOf(page, null, form), await bodyOf(whole, null, form));
      }
    }
  });

  it('in another form than JSON is made anew, of rows, where something was suppressed meanwhile', async () => {
    const suppressed = new Set(LANE.rows.slice(3, 6).map(({ id }) => id));
    const scan = scanMemory(LANES, 50);
    for (const isMade of [true, false]) {
      const texts = new Texts(50, 4_096);
      const page = await pageOf({ texts, suppressed, change: { limit: 9 }, form: 'csv', act: async (batch, pool) => {
        const reply = texts.answer(batch);
        if (texts.asked.length === 1) pool.mount([]);
        if (isMade || texts.asked.length > 1) return reply;
        for (const one of reply.replies) if (one.ok) one.text!.release();
        return scan(batch);
      } });
      assert.deepEqual([page.texts, page.returned, texts.asked, texts.held], [null, 9, [true, false], 0]);
    }
  });

  it('is looked at row by row when something is suppressed meanwhile, and searched no second time: there may be no time for it', async () => {
    const suppressed = new Set(['crm:4', 'crm:6', ...LANE.rows.slice(3, 6).map(({ id }) => id)]);
    for (const [mountAt, limit] of [[1, 7], [2, 7], [3, 7], [4, 11]] as const) {
      const texts = new Texts(3, 4_096);
      const act = async (batch: ScanBatch, pool: ScanPool): Promise<BatchReply> => {
        const reply = texts.answer(batch);
        if (texts.asked.length === mountAt) pool.mount([]);
        return reply;
      };
      const page = await pageOf({ texts, suppressed, change: { limit }, act });
      assert.ok(page.texts !== null, 'as text, which is written at once: a page of rows that was not would end behind one, and nobody knows where that stands');
      assert.deepEqual([page.rows, page.partial, texts.held], [[], false, 0]);
      assert.equal(texts.asked.length, Math.ceil(limit / 3));
      const given = JSON.parse(await bodyOf(page)) as { readonly results: readonly { readonly id: string }[] };
      assert.deepEqual(given.results.map(({ id }) => id), LANE.rows.slice(0, limit).map(({ id }) => id).filter((id) => !suppressed.has(id)));
      assert.equal(page.returned, given.results.length);
      assert.deepEqual(page.outcomes.map(({ status, returned }) => [status, returned]), [['complete', page.returned]]);
    }
  });

  it('gives none of a slice in which a row has rotted when something is suppressed meanwhile, and tells of it', async () => {
    for (const [letter, reason] of [['"', 'the scan failed'], [',', '1 row could not be used']] as const) {
      const texts = new Texts(3, 4_096);
      const act = async (batch: ScanBatch, pool: ScanPool): Promise<BatchReply> => {
        const reply = texts.answer(batch);
        const [one] = reply.replies;
        if (texts.asked.length === 2 && one!.ok) one.text!.bytes.write('x', one.text!.bytes.indexOf(letter, one.text!.start));
        pool.mount([]);
        return reply;
      };
      const page = await pageOf({ texts, change: { limit: 9 }, act });
      const given = JSON.parse(await bodyOf(page)) as { readonly results: readonly { readonly id: string }[] };
      const lost = letter === ',' ? 1 : 3;
      assert.deepEqual(given.results.map(({ id }) => id), LANE.rows.slice(0, 9).toSpliced(3, lost).map(({ id }) => id));
      assert.deepEqual([page.outcomes.map((one) => [one.status, one.reason, one.returned]), texts.held], [[['partial', reason, 9 - lost]], 0]);
    }
  });

  it('holds nothing when what comes behind it throws', async () => {
    const texts = new Texts(3, 4_096);
    const act = async (batch: ScanBatch): Promise<BatchReply> => {
      const reply = texts.answer(batch);
      if (texts.asked.length === 1) return reply;
      return { ...reply, replies: reply.replies.map((one) => (one.ok ? { ...one, text: null, bytes: null } : one)) };
    };
    await assert.rejects(pageOf({ texts, change: { limit: 5 }, act }), /rows are not in memory/);
    assert.equal(texts.held, 1, 'the one that the test took away');
  });

  it('is separated into its rows, whatever stands in them', () => {
    fc.assert(fc.property(fc.array(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.constantFrom('"', '\\', '},{', '\\"}'), fc.jsonValue())), { minLength: 1, maxLength: 5 }), (rows) => {
      const own = rows.map((row) => JSON.stringify(row));
      const bytes = Buffer.from(`##${own.join(',')}##`);
      const { start, end, bytes: apart, markAt } = separateRows({ text: { bytes, start: 2, end: bytes.length - 2, release: () => {} }, rows: rows.length, mark: 9 })!;
      assert.deepEqual(own.map((_, row) => Buffer.from(apart).toString('utf8', start[row], end[row])), own);
      assert.equal(markAt(rows.length - 1), 9);
    }));
  });

  it('that comes after its call has given up is released', async () => {
    const texts = new Texts(50, 4_096);
    await VirtualTime.during(seeded(1), async (time) => {
      const page = await pageOf({ texts, inMs: 80, act: async (batch) => {
        await time.pause(150);
        return texts.answer(batch);
      } });
      assert.deepEqual([page.returned, page.partial, texts.asked], [0, true, []]);
      await time.pause(250);
      assert.deepEqual([texts.asked, texts.held], [[true], 0]);
    });
  });
});
