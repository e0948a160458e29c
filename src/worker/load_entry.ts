import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { LIMITS } from '../config/limits.ts';
import { closeSegment, openSegment, verifyRows, type Segment } from '../segment/reader.ts';
import { SegmentRefused } from '../segment/refused.ts';
import type { LoadedSegment, SegmentFiles } from '../sources/lake/lakes.ts';

/** What the loading thread says, in this order; `spoilt` only for rows left in their file. */
export type LoadMessage = { readonly kind: 'loaded'; readonly segments: readonly LoadedSegment[] } | { readonly kind: 'spoilt'; readonly at: number };

const READ_BYTES = 8 * 1_048_576;

/** The body of a thread that loads segments, verifies them, and ends: reading and checksums would hold the event loop for too long. */
const files = workerData as readonly SegmentFiles[];
const later: (() => void)[] = [];
const segments = files.map(load);
parentPort!.postMessage({ kind: 'loaded', segments } satisfies LoadMessage);
for (const verify of later) verify();

function load(file: SegmentFiles, at: number): LoadedSegment {
  try {
    const index = readShared(file.index);
    const rows = file.keep === 'memory' ? readShared(file.rows) : { file: file.rows, bytes: file.rowsBytes, mapped: file.keep === 'mapped' };
    const segment = openSegment(index, rows);
    if (file.keep === 'memory' || file.rowsBytes <= LIMITS.rowsVerifiedFirstBytes) verifyAllRows(segment);
    else later.push(() => verifyLater(segment, at));
    return { ok: true, index, rows };
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

function verifyAllRows(segment: Segment): void {
  for (let block = 0; block < segment.table.blocks; block += 1) verifyRows(segment, block);
  closeSegment(segment);
}

function readShared(path: string): SharedArrayBuffer {
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const shared = new SharedArrayBuffer(size);
    const bytes = new Uint8Array(shared);
    for (let at = 0; at < size;) {
      const read = readSync(file, bytes, at, Math.min(READ_BYTES, size - at), at);
      if (read === 0) throw new Error('the file shrank while it was read');
      at += read;
    }
    return shared;
  } finally {
    closeSync(file);
  }
}
