import { isMainThread, threadId } from 'node:worker_threads';
import type { BatchReply, Mount, ScanBatch } from '../pool/protocol.ts';
import { scanBatch, type ScanThread } from './scan/batch.ts';
import { Tallies } from './scan/tallies.ts';
import { mountTarget, unmountTarget, type ScanTarget } from './scan/target.ts';
import { handOver } from './transfer.ts';

type Mounted = ScanThread & { readonly epoch: number };

let mounted: Mounted = { epoch: -1, id: isMainThread ? 0 : threadId, cancelFlags: new Int32Array(1), targets: new Map(), tallies: new Tallies() };

/** The one task of a scan thread. A scan that throws fails alone. */
export function runBatch(batch: ScanBatch): BatchReply {
  if (batch.mount !== null && batch.mount.epoch !== mounted.epoch) mounted = remount(mounted, batch.mount);
  const { id: thread, epoch } = mounted;
  if (epoch !== batch.epoch) return { thread, epoch, replies: [] };
  const replies = scanBatch(mounted, batch.scans, batch.sliceMs);
  const reply: BatchReply = { thread, epoch, replies };
  const copied = replies.flatMap((one) => (one.ok && one.bytes !== null ? [one.bytes.buffer as ArrayBuffer] : []));
  return copied.length === 0 || isMainThread ? reply : handOver(reply, copied);
}

function remount(before: Mounted, mount: Mount): Mounted {
  const targets = new Map<string, ScanTarget>();
  for (const one of mount.segments) targets.set(one.id, mountTarget(one, before.targets.get(one.id)));
  for (const [id, target] of before.targets) if (!targets.has(id)) unmountTarget(target);
  return { ...before, epoch: mount.epoch, cancelFlags: new Int32Array(mount.cancelFlags), targets };
}
