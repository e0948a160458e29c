import { threadId } from 'node:worker_threads';
import { ThreadEnd, type TermTask } from '../../src/pool/mailbox_protocol.ts';
import type { BatchReply, Scans, TextAt } from '../../src/pool/protocol.ts';
import { serveBatches } from '../../src/worker/entry.ts';

/** A scan thread that misbehaves as the segment's name says. */
export function serveTerm({ mailbox, ports }: TermTask): void {
  serveBatches(new ThreadEnd(mailbox, ports), answer);
}

function answer({ epoch, scans }: Scans): BatchReply<TextAt> {
  switch (scans[0]?.segment) {
    case 'exit': process.exit(3); break;
    case 'throw': throw new Error('thrown on purpose');
    case 'loop': for (;;) Math.random();
    default:
  }
  return {
    thread: threadId, epoch,
    replies: scans.map(() => ({ ok: true, rows: 0, table: new Float64Array(0), bytes: null, stop: 'end', after: -1, text: null, tally: 'done', heldBy: null, matched: 0, facets: null, tookMs: 0 })),
  };
}
