import type { ChildProcess } from 'node:child_process';
import { after } from 'node:test';

const left = new Map<ChildProcess, NodeJS.Signals>();

function endAll(): void {
  for (const [child, signal] of left) child.kill(signal);
}

// The pipes of a child keep a process, so this cannot wait for its exit.
after(endAll);
process.once('exit', endAll);
// So does the runner end a file that hangs.
process.once('SIGTERM', () => process.exit(1));

/** Ends a child with the tests of its file at the latest: where one failed before it could stop it, neither does the file wait for it, nor is it left behind. */
export function endWithTests(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): void {
  left.set(child, signal);
  child.once('exit', () => left.delete(child));
}
