import { isMainThread, threadId } from 'node:worker_threads';
import type { BatchReply, Mount, ScanBatch, ScanReply, ScanRequest } from '../pool/protocol.ts';
import { scan } from './scan/scan.ts';
import { mountTarget, unmountTarget, type ScanTarget } from './scan/target.ts';
import { handOver } from './transfer.ts';

type Mounted = { readonly epoch: number; readonly cancelFlags: Int32Array; readonly segments: ReadonlyMap<string, ScanTarget> };

let mounted: Mounted = { epoch: -1, cancelFlags: new Int32Array(1), segments: new Map() };

/** The one task of a scan thread. A scan that throws fails alone. */
export function runBatch(batch: ScanBatch): BatchReply {
  if (batch.mount !== null && batch.mount.epoch !== mounted.epoch) mounted = remount(mounted, batch.mount);
  const replies = batch.scans.map(runScan);
  const reply: BatchReply = { thread: isMainThread ? 0 : threadId, epoch: mounted.epoch, replies };
  const copied = replies.flatMap((one) => (one.ok && one.bytes !== null ? [one.bytes.buffer as ArrayBuffer] : []));
  return copied.length === 0 || isMainThread ? reply : handOver(reply, copied);
}

function remount(before: Mounted, mount: Mount): Mounted {
  const segments = new Map<string, ScanTarget>();
  for (const one of mount.segments) segments.set(one.id, mountTarget(one, before.segments.get(one.id)));
  for (const [id, target] of before.segments) if (!segments.has(id)) unmountTarget(target);
  return { epoch: mount.epoch, cancelFlags: new Int32Array(mount.cancelFlags), segments };
}

function runScan(request: ScanRequest): ScanReply {
  const target = mounted.segments.get(request.segment);
  if (target === undefined) return { ok: false, code: 'segment_unknown', detail: 'the segment is not mounted' };
  try {
    return scan(target, request, mounted.cancelFlags);
  } catch (error) {
    return { ok: false, code: 'scan_crashed', detail: error instanceof Error ? error.stack ?? error.message : String(error) };
  }
}
