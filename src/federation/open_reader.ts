import type { Lane } from '../plan/plan.ts';
import { ForeignReader } from './foreign_reader.ts';
import { LakeReader } from './lake_reader.ts';
import type { CallContext, LaneReader } from './lane_reader.ts';

export function openReader(lane: Lane, context: CallContext): LaneReader {
  switch (lane.kind) {
    case 'lake': return new LakeReader(lane, context);
    case 'foreign': return new ForeignReader(lane, context);
    default: return lane satisfies never;
  }
}
