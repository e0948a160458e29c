/**
 * For what a product is to do within a time that its caller sets: a machine that is busy with other tests may let nothing come of it in a
 * time that is plenty otherwise, and then it is tried again with the next. What is wrong fails with each.
 */
export async function withTime(times: readonly number[], attempt: (time: number) => Promise<void>): Promise<void> {
  for (const time of times.slice(0, -1)) {
    try {
      return await attempt(time);
    } catch { /* The next one tells. */ }
  }
  return attempt(times.at(-1)!);
}
