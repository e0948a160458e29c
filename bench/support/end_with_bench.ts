import { isMainThread } from 'node:worker_threads';

/** Loaded before a child of a bench, which ends with the bench, however that ends: nobody writes the child's standard input, and the system closes it with the bench. */
if (isMainThread) {
  const end = (): void => { process.kill(process.pid, 'SIGTERM'); };
  // One that has nothing more to do ends as it would without this.
  process.stdin.on('error', end).on('end', end).resume().unref();
}
