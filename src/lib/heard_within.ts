/** As `within`, with all that had arrived by then: a process that was held up does not take its own delay for silence. */
export async function heardWithin(done: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => { timer = setTimeout(() => setImmediate(resolve, false), ms); });
  return Promise.race([done.then(() => true), late]).finally(() => clearTimeout(timer));
}
