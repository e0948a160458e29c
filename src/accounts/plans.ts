import { LIMITS } from '../config/limits.ts';
import type { PlanName } from '../model/account.ts';

export type PlanCaps = {
  /** In any 60 s. */
  readonly requestsMax: number;
  /** From 00:00 to 24:00 UTC. */
  readonly unitsMax: number;
  /** At once, over all keys of the account. */
  readonly concurrentMax: number;
};

/** Null: no cap. */
export const PLANS: Record<PlanName, PlanCaps | null> = {
  preview: { requestsMax: 30, unitsMax: 10_000, concurrentMax: 8 },
  standard: { requestsMax: 600, unitsMax: 1_000_000, concurrentMax: 32 },
  unlimited: null,
};

/** What a find costs: 1, plus 1 for each started 100 rows beyond the first 100. */
export function unitsOfRows(rows: number): number {
  return Math.max(1, Math.ceil(rows / LIMITS.unitRows));
}
