import { quantile, seeded } from './figures.ts';
import type { Figures } from './report.ts';

const RESAMPLES = 1_000;
const INTERVAL = [0.025, 0.975] as const;

/** Latencies of one kind, by round. */
type Rounds = readonly (readonly number[])[];

/**
 * A quantile of the latencies of all rounds over that of others that took turns with them, and the interval in which 95 of 100 such runs would
 * find it: rounds are drawn anew, because what befalls the machine befalls many requests of a round at once.
 */
export function pooledRatio(name: string, share: number, ours: Rounds, theirs: Rounds, seed: number): Figures {
  const chance = seeded(seed);
  const of = (rounds: Rounds, drawn: readonly number[]): number => quantile(Float64Array.from(drawn.flatMap((round) => rounds[round]!)).sort(), share);
  const ratioOf = (drawn: readonly number[]): number => of(ours, drawn) / of(theirs, drawn);
  const all = ours.map((_, round) => round);
  const drawn = Array.from({ length: RESAMPLES }, () => ratioOf(all.map(() => Math.floor(chance() * all.length)))).sort((a, b) => a - b);
  const [low, high] = INTERVAL.map((at) => quantile(drawn, at));
  const ratio = ratioOf(all);
  return { name, unit: 'times', figures: [Math.min(low!, ratio), ratio, Math.max(high!, ratio)] };
}
