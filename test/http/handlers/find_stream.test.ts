import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seeded } from '../../../bench/support/figures.ts';
import type { Permit } from '../../../src/accounts/permit.ts';
import type { Accounts } from '../../../src/accounts/open.ts';
import { LIMITS } from '../../../src/config/limits.ts';
import { rowLayout, RowShape } from '../../../src/encode/rows.ts';
import type { Find, FoundStream } from '../../../src/find/find.ts';
import type { StreamOutlet } from '../../../src/find/late_outlet.ts';
import { chunkOfCompact } from '../../../src/federation/compact_chunk.ts';
import { chunkOfRun } from '../../../src/federation/run.ts';
import { Call } from '../../../src/http/call.ts';
import { makeCors } from '../../../src/http/cors.ts';
import { problemAnswer } from '../../../src/http/problem.ts';
import { streamFind } from '../../../src/http/handlers/find_stream.ts';
import type { Chunk } from '../../../src/model/chunk.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { VirtualTime } from '../../simulation/virtual_time.ts';
import { KeptExchange } from '../../support/exchanges.ts';
import { queryOf } from '../../support/memory_lanes.ts';
import { storedText } from '../../support/stored_row.ts';
import { storeRows } from '../../support/stored_rows.ts';
import { turnsMeanwhile } from '../../support/turns_meanwhile.ts';

const WORDS = vocabulary('contacts');
const SHAPE = new RowShape(rowLayout(WORDS), null);
const ENDED: FoundStream = {
  end: { outcomes: [], warnings: [], errors: [], partial: false, total: 0, relation: 'eq', next: null, facets: null, returned: 0 },
  nextCursor: null, planMs: 0, streamMs: 0,
};

function callOver(exchange: KeptExchange): Call {
  return new Call(exchange, 'id-1', new Map(), problemAnswer, {} as Accounts, makeCors([]));
}

/** Keeps how many bytes each piece had, and takes as long for it as the test says. */
class PacedExchange extends KeptExchange {
  readonly pieces: (number | string)[] = [];
  pause: (bytes: number) => Promise<void> = () => Promise.resolve();

  override async write(bytes: Uint8Array): Promise<void> {
    const { length } = bytes;
    this.pieces.push(length);
    await super.write(bytes);
    await this.pause(length);
  }
}

/** A search that goes as the test says. */
function finding(act: (outlet: StreamOutlet, onGone: (listener: () => void) => void) => Promise<void>): Find {
  return {
    stream: async (_: unknown, __: number, caller: { onGone(listener: () => void): void }, begin: () => StreamOutlet) => {
      await act(begin(), (listener) => caller.onGone(listener));
      return ENDED;
    },
  } as unknown as Find;
}

