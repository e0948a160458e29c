import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';

/** A word that all threads share: how many are within in its low half, how many keep it shut above. */
const WORD = 'lds.unbroken';
const SHUT = 1 << 16;
const within = sharedWord();
/** What this thread has under way beside itself. */
let underWay = 0;
/** Who is not let in, until something has come back. */
const waiting: (() => void)[] = [];

/**
 * Runs what a thread must not be ended within: a native module that is refused its next call, because its thread is to end, aborts the process
 * (`FATAL ERROR: ... napi_throw`). The process's own thread is never ended so.
 */
export function unbroken<T>(work: () => T): T {
  if (isMainThread || underWay > 0) return work();
  enter();
  try {
    return work();
  } finally {
    leave();
  }
}

/** The same for what such a module does beside the thread, until it has come back. */
export async function unbrokenUntilBack<T>(work: () => Promise<T>): Promise<T> {
  if (isMainThread) return work();
  // Nothing could come back to a thread that stood still meanwhile.
  while (mustComeBack()) await new Promise<void>((resolve) => { waiting.push(resolve); });
  if (underWay === 0) enter();
  underWay += 1;
  try {
    return await work();
  } finally {
    underWay -= 1;
    if (underWay === 0) leave();
    for (const look of waiting.splice(0)) look();
  }
}

/** For whoever ends threads from outside: waits until none is within, but no longer than so; none enters until what it returns is called. */
export function keepThreadsOut(waitMsMax: number): () => void {
  // Where it was shut already, whoever did so has waited.
  if (Atomics.add(within, 0, SHUT) < SHUT) waitForAll(performance.now() + waitMsMax);
  return () => {
    Atomics.sub(within, 0, SHUT);
    Atomics.notify(within, 0);
  };
}

/** Whether some are within still, once they are kept out: to end them would abort the process. */
export function areWithin(): boolean {
  return Atomics.load(within, 0) % SHUT !== 0;
}

function waitForAll(endMs: number): void {
  for (let word = Atomics.load(within, 0); word % SHUT !== 0; word = Atomics.load(within, 0)) {
    if (Atomics.wait(within, 0, word, Math.max(0, endMs - performance.now())) === 'timed-out') return;
  }
}

function mustComeBack(): boolean {
  return underWay > 0 && Atomics.load(within, 0) >= SHUT;
}

function leave(): void {
  Atomics.sub(within, 0, 1);
  Atomics.notify(within, 0);
}

function enter(): void {
  for (;;) {
    const word = Atomics.load(within, 0);
    if (word >= SHUT) Atomics.wait(within, 0, word);
    else if (Atomics.compareExchange(within, 0, word, word + 1) === word) return;
  }
}

/** Threads are given it as they begin. */
function sharedWord(): Int32Array {
  const before = getEnvironmentData(WORD) as Int32Array | undefined;
  if (before !== undefined) return before;
  const made = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  setEnvironmentData(WORD, made);
  return made;
}
