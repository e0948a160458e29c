import { pause } from './runners.ts';

const LOOK_MS = 10;
/** Less than any of the times that products and tests allow each other for a word. */
const LATE_MS = 200;

/**
 * For what a product is to do, in this thread, within a time that its caller sets: a machine that is busy with other tests may let nothing come
 * of it in a time that is plenty otherwise, and then it is tried again with the next. What fails though this thread had its turns is wrong.
 */
export async function withTime(times: readonly number[], attempt: (time: number) => Promise<void>): Promise<void> {
  for (const time of times.slice(0, -1)) {
    const turns = watchTurns();
    try {
      return await attempt(time);
    } catch (error) {
      // The turn that comes too late may be the next.
      await pause(2 * LOOK_MS);
      if (turns.latestMs() < LATE_MS) throw error;
    } finally {
      turns.end();
    }
  }
  return attempt(times.at(-1)!);
}

function watchTurns(): { latestMs(): number; end(): void } {
  let [lastMs, latestMs] = [performance.now(), 0];
  const look = setInterval(() => {
    const nowMs = performance.now();
    latestMs = Math.max(latestMs, nowMs - lastMs - LOOK_MS);
    lastMs = nowMs;
  }, LOOK_MS);
  return { latestMs: () => latestMs, end: () => clearInterval(look) };
}
