import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { makeMailbox, SenderEnd, ThreadEnd } from '../../src/pool/mailbox_protocol.ts';
import type { PackedBatch, PackedReply } from '../../src/pool/packed_protocol.ts';

const closing: (() => void)[] = [];
after(() => { for (const close of closing) close(); });

/** Both ends in one thread: whoever reads does so only when there is something. */
function ends() {
  const pings = new MessageChannel();
  const parcels = new MessageChannel();
  closing.push(() => { pings.port1.close(); parcels.port1.close(); });
  const mailbox = makeMailbox();
  return { sender: new SenderEnd(mailbox, parcels.port1), thread: new ThreadEnd(mailbox, { pings: pings.port2, parcels: parcels.port2 }), pings: pings.port1 };
}

const TEXTS = fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 });
const NUMBERS = fc.oneof({ weight: 5, arbitrary: fc.float64Array({ maxLength: 50, noNaN: true }) }, { weight: 1, arbitrary: fc.constant(new Float64Array(2 * LIMITS.replyNumbers).fill(7)) });
const LONG = fc.constant(['x'.repeat(LIMITS.letterTextBytes)]);
const COUNT = fc.nat();
const batchOf: fc.Arbitrary<PackedBatch> = fc.record({
  epoch: COUNT, sliceMs: COUNT, scans: COUNT, numbers: NUMBERS,
  texts: fc.oneof({ weight: 5, arbitrary: TEXTS }, { weight: 1, arbitrary: LONG }),
});
const replyOf: fc.Arbitrary<PackedReply> = fc.record({
  thread: COUNT, epoch: COUNT, replies: COUNT, numbers: NUMBERS, texts: fc.oneof({ weight: 5, arbitrary: TEXTS }, { weight: 1, arbitrary: LONG }),
  bytes: fc.array(fc.uint8Array({ minLength: 1, maxLength: 9 }), { maxLength: 1 }), facets: fc.array(fc.constant([{ name: 'country', values: [['US', 3]] }] as never), { maxLength: 1 }),
});
const plain = <T>(value: T): T => structuredClone(value);

describe('the mailbox between the service and a scan thread', () => {
  it('gives every batch and every reply as it was written, in order, however long and whatever is in it', () => {
    const { sender, thread } = ends();
    fc.assert(fc.property(fc.array(fc.tuple(batchOf, replyOf), { minLength: 1, maxLength: LIMITS.batchesUnderWayMax }), (pairs) => {
      for (const [batch] of pairs) sender.send(batch);
      for (const [batch, reply] of pairs) {
        assert.equal(sender.take(), null, 'nothing is there before it is answered');
        assert.deepStrictEqual(plain(thread.next()), plain(batch));
        const expected = plain(reply);
        thread.answer({ ...reply, bytes: reply.bytes.map((bytes) => bytes.slice()) });
        assert.deepStrictEqual(plain(sender.take()), expected);
      }
      assert.equal(sender.take(), null, 'one for each');
    }));
  });

  it('keeps a reply that was taken though its slot is written again', () => {
    const { sender, thread } = ends();
    const batch: PackedBatch = { epoch: 1, sliceMs: 5, scans: 1, numbers: new Float64Array([1]), texts: [] };
    const replyWith = (number: number): PackedReply => ({ thread: 1, epoch: 1, replies: 1, numbers: new Float64Array([number]), texts: [], bytes: [], facets: [] });
    const taken: (PackedReply | null)[] = [];
    for (let round = 0; round < 3 * LIMITS.batchesUnderWayMax; round += 1) {
      sender.send(batch);
      thread.next();
      thread.answer(replyWith(round));
      taken.push(sender.take());
    }
    assert.deepEqual(taken.map((reply) => reply!.numbers[0]), taken.map((_, round) => round));
  });

  it('pings once, and only where that is wanted', () => {
    const { sender, thread, pings } = ends();
    const round = (): void => {
      sender.send({ epoch: 1, sliceMs: 5, scans: 0, numbers: new Float64Array(), texts: [] });
      thread.next();
      thread.answer({ thread: 1, epoch: 1, replies: 0, numbers: new Float64Array(), texts: [], bytes: [], facets: [] });
    };
    round();
    assert.equal(receiveMessageOnPort(pings), undefined);
    sender.take();
    sender.wantPing(true);
    round();
    assert.deepEqual(receiveMessageOnPort(pings), { message: null });
    sender.take();
    round();
    assert.equal(receiveMessageOnPort(pings), undefined, 'it was wanted once');
  });

  it('ends a term after all that was sent before', () => {
    const { sender, thread } = ends();
    sender.send({ epoch: 4, sliceMs: 5, scans: 0, numbers: new Float64Array(), texts: ['last'] });
    sender.leave();
    assert.deepEqual(thread.next()!.texts, ['last']);
    assert.equal(thread.next(), null);
  });
});
