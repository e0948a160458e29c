import type { Lane } from '../plan/plan.ts';
import { ForeignReader } from './foreign_reader.ts';
import { LakeReader } from './lake_reader.ts';
import type { CallContext, LaneReader } from './lane_reader.ts';

/** `read` with readers that are closed where it fails: else a source would go on for a call that is over, and hold a place until its deadline. */
export async function withReaders<T>(lanes: readonly Lane[], context: CallContext, read: (readers: readonly LaneReader[]) => Promise<T>): Promise<T> {
  const readers = lanes.map((lane) => openReader(lane, context));
  try {
    return await read(readers);
  } catch (error) {
    for (const reader of readers) reader.close();
    throw error;
  }
}

export function openReader(lane: Lane, context: CallContext): LaneReader {
  switch (lane.kind) {
    case 'lake': return new LakeReader(lane, context);
    case 'foreign': return new ForeignReader(lane, context);
    default: return lane satisfies never;
  }
}
