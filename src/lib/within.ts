/** Waits for it, but no longer than so; it goes on all the same. */
export async function within(done: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => { timer = setTimeout(resolve, ms); });
  await Promise.race([done, late]).finally(() => clearTimeout(timer));
}
