import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskOf, stepsOf } from './disk.ts';
import { record } from './recorded.ts';
import { lay, states, type Tree } from './states.ts';

type Losing = {
  /** The script and its arguments, told a folder that is on the disk and empty. */
  readonly script: (folder: string) => readonly string[];
  /** What of a disk counts; by default all. */
  readonly counts?: (tree: Tree) => Tree;
  /** How often what is left is drawn by chance after each step. */
  readonly chances?: number;
};

/** Lines that the script had said when the power was lost, and the one that it would have said next. */
type Lines = { readonly said: readonly string[]; readonly next: string | undefined };

type Found = { readonly states: number; readonly faults: readonly string[] };

/**
 * Records a script to its end, and calls `check` with each state in which the disk may be when the power is lost at any moment of it. Gives how
 * many states there were, and what `check` found wrong.
 */
export async function eachLoss({ script, counts = (tree) => tree, chances = 0 }: Losing, check: (folder: string, lines: Lines) => Promise<void>): Promise<Found> {
  const root = mkdtempSync(join(tmpdir(), 'lds-power-'));
  try {
    const [disk, laid] = [join(root, 'disk'), join(root, 'laid')];
    mkdirSync(disk);
    const before = diskOf(disk);
    const { status, stderr, calls } = record(script(disk));
    assert.equal(status, 0, stderr);
    const faults: string[] = [];
    let found = 0;
    const steps = stepsOf(calls, disk, before);
    const lines = steps.map((step) => (step.kind === 'said' ? step.text : '')).join('').split('\n');
    for (const { tree, said, about } of states(before, steps, counts, chances)) {
      found += 1;
      lay(tree, laid);
      await check(laid, { said, next: lines[said.length] }).catch((error: unknown) => { faults.push(`${about}, "${said.at(-1) ?? ''}" was said last: ${String(error)}`); });
    }
    return { states: found, faults };
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
