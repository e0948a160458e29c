import { threadId } from 'node:worker_threads';
import { packReply, unpackBatch, type PackedBatch, type PackedReply } from '../../src/pool/packed_protocol.ts';

/** A scan thread that misbehaves as the segment's name says. */
export function runBatch(packed: PackedBatch): PackedReply {
  const batch = unpackBatch(packed);
  switch (batch.scans[0]?.segment) {
    case 'exit': process.exit(3); break;
    case 'throw': throw new Error('thrown on purpose');
    case 'loop': for (;;) Math.random();
    default:
  }
  return packReply({
    thread: threadId, epoch: batch.epoch,
    replies: batch.scans.map(() => ({ ok: true, rows: 0, table: new Float64Array(0), bytes: null, stop: 'end', after: -1, tally: 'done', heldBy: null, matched: 0, facets: null, tookMs: 0 })),
  });
}
