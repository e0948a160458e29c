/** What came of work, which is told on asking which turn it is in, and how many turns the event loop had meanwhile. */
export async function turnsMeanwhile<T>(work: (turn: () => number) => Promise<T>): Promise<{ readonly result: T; readonly turns: number }> {
  let turns = 0;
  let turning: NodeJS.Immediate;
  const turn = (): void => {
    turns += 1;
    turning = setImmediate(turn);
  };
  turn();
  try {
    return { result: await work(() => turns), turns };
  } finally {
    clearImmediate(turning!);
  }
}
