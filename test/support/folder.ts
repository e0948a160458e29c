import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that goes with its test, or with all of a file where `t` is no more than its `after`. */
export function folderOf(t: { after(act: () => void): void }): string {
  const path = mkdtempSync(join(tmpdir(), 'lds-test-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
