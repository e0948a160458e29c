import type { Endpoint } from '../model/account.ts';
import type { UsageOfAccount } from '../store/store.ts';
import { isoDay } from '../lib/day.ts';

type UsageCount = { requests: number; units: number };
export type UsageDay = UsageCount & { readonly day: string; readonly endpoints: Partial<Record<Endpoint, UsageCount>> };

/** By day and endpoint, the keys of the account taken together; days without any use are left out. */
export function usageByDay(rows: readonly UsageOfAccount[]): UsageDay[] {
  const days = new Map<number, UsageDay>();
  for (const { day, endpoint, requests, units } of rows) {
    const entry = days.get(day) ?? { day: isoDay(day), requests: 0, units: 0, endpoints: {} };
    days.set(day, entry);
    const count = (entry.endpoints[endpoint] ??= { requests: 0, units: 0 });
    add(entry, requests, units);
    add(count, requests, units);
  }
  return [...days].sort(([a], [b]) => a - b).map(([, entry]) => entry);
}

function add(count: UsageCount, requests: number, units: number): void {
  count.requests += requests;
  count.units += units;
}
