import { monotonicMs } from './clock.ts';

const waiting: (() => void)[] = [];
/** When the long work of this turn of the loop began; null before any. */
let begunMs: number | null = null;

/** Whether long work has held this turn of the loop for its share, all calls together: then it is for `nextTurn`. */
export function turnIsOver(shareMs: number): boolean {
  if (begunMs !== null) return monotonicMs() - begunMs >= shareMs;
  begin();
  return false;
}

function begin(): void {
  begunMs = monotonicMs();
  setImmediate(() => { begunMs = null; });
}

/** Lets sockets, timers and other calls run. Each turn of the loop serves one of those who wait, in their order. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(serve);
  });
}

/** For work that cannot be left off once begun: null where nobody waits and this turn has room for more, else what resolves when it is its turn. */
export function ownTurn(shareMs: number): Promise<void> | null {
  return waiting.length === 0 && !turnIsOver(shareMs) ? null : nextTurn();
}

/** As `ownTurn` for one of many steps that follow each other, but behind nobody who waits: each would stand behind all of them, and the last for seconds. */
export function stepTurn(shareMs: number): Promise<void> | null {
  if (!turnIsOver(shareMs)) return null;
  return new Promise((resolve) => {
    setImmediate(() => {
      if (begunMs === null) begin();
      resolve();
    });
  });
}

function serve(): void {
  begunMs = null;
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(serve);
}
