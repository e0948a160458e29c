import { isMainThread, threadId } from 'node:worker_threads';
import { refuseOtherCode } from '../config/code.ts';
import { ThreadEnd, type TermTask } from '../pool/mailbox_protocol.ts';
import { packReply, unpackBatch } from '../pool/packed_protocol.ts';
import { TrayWriter } from '../pool/tray_protocol.ts';
import type { BatchReply, Mount, Scans, TextAt } from '../pool/protocol.ts';
import { scanBatch, type ScanThread } from './scan/batch.ts';
import { OpenedTargets } from './scan/opened_targets.ts';
import { Tallies } from './scan/tallies.ts';

refuseOtherCode();

type Mounted = ScanThread & { readonly epoch: number; readonly targets: OpenedTargets };

let mounted: Mounted = { epoch: -1, id: isMainThread ? 0 : threadId, cancelFlags: new Int32Array(1), targets: new OpenedTargets([], null), tallies: new Tallies(), trays: null };

/** The one task of a scan thread. It takes the thread for itself: nothing that waits for an event gets a turn meanwhile. */
export function serveTerm({ mount, mailbox, ports }: TermTask): void {
  mounted = { ...remount(mounted, mount), trays: new TrayWriter(mailbox.trays) };
  serveBatches(new ThreadEnd(mailbox, ports), scanAll);
}

export function serveBatches(end: ThreadEnd, answer: (batch: Scans) => BatchReply<TextAt>): void {
  for (let batch = end.next(); batch !== null; batch = end.next()) end.answer(packReply(answer(unpackBatch(batch))));
}

/** A scan that throws fails alone. */
function scanAll({ epoch: asked, scans, sliceMs }: Scans): BatchReply<TextAt> {
  const { id: thread, epoch } = mounted;
  return { thread, epoch, replies: epoch === asked ? scanBatch(mounted, scans, sliceMs) : [] };
}

function remount(before: Mounted, mount: Mount): Mounted {
  return { ...before, epoch: mount.epoch, cancelFlags: new Int32Array(mount.cancelFlags), targets: new OpenedTargets(mount.segments, before.targets) };
}