describe('a stream of lines', () => {
  it('sends a heartbeat after five seconds of silence, and never amid another write', async () => {
    const exchange = new KeptExchange();
    await VirtualTime.during(seeded(1), (time) => streamFind(callOver(exchange), finding(async (outlet) => {
      await time.pause(7_600);
      await outlet.cursor('abc');
    }), queryOf({}), SHAPE));
    assert.deepEqual(exchange.lines.slice(0, 2), ['{"@heartbeat":{}}', '{"@cursor":"abc"}']);
    assert.match(exchange.lines.at(-1)!, /^\{"@end":/);
    assert.ok(exchange.ended);
  });

  it('counts the five seconds from its latest line', async () => {
    const exchange = new KeptExchange();
    await VirtualTime.during(seeded(1), (time) => streamFind(callOver(exchange), finding(async (outlet) => {
      await time.pause(700);
      await outlet.cursor('before');
      await time.pause(5_150);
      await outlet.cursor('behind');
    }), queryOf({}), SHAPE));
    assert.deepEqual(exchange.lines.slice(0, 3), ['{"@cursor":"before"}', '{"@heartbeat":{}}', '{"@cursor":"behind"}']);
  });

  it('that fails after it began says so in its last line, without a word of what is inside, and is logged', async () => {
    const exchange = new KeptExchange();
    await assert.rejects(streamFind(callOver(exchange), finding(() => Promise.reject(new Error('secret inside'))), queryOf({}), SHAPE), /secret inside/);
    assert.equal(exchange.lines.length, 1);
    const last = JSON.parse(exchange.lines[0]!) as { '@error': { error: string; request_id: string } };
    assert.deepEqual([last['@error'].error, last['@error'].request_id], ['internal', 'id-1']);
    assert.ok(!exchange.text.includes('secret'));
    assert.ok(exchange.ended);
  });

  it('of a key that is revoked lets no row go any more, and tells the reader, who is still there, in its last line', async () => {
    const exchange = new KeptExchange();
    const call = callOver(exchange);
    const revoked: (() => void)[] = [];
    call.permit = { charged: 0, settle: () => {}, onRevoked: (listener: () => void) => { revoked.push(listener); } } as unknown as Permit;
    let told = false;
    await streamFind(call, finding(async (outlet, onGone) => {
      onGone(() => { told = true; });
      assert.equal(outlet.gone, false);
      for (const listener of revoked) listener();
      assert.deepEqual([outlet.gone, told, exchange.live], [true, true, true]);
    }), queryOf({}), SHAPE);
    assert.match(exchange.lines.at(-1)!, /^\{"@end":/);
    assert.equal(call.status, 200);
  });

  it('tells the search when its reader has left', async () => {
    const exchange = new KeptExchange();
    let told = false;
    await streamFind(callOver(exchange), finding(async (_, onGone) => {
      onGone(() => { told = true; });
      exchange.leave();
    }), queryOf({}), SHAPE);
    assert.ok(told);
  });

  // Of three pieces when they lie together.
  const ROWS = 8_000;
  const lines = Array.from({ length: ROWS }, (_, row) => `{"id":"crm:${row}","full_name":"${'x'.repeat(row % 700)}"}`);
  const bytes = new Uint8Array(Buffer.from(`{"id":"before"}\n${lines.join('\n')}\n`));
  const first = bytes.indexOf(0x0a) + 1;
  const run = chunkOfRun(bytes, { rows: ROWS, start: first, end: bytes.length - 1, mark: 7 });
  const apart = { ...run, start: Array.from({ length: ROWS }, (_, row) => run.start[row]!), end: Array.from({ length: ROWS }, (_, row) => run.end[row]!), run: undefined };
  const scattered: Chunk = { ...apart, rows: ROWS - 1, start: apart.start.filter((_, row) => row !== 5), end: apart.end.filter((_, row) => row !== 5) };
  const FORMS: Readonly<Record<string, Chunk>> = { 'that lie together': run, 'that lie apart': scattered };
  for (const [how, chunk] of Object.entries(FORMS)) {
    const all = chunk === run ? lines : lines.filter((_, row) => row !== 5);
    it(`gives all of many rows ${how}, and of a part the first`, async () => {
      for (const count of [chunk.rows, chunk.rows - 1, 1]) {
        const exchange = new KeptExchange();
        await streamFind(callOver(exchange), finding(async (outlet) => { assert.equal(await outlet.chunk(chunk, count, () => true), count); }), queryOf({}), SHAPE);
        assert.deepEqual(exchange.lines.slice(0, -1), all.slice(0, count));
      }
    });

    it(`stops between two rows ${how} when they may go no further, and tells how many went`, async () => {
      for (const looks of [0, 1]) {
        const exchange = new KeptExchange();
        let told = 0;
        let looked = 0;
        await streamFind(callOver(exchange), finding(async (outlet) => { told = await outlet.chunk(chunk, chunk.rows, () => looked++ < looks); }), queryOf({}), SHAPE);
        assert.ok(told > 0 && told < chunk.rows);
        assert.deepEqual(exchange.lines.slice(0, -1), all.slice(0, told));
      }
    });
  }

  const COMPACT = storeRows(WORDS, Array.from({ length: ROWS }, (_, row) => storedText(WORDS, 'crm', { id: `crm:${row}`, headline: 'h'.repeat(row % 700) })), 'compact');
  const compact = chunkOfCompact(chunkOfRun(new Uint8Array(COMPACT.bytes), { rows: ROWS, start: 0, end: COMPACT.bytes.length - 1, mark: 0 }), COMPACT.stencils!, { broke: assert.fail });
  for (const [how, chunk] of Object.entries({ ...FORMS, 'that are compact': compact })) {
    it(`gives a slow reader few of the rows ${how} at a time, and a fast one that follows many again`, async () => {
      const exchange = new PacedExchange();
      await VirtualTime.during(seeded(1), (time) => streamFind(callOver(exchange), finding(async (outlet) => {
        exchange.pause = (bytes) => time.pause(bytes / 100);
        for (const pace of ['slow', 'fast']) {
          assert.equal(await outlet.chunk(chunk, chunk.rows, () => true), chunk.rows);
          exchange.pieces.push(pace);
          exchange.pause = () => Promise.resolve();
        }
      }), queryOf({}), SHAPE));
      const slow = exchange.pieces.slice(0, exchange.pieces.indexOf('slow')) as number[];
      const fast = exchange.pieces.slice(exchange.pieces.indexOf('slow') + 1, exchange.pieces.indexOf('fast')) as number[];
      assert.ok(slow.length > 10 && Math.max(...slow.slice(1)) < 1.5 * LIMITS.streamSlowPieceBytes, `${slow.join()} bytes of a slow reader`);
      assert.ok(Math.max(...fast) > LIMITS.streamGatheredBytes - 4_096, `${fast.join()} bytes of a fast one`);
      const once = exchange.lines.slice(0, chunk.rows);
      assert.deepEqual(exchange.lines.slice(chunk.rows, -1), once);
      assert.equal(new Set(once.map((line) => (JSON.parse(line) as { id: string }).id)).size, chunk.rows);
    });
  }

  const own = chunkOfRun(new Uint8Array(Buffer.from(compact.bytes)), { rows: ROWS, start: 0, end: compact.bytes.length - 1, mark: 0 });
  const CUT = new RowShape(rowLayout(WORDS), ['id', 'headline']);
  const cutLines = Array.from({ length: ROWS }, (_, row) => `{"id":"crm:${row}","headline":"${'h'.repeat(row % 700)}"}`);
  const shortLines = Array.from({ length: ROWS }, (_, row) => `{"id":"crm:${row}","headline":null}`);
  for (const [how, chunk, all] of [['that lie together', own, cutLines], ['that lie apart', { ...own, run: undefined }, cutLines], ['that are compact', compact, cutLines], ['that lack one', run, shortLines]] as const) {
    it(`gives some fields of rows ${how}, of all and of a part, and stops between two of them`, async () => {
      const stops = all === cutLines ? [[ROWS, 0], [ROWS, 1]] : [];
      for (const [count, looks] of [[ROWS, Infinity], [ROWS - 1, Infinity], [1, Infinity], ...stops] as [number, number][]) {
        const exchange = new KeptExchange();
        let [told, looked] = [0, 0];
        await streamFind(callOver(exchange), finding(async (outlet) => { told = await outlet.chunk(chunk, count, () => looked++ < looks); }), queryOf({}), CUT);
        assert.ok(looks === Infinity ? told === count : told > 0 && told < count, `${told} of ${count}`);
        assert.deepEqual(exchange.lines.slice(0, -1), all.slice(0, told));
      }
    });
  }

  it('gives a slow reader few of the rows that are cut down at a time', async () => {
    const exchange = new PacedExchange();
    const shape = new RowShape(rowLayout(WORDS), WORDS.fields.map(({ name }) => name).filter((name) => name !== 'headline'));
    await VirtualTime.during(seeded(1), (time) => streamFind(callOver(exchange), finding(async (outlet) => {
      exchange.pause = (sent) => time.pause(sent / 100);
      assert.equal(await outlet.chunk(own, ROWS, () => true), ROWS);
    }), queryOf({}), shape));
    assert.equal(exchange.lines.length, ROWS + 1);
    assert.ok(exchange.pieces.length > 10 && Math.max(...(exchange.pieces as number[]).slice(1)) < 1.5 * LIMITS.streamSlowPieceBytes, `${exchange.pieces.join()} bytes`);
  });

  it('lets others run while some fields of many rows go to a reader who takes them at once', async () => {
    const times = 40;
    const placed = (places: Chunk['start']): number[] => Array.from({ length: times * ROWS }, (_, row) => places[row % ROWS]!);
    const many: Chunk = { ...own, run: undefined, rows: times * ROWS, start: placed(own.start), end: placed(own.end) };
    let turns = 0;
    const shape = new RowShape(rowLayout(WORDS), ['id']);
    await streamFind(callOver(new KeptExchange()), finding(async (outlet) => {
      ({ turns } = await turnsMeanwhile(() => outlet.chunk(many, many.rows, () => true)));
    }), queryOf({}), shape);
    assert.ok(turns > 2, `${turns} turns`);
  });

  it('gives of some fields the rows before one that is broken', async () => {
    const text = Buffer.from(own.bytes);
    text.write('x', own.start[5_000]! + 1);
    const exchange = new KeptExchange();
    await streamFind(callOver(exchange), finding(async (outlet) => { assert.equal(await outlet.chunk({ ...own, bytes: text }, ROWS, () => true), 5_000); }), queryOf({}), CUT);
    assert.deepEqual(exchange.lines.slice(0, -1), cutLines.slice(0, 5_000));
  });

  it('gives a slow reader a row that is longer than what he is given at a time by itself', async () => {
    const exchange = new PacedExchange();
    const long = Array.from({ length: 20 }, (_, row) => `{"id":"crm:${row}","full_name":"${'x'.repeat(3 * LIMITS.streamSlowPieceBytes)}"}`);
    const text = new Uint8Array(Buffer.from(`${long.join('\n')}\n`));
    await VirtualTime.during(seeded(1), (time) => streamFind(callOver(exchange), finding(async (outlet) => {
      exchange.pause = () => time.pause(1_000);
      await outlet.chunk(chunkOfRun(text, { rows: long.length, start: 0, end: text.length - 1, mark: 0 }), long.length, () => true);
    }), queryOf({}), SHAPE));
    assert.deepEqual(exchange.lines.slice(0, -1), long);
    assert.deepEqual(new Set(exchange.pieces.slice(1, -1)), new Set([long[0]!.length + 1, long[10]!.length + 1]));
  });

  it('ends behind a long row whose line end has rotted on the disk', async () => {
    const exchange = new PacedExchange();
    const text = new Uint8Array(Buffer.from(`{"id":"crm:1"}\n{"id":"crm:2","full_name":"${'x'.repeat(2 * LIMITS.streamPieceBytes)}"}\r`));
    await streamFind(callOver(exchange), finding(async (outlet) => {
      exchange.pause = async () => { assert.ok(exchange.pieces.length < 10, 'pieces without end'); };
      await outlet.chunk(chunkOfRun(text, { rows: 2, start: 0, end: text.length - 1, mark: 0 }), 2, () => true);
    }), queryOf({}), SHAPE);
    assert.deepEqual(exchange.pieces.slice(0, -1), [text.indexOf(0x0a) + 1, text.length - text.indexOf(0x0a) - 1]);
  });

  it('makes the text of compact rows when a heartbeat has left, and sends it before another stream makes some', async () => {
    const streams = await VirtualTime.during(seeded(1), (time) => Promise.all(['one', 'other'].map(async (source, at) => {
      const lines = Array.from({ length: 3_000 }, (_, row) => storedText(WORDS, source, { id: `${source}:${row}`, headline: 'h'.repeat(row % 700) }));
      const { bytes, stencils } = storeRows(WORDS, lines, 'compact');
      const chunk = chunkOfCompact(chunkOfRun(new Uint8Array(bytes), { rows: lines.length, start: 0, end: bytes.length - 1, mark: 0 }), stencils!, { broke: assert.fail });
      const exchange = new KeptExchange();
      // Of the first the heartbeat is under way while the second, whose heartbeat left, sends all of its rows.
      if (at === 0) exchange.reading = time.pause(5_300);
      await streamFind(callOver(exchange), finding(async (outlet) => {
        await time.pause(5_100 + 100 * at);
        assert.equal(await outlet.chunk(chunk, lines.length, () => true), lines.length);
      }), queryOf({}), SHAPE);
      return { lines, sent: exchange.lines };
    })));
    for (const { lines, sent } of streams) assert.deepEqual(sent.slice(0, -1), ['{"@heartbeat":{}}', ...lines]);
  });

  it('lets others run while it puts rows together that several sources had, and keeps their order', async () => {
    const exchange = new KeptExchange();
    const rows = Array.from({ length: ROWS }, (_, row) => ({ chunk: apart, row, lane: 0, fill: null, sources: ['crm', 'web'], passes: null }));
    let turns = 0;
    await streamFind(callOver(exchange), finding(async (outlet) => {
      ({ turns } = await turnsMeanwhile(() => outlet.rows(rows)));
    }), queryOf({}), SHAPE);
    assert.deepEqual(exchange.lines.slice(0, -1).map((line) => (JSON.parse(line) as { id: string }).id), rows.map(({ row }) => `crm:${row}`));
    assert.ok(turns > 2, `${turns} turns`);
  });
});
