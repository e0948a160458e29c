import type { Mark } from '../model/chunk.ts';
import type { Lane, LanePosition, Plan, Position } from '../plan/plan.ts';
import type { LaneReader } from './lane_reader.ts';
import type { Progress } from './picked.ts';

/** A lane that failed keeps its place, and so does a source that could not be asked: the next page asks them again. Null where no source has a row left. */
export function nextPosition(plan: Plan, readers: readonly LaneReader[], progress: Progress, over: readonly boolean[]): Position | null {
  return positionOf(plan, readers.map(({ lane }, i) => placeOf(lane, progress.after(i), over[i]!)));
}

export function placeOf(lane: Lane, after: Mark, done: boolean): LanePosition {
  return { source: lane.source, snapshot: lane.snapshot, segment: lane.kind === 'lake' ? lane.segment.id : '', after, done };
}

/** Where the places of all lanes are given. */
export function positionOf({ order, held }: Plan, places: readonly LanePosition[]): Position | null {
  if (places.every(isDone) && held.every(isDone)) return null;
  return { order, lanes: held.length === 0 ? places : [...places, ...held] };
}

function isDone({ done }: LanePosition): boolean {
  return done;
}
