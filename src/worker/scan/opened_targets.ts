import type { SegmentMount } from '../../segment/mount.ts';
import { mountTarget, unmountTarget, type ScanTarget } from './target.ts';

/**
 * The segments of a mount as this thread has them open. One that it cannot open is missing alone, and tried again by each scan of it: what was missing
 * may have been a file descriptor, or room for a mapping.
 */
export class OpenedTargets {
  readonly #opened = new Map<string, ScanTarget>();
  readonly #unopened = new Map<string, SegmentMount>();

  /** Takes what is mounted still from the targets of before, and closes the rest of them. */
  constructor(segments: readonly SegmentMount[], before: OpenedTargets | null) {
    const earlier: ReadonlyMap<string, ScanTarget> = before === null ? new Map() : before.#opened;
    for (const mount of segments) {
      try {
        this.#opened.set(mount.id, mountTarget(mount, earlier.get(mount.id)));
      } catch {
        this.#unopened.set(mount.id, mount);
      }
    }
    for (const [id, target] of earlier) if (!this.#opened.has(id)) unmountTarget(target);
  }

  /** Undefined where it is not mounted; throws where it cannot be opened. */
  get(id: string): ScanTarget | undefined {
    const mount = this.#unopened.get(id);
    if (mount === undefined) return this.#opened.get(id);
    const target = mountTarget(mount);
    this.#opened.set(id, target);
    this.#unopened.delete(id);
    return target;
  }
}
