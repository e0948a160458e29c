import { within } from './within.ts';

/** Works through `items`, a bounded number at once. One that takes longer than `slowMs` leaves its place to the next, and is waited for in the end. */
export async function eachAtOnce<T>(items: readonly T[], atOnceMax: number, work: (item: T) => Promise<void>, slowMs?: number): Promise<void> {
  let next = 0;
  const slow: Promise<void>[] = [];
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const done = work(items[next++]!);
      if (slowMs === undefined) await done;
      else if (!await within(done, slowMs)) {
        done.catch(() => {});
        slow.push(done);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, items.length) }, worker));
  await Promise.all(slow);
}
