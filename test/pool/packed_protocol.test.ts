import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { FacetCounts } from '../../src/model/answer.ts';
import type { Filter } from '../../src/model/filter.ts';
import type { Term } from '../../src/model/query.ts';
import { packBatch, packReply, unpackBatch, unpackReply } from '../../src/pool/packed_protocol.ts';
import type { BatchReply, ScanReply, ScanRequest, Scans, TextAt } from '../../src/pool/protocol.ts';

const TEXT = fc.string({ unit: 'binary' });
const TEXTS = fc.array(TEXT, { maxLength: 4 });
const FLAG = fc.boolean();
const NUMBER = fc.double({ noNaN: true });
const COUNT = fc.nat();

const filterOf: fc.Arbitrary<Filter> = fc.oneof(
  fc.record({ kind: fc.constant('terms' as const), name: TEXT, include: fc.option(TEXTS), exclude: TEXTS }),
  fc.record({ kind: fc.constant('intervals' as const), name: TEXT, include: fc.option(fc.array(fc.tuple(NUMBER, NUMBER))), exclude: fc.array(fc.tuple(NUMBER, NUMBER)) }),
  fc.record({ kind: fc.constant('presence' as const), name: TEXT, present: FLAG, absent: FLAG }),
);
const termOf: fc.Arbitrary<Term> = fc.record({ kind: fc.constantFrom('word', 'prefix', 'phrase'), words: TEXTS, negated: FLAG });
const scanOf: fc.Arbitrary<ScanRequest> = fc.record({
  segment: TEXT, slot: COUNT, ticket: COUNT, deadlineMs: NUMBER, filters: fc.array(filterOf), terms: fc.array(termOf), order: fc.constantFrom('stored', 'identity'),
  after: fc.integer({ min: -1 }), rowsMax: COUNT, bytesMax: COUNT, copy: FLAG, form: fc.constantFrom('rows', 'json', 'msgpack', 'csv'), fields: fc.option(TEXTS), count: FLAG, facets: TEXTS,
  beside: TEXTS,
});
const facetsOf: fc.Arbitrary<FacetCounts[]> = fc.array(fc.record({ name: TEXT, values: fc.array(fc.tuple(TEXT, COUNT)) }));
const textOf: fc.Arbitrary<TextAt> = fc.record({ tray: COUNT, start: COUNT, end: COUNT });
const replyOf: fc.Arbitrary<ScanReply<TextAt>> = fc.oneof(
  fc.record({ ok: fc.constant(false as const), code: fc.constantFrom('segment_unknown', 'scan_crashed'), detail: TEXT }),
  fc.record({
    ok: fc.constant(true as const), rows: COUNT, table: fc.float64Array({ maxLength: 2_000, noNaN: true }), bytes: fc.option(fc.uint8Array()), text: fc.option(textOf),
    stop: fc.constantFrom('end', 'full', 'deadline', 'cancelled'), after: fc.integer({ min: -1 }), tally: fc.constantFrom('done', 'unfinished', 'deadline', 'cancelled'),
    heldBy: fc.option(COUNT), matched: fc.option(COUNT), facets: fc.option(facetsOf), beside: fc.option(fc.array(COUNT)), tookMs: NUMBER,
  }),
);

/** What a thread gets of it. fast-check makes objects without a prototype, which no message carries. */
const crossed = <T>(message: T): T => structuredClone(message);

describe('batches and replies, packed for the way between the threads', () => {
  it('come out as they went in, whatever is asked', () => {
    fc.assert(fc.property(fc.array(scanOf, { maxLength: 5 }), NUMBER, (scans, sliceMs) => {
      const batch: Scans = crossed({ epoch: 7, scans, sliceMs });
      assert.deepStrictEqual(unpackBatch(crossed(packBatch(batch))), batch);
    }));
  });

  it('come out as they went in, whatever is answered', () => {
    fc.assert(fc.property(fc.array(replyOf, { maxLength: 5 }), (replies) => {
      const reply: BatchReply<TextAt> = crossed({ thread: 3, epoch: 7, replies });
      const taken: number[] = [];
      const { replies: came, ...rest } = unpackReply(crossed(packReply(reply)), { receive: (tray, start, end) => {
        taken.push(tray);
        return { bytes: Buffer.alloc(0), start, end, release: () => {} };
      } });
      let texts = 0;
      const whole = came.map((one) => {
        if (!one.ok || one.text === null) return one;
        const { start, end } = one.text;
        return { ...one, text: { tray: taken[texts++]!, start, end } };
      });
      assert.deepStrictEqual({ ...rest, replies: whole }, reply);
      assert.equal(taken.length, texts);
    }));
  });

  it('are refused where they are not read to their end', () => {
    const failed: ScanReply<TextAt> = { ok: false, code: 'scan_crashed', detail: 'why' };
    const packed = packReply({ thread: 3, epoch: 7, replies: [failed, failed] });
    const taker = { receive: () => assert.fail('no reply has a tray') };
    assert.throws(() => unpackReply({ ...packed, replies: 1 }, taker), /not what was unpacked/);
    assert.throws(() => unpackReply({ ...packed, replies: 3 }, taker), /not what was unpacked/);
    assert.throws(() => unpackBatch({ epoch: 7, sliceMs: 5, scans: 0, numbers: new Float64Array(), texts: ['one'] }), /not what was unpacked/);
  });
});
