import { setImmediate } from 'node:timers/promises';
import type { Terminal } from './command.ts';

/** Prints what can be shown this once. False where nobody may have seen it: the output took nothing, or the command was told to end. */
export async function shownOnce(terminal: Terminal, text: string): Promise<boolean> {
  // What is then taken back, or never comes to be, is not shown either.
  if (terminal.signal.aborted) return false;
  await terminal.out(text);
  // An output that takes nothing is known within a turn, and ends the command.
  await setImmediate();
  return !terminal.signal.aborted;
}
