import type { ChildProcess } from 'node:child_process';

const left = new Map<ChildProcess, NodeJS.Signals>();
let watches = false;

/** For after all tests of a file whose children have pipes, which keep its process. */
export function endChildren(): void {
  for (const [child, signal] of left) child.kill(signal);
}

/** Ends a child with this process at the latest, however that ends but by a crash: what failed before it could stop it does not leave it behind. */
export function endWithProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  watch();
  left.set(child, signal);
  child.once('exit', () => left.delete(child));
}

/** Not before there is a child: a process that waits for a command hears of no signal until that is over, but is ended at once by one that it does not handle. */
function watch(): void {
  if (watches) return;
  watches = true;
  process.once('exit', endChildren);
  // So does the runner end a file that hangs.
  process.once('SIGTERM', () => process.exit(1));
}
