import { parentPort } from 'node:worker_threads';
import { refuseOtherCode } from '../config/code.ts';
import { LIMITS } from '../config/limits.ts';
import { endThread } from '../lib/end_thread.ts';
import { placeIndex } from '../segment/index_memory.ts';
import { closeSegment, openSegment, verifyRows, type Segment } from '../segment/reader.ts';
import { SegmentRefused } from '../segment/refused.ts';
import type { RowsPlace } from '../segment/row_bytes.ts';
import { readShared, SEALED_PIECE_BYTES } from '../segment/sealed_bytes.ts';
import type { LoadedSegment, SegmentToLoad } from '../sources/lake/loading.ts';
import { rowsHold } from './verified_later.ts';

/** What the loading thread says, in this order, when it is asked. Where it is not yet `done` it verifies rows left in their file: `spoilt` tells of some that do not hold. */
export type LoadMessage =
  | { readonly kind: 'loaded'; readonly segments: readonly LoadedSegment[]; readonly done: boolean }
  | { readonly kind: 'spoilt'; readonly at: number }
  | { readonly kind: 'done' };

/** The body of a thread that loads segments and verifies them, until nothing more is asked of it: reading and checksums would hold the event loop for too long. */
refuseOtherCode();
const scratch = Buffer.allocUnsafeSlow(SEALED_PIECE_BYTES);
parentPort!.on('message', (files: readonly SegmentToLoad[] | null) => {
  if (files === null) endThread();
  const later: (() => void)[] = [];
  const segments = files.map((file, at) => load(file, (segment) => { later.push(() => verifyLater(segment, at)); }));
  const done = later.length === 0;
  tell({ kind: 'loaded', segments, done });
  for (const verify of later) verify();
  if (!done) tell({ kind: 'done' });
});

function tell(message: LoadMessage): void {
  parentPort!.postMessage(message);
}

function load(file: SegmentToLoad, putOff: (segment: Segment) => void): LoadedSegment {
  try {
    const index = placeIndex(file.index, file.indexMapped);
    const rows: RowsPlace = file.keep === 'memory' ? readShared(file.rows) : { file: file.rows, bytes: file.rowsBytes, mapped: file.keep === 'mapped' };
    // Whatever will be mapped is read here: see `SealedBytes`.
    const segment = openSegment(index, rows instanceof SharedArrayBuffer ? rows : { ...rows, mapped: false }, { seal: file.seal });
    const { stencils } = segment;
    if (file.keep === 'memory' || file.rowsBytes <= LIMITS.rowsVerifiedFirstBytes) verifyAllRows(segment);
    else putOff(segment);
    return { ok: true, index, rows, stencils };
  } catch (error) {
    return { ok: false, reason: error instanceof SegmentRefused ? error.code : 'unreadable' };
  }
}

function verifyLater(segment: Segment, at: number): void {
  if (!rowsHold(() => verifyRows(segment, scratch), pause)) tell({ kind: 'spoilt', at });
  closeSegment(segment);
}

/** Nobody waits for the thread while it verifies what is served already. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** What the thread has mapped stays for as long as the process lives, also where the thread ends soon after. */
function verifyAllRows(segment: Segment): void {
  try {
    verifyRows(segment, scratch);
  } finally {
    closeSegment(segment);
  }
}
