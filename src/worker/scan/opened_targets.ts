import type { SegmentMount } from '../../segment/mount.ts';
import { Dead, mountTarget, unmountTarget, type ScanTarget } from './target.ts';

/**
 * The segments of a mount as this thread has them open, each once however many mounts it has. One that it cannot open is missing alone, and tried again by
 * each scan of it: what was missing may have been a file descriptor, or room for a mapping.
 */
export class OpenedTargets {
  readonly #opened = new Map<string, ScanTarget>();
  readonly #unopened = new Map<string, SegmentMount>();
  /** One of the targets of each segment. */
  readonly #segments = new Map<string, ScanTarget>();

  /** Takes what is mounted still from the targets of before, as it is where the same rows are dead, and closes the rest of them. */
  constructor(segments: readonly SegmentMount[], before: OpenedTargets | null) {
    const earlier: ReadonlyMap<string, ScanTarget> = before === null ? new Map() : before.#segments;
    const mounted: ReadonlyMap<string, ScanTarget> = before === null ? new Map() : before.#opened;
    for (const mount of segments) {
      try {
        const same = mounted.get(mount.id);
        if (same !== undefined && Dead.isOf(same.dead, mount)) this.#take(mount, same);
        else this.#open(mount, earlier.get(mount.segment));
      } catch {
        this.#unopened.set(mount.id, mount);
      }
    }
    for (const [segment, target] of earlier) if (!this.#segments.has(segment)) unmountTarget(target);
  }

  /** Undefined where it is not mounted; throws where it cannot be opened. */
  get(id: string): ScanTarget | undefined {
    const mount = this.#unopened.get(id);
    if (mount === undefined) return this.#opened.get(id);
    const target = this.#open(mount);
    this.#unopened.delete(id);
    return target;
  }

  #open(mount: SegmentMount, earlier?: ScanTarget): ScanTarget {
    return this.#take(mount, mountTarget(mount, this.#segments.get(mount.segment) ?? earlier));
  }

  #take(mount: SegmentMount, target: ScanTarget): ScanTarget {
    this.#opened.set(mount.id, target);
    this.#segments.set(mount.segment, target);
    return target;
  }
}
