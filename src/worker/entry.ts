import { isMainThread, threadId } from 'node:worker_threads';
import { packReply, unpackBatch, type PackedBatch, type PackedReply } from '../pool/packed_protocol.ts';
import type { BatchReply, Mount, ScanBatch } from '../pool/protocol.ts';
import { scanBatch, type ScanThread } from './scan/batch.ts';
import { Tallies } from './scan/tallies.ts';
import { mountTarget, unmountTarget, type ScanTarget } from './scan/target.ts';
import { handOver } from './transfer.ts';

type Mounted = ScanThread & { readonly epoch: number };

let mounted: Mounted = { epoch: -1, id: isMainThread ? 0 : threadId, cancelFlags: new Int32Array(1), targets: new Map(), tallies: new Tallies() };

/** The one task of a scan thread. */
export function runBatch(batch: PackedBatch): PackedReply {
  const reply = packReply(scanAll(unpackBatch(batch)));
  return reply.bytes.length === 0 || isMainThread ? reply : handOver(reply, reply.bytes.map(({ buffer }) => buffer as ArrayBuffer));
}

/** A scan that throws fails alone. */
function scanAll(batch: ScanBatch): BatchReply {
  if (batch.mount !== null && batch.mount.epoch !== mounted.epoch) mounted = remount(mounted, batch.mount);
  const { id: thread, epoch } = mounted;
  if (epoch !== batch.epoch) return { thread, epoch, replies: [] };
  return { thread, epoch, replies: scanBatch(mounted, batch.scans, batch.sliceMs) };
}

/** A segment that cannot be opened, its files gone or no memory left to map them, is missing until the next mount, and its scans are told so. */
function remount(before: Mounted, mount: Mount): Mounted {
  const targets = new Map<string, ScanTarget>();
  for (const one of mount.segments) {
    try {
      targets.set(one.id, mountTarget(one, before.targets.get(one.id)));
    } catch {
      continue;
    }
  }
  for (const [id, target] of before.targets) if (!targets.has(id)) unmountTarget(target);
  return { ...before, epoch: mount.epoch, cancelFlags: new Int32Array(mount.cancelFlags), targets };
}
