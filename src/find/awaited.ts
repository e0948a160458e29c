import { LIMITS } from '../config/limits.ts';

/**
 * Since when walks wait here for snapshots that another gateway took up before this one. Of a source that was ingested anew in an empty folder, put
 * back from a backup, or taken out, they never come: each is waited for as long as a replaced one is kept.
 */
export class AwaitedSnapshots {
  readonly #sinceMs = new Map<string, number>();

  mayCome(snapshot: string, nowMs: number): boolean {
    const sinceMs = this.#sinceMs.get(snapshot) ?? nowMs;
    this.#sinceMs.set(snapshot, sinceMs);
    if (this.#sinceMs.size > LIMITS.awaitedSnapshotsMax) this.#sinceMs.delete(this.#sinceMs.keys().next().value!);
    return nowMs - sinceMs < LIMITS.snapshotRetainMs;
  }
}
