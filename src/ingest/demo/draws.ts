import { momentText } from '../../lib/moment.ts';
import type { Chance } from './chance.ts';

/** One of the items, each as often as its weight. */
export function weighted<T>(chance: Chance, items: readonly (readonly [item: T, weight: number])[]): T {
  let left = chance.next() * items.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [item, weight] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  return items.at(-1)![0];
}

const UPDATES_FROM_MS = Date.UTC(2023, 0, 1);
const UPDATES_SECONDS = (Date.UTC(2026, 6, 1) - UPDATES_FROM_MS) / 1_000;

/** When a row was last updated. */
export function updateTime(chance: Chance): string {
  return momentText(UPDATES_FROM_MS + chance.below(UPDATES_SECONDS) * 1_000);
}
