/** Waits for it, but no longer than so: whether it was done in time. It goes on all the same. */
export async function within(done: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => { timer = setTimeout(resolve, ms, false); });
  return Promise.race([done.then(() => true), late]).finally(() => clearTimeout(timer));
}
