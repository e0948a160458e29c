/**
 * Does it under a signal that strikes with the one given, or after so long. `AbortSignal.any` with an `AbortSignal.timeout` in it is none on Node 20: nothing
 * holds the timeout, which is collected and never strikes.
 */
export async function underDeadline<T>(signal: AbortSignal, ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const own = new AbortController();
  const follow = (): void => { own.abort(signal.reason); };
  if (signal.aborted) follow();
  signal.addEventListener('abort', follow);
  const timer = setTimeout(() => { own.abort(new DOMException('it took too long', 'TimeoutError')); }, ms);
  try {
    return await work(own.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', follow);
  }
}
