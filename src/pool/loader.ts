import { Worker } from 'node:worker_threads';
import { THIS_CODE } from '../config/code.ts';
import type { LoadedSegment, LoadSegments, SegmentToLoad } from '../sources/lake/loading.ts';
import type { LoadMessage } from '../worker/load_entry.ts';

const ENTRY = new URL(`../worker/load_entry${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);

/** Loads segments in a thread of their own, which ends when all are verified. */
export const loadSegments: LoadSegments = (files: readonly SegmentToLoad[], spoilt): Promise<readonly LoadedSegment[]> => {
  if (files.length === 0) return Promise.resolve([]);
  return new Promise((resolve, reject) => {
    const worker = new Worker(ENTRY, { workerData: files, argv: [...THIS_CODE] });
    worker.on('message', (message: LoadMessage) => {
      switch (message.kind) {
        case 'loaded': resolve(message.segments); worker.unref(); break;
        case 'spoilt': spoilt(files[message.at]!); break;
        default: message satisfies never;
      }
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the loading thread ended before it answered')));
  });
};
