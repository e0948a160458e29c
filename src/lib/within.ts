/** Waits for it, but no longer than so: whether it was done in time. It goes on all the same. What had arrived by then counts: a process that was held up does not take its own delay for silence. */
export async function within(done: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => { timer = setTimeout(() => setImmediate(resolve, false), ms); });
  return Promise.race([done.then(() => true), late]).finally(() => clearTimeout(timer));
}
