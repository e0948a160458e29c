import { threadId } from 'node:worker_threads';
import { ThreadEnd, type TermTask } from '../../src/pool/mailbox_protocol.ts';
import { TrayWriter } from '../../src/pool/tray_protocol.ts';
import type { BatchReply, Scans, TextAt } from '../../src/pool/protocol.ts';
import { serveBatches } from '../../src/worker/entry.ts';

export const NAP_MS = 300;

export function rest(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms);
}

/** A scan thread that misbehaves as the segment's name says, and counts as matches the trays that are free. */
export function serveTerm({ mailbox, ports }: TermTask): void {
  const trays = new TrayWriter(mailbox.trays);
  serveBatches(new ThreadEnd(mailbox, ports), (batch) => answer(batch, trays));
}

function answer({ epoch, scans }: Scans, trays: TrayWriter): BatchReply<TextAt> {
  switch (scans[0]?.segment) {
    case 'take': trays.take(); for (;;) Math.random();
    case 'exit': process.exit(3); break;
    case 'throw': throw new Error('thrown on purpose');
    case 'loop': for (;;) Math.random();
    case 'nap': rest(NAP_MS); break;
    default:
  }
  return {
    thread: threadId, epoch,
    replies: scans.map(() => ({
      ok: true, rows: 0, table: new Float64Array(0), bytes: null, stop: 'end', after: -1, text: null,
      tally: 'done', heldBy: null, beside: null, matched: freeOf(trays), facets: null, tookMs: 0,
    })),
  };
}

function freeOf(trays: TrayWriter): number {
  const taken: number[] = [];
  for (let one = trays.take(); one !== null; one = trays.take()) taken.push(one.tray);
  for (const tray of taken) trays.putBack(tray);
  return taken.length;
}
