import { SourceFailure } from './source.ts';

export function stopped(): SourceFailure {
  return new SourceFailure('broken', 'stopped by this side');
}

/** Waits no longer than until the signal strikes; the work itself goes on. */
export async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let strike = (): void => {};
  const struck = new Promise<never>((_, reject) => { strike = () => reject(stopped()); });
  signal.addEventListener('abort', strike);
  if (signal.aborted) strike();
  try {
    return await Promise.race([work, struck]);
  } finally {
    signal.removeEventListener('abort', strike);
  }
}
