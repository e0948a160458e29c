import { LIMITS } from '../../config/limits.ts';
import { readSnapshot, snapshotNumbers } from './current.ts';
import type { Manifest } from './manifest.ts';

/** A snapshot that cursors may still read, and when its successor replaced it. */
type Replaced = { readonly manifest: Manifest; readonly replacedAtMs: number };

/** What was replaced less than `LIMITS.snapshotRetainMs` ago, the latest first. A clock that went back only makes it more. */
export async function replacedLately(dir: string, current: Manifest, nowMs: number): Promise<Replaced[]> {
  const found: Replaced[] = [];
  let replacedAtMs = Date.parse(current.createdAt);
  for (const number of (await snapshotNumbers(dir)).filter((one) => one < current.snapshot).sort((a, b) => b - a)) {
    if (nowMs - replacedAtMs >= LIMITS.snapshotRetainMs) break;
    const manifest = await readSnapshot(dir, number);
    found.push({ manifest, replacedAtMs });
    replacedAtMs = Date.parse(manifest.createdAt);
  }
  return found;
}
