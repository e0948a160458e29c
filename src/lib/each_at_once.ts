/** Works through `items`, a bounded number at once. */
export async function eachAtOnce<T>(items: readonly T[], atOnceMax: number, work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) await work(items[next++]!);
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, items.length) }, worker));
}
