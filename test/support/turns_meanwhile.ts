/** What came of work, and how many turns the event loop had meanwhile. */
export async function turnsMeanwhile<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly turns: number }> {
  let turns = 0;
  let turning: NodeJS.Immediate;
  const turn = (): void => {
    turns += 1;
    turning = setImmediate(turn);
  };
  turn();
  try {
    return { result: await work(), turns };
  } finally {
    clearImmediate(turning!);
  }
}
