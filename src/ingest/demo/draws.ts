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

/** A second between the start of the one year and the middle of the other. */
export function timeBetween(chance: Chance, fromYear: number, toYear: number): string {
  const from = Date.UTC(fromYear, 0, 1);
  const seconds = (Date.UTC(toYear, 6, 1) - from) / 1_000;
  return momentText(from + chance.below(seconds) * 1_000);
}
