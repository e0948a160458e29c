import { parentPort, workerData } from 'node:worker_threads';
import { refuseOtherCode } from '../config/code.ts';
import { LIMITS } from '../config/limits.ts';
import { endThread } from '../lib/end_thread.ts';
import { placeIndex } from '../segment/index_memory.ts';
import { closeSegment, openSegment, verifyRows, type Segment } from '../segment/reader.ts';
import { SegmentRefused } from '../segment/refused.ts';
import type { RowsPlace } from '../segment/row_bytes.ts';
import { readShared, SEALED_PIECE_BYTES } from '../segment/sealed_bytes.ts';
import type { LoadedSegment, SegmentToLoad } from '../sources/lake/loading.ts';

/** What the loading thread says, in this order; `spoilt` only for rows left in their file. */
export type LoadMessage = { readonly kind: 'loaded'; readonly segments: readonly LoadedSegment[] } | { readonly kind: 'spoilt'; readonly at: number };

/** The body of a thread that loads segments, verifies them, and ends: reading and checksums would hold the event loop for too long. */
refuseOtherCode();
const files = workerData as readonly SegmentToLoad[];
const scratch = Buffer.allocUnsafeSlow(SEALED_PIECE_BYTES);
const later: (() => void)[] = [];
const segments = files.map(load);
parentPort!.postMessage({ kind: 'loaded', segments } satisfies LoadMessage);
for (const verify of later) verify();
endThread();

function load(file: SegmentToLoad, at: number): LoadedSegment {
  try {
    const index = placeIndex(file.index, file.indexMapped);
    const rows: RowsPlace = file.keep === 'memory' ? readShared(file.rows) : { file: file.rows, bytes: file.rowsBytes, mapped: file.keep === 'mapped' };
    // Whatever will be mapped is read here: see `SealedBytes`.
    const segment = openSegment(index, rows instanceof SharedArrayBuffer ? rows : { ...rows, mapped: false }, { seal: file.seal });
    const { stencils } = segment;
    if (file.keep === 'memory' || file.rowsBytes <= LIMITS.rowsVerifiedFirstBytes) verifyAllRows(segment);
    else later.push(() => verifyLater(segment, at));
    return { ok: true, index, rows, stencils };
  } catch (error) {
    return { ok: false, reason: error instanceof SegmentRefused ? error.code : 'unreadable' };
  }
}

function verifyLater(segment: Segment, at: number): void {
  try {
    verifyAllRows(segment);
  } catch {
    parentPort!.postMessage({ kind: 'spoilt', at } satisfies LoadMessage);
  }
}

/** The thread ends soon after: what it mapped would stay for as long as the process lives. */
function verifyAllRows(segment: Segment): void {
  try {
    verifyRows(segment, scratch);
  } finally {
    closeSegment(segment);
  }
}
