import type { SegmentMount } from '../../segment/mount.ts';
import { Dead, mountTarget, unmountTarget, type ScanTarget } from './target.ts';

/**
 * The segments of a mount as this thread has them open, each once however many mounts it has. What was replaced is opened when it is asked for: of a source
 * that changes often there are hundreds, and a scan would wait for all of them where the thread is new, or was not asked for a while. One that it cannot open
 * is missing alone, and tried again by each scan of it: what was missing may have been a file descriptor, or room for a mapping.
 */
export class OpenedTargets {
  readonly #opened = new Map<string, ScanTarget>();
  readonly #unopened = new Map<string, SegmentMount>();
  /** One of the targets of each segment. */
  readonly #segments = new Map<string, ScanTarget>();

  /**
   * Takes what is mounted still from the targets of before, as it is where the same rows are dead, and closes the rest of them. Each of hundreds was asked while
   * it was current: what was put together of their dead rows does not stay until their cursors have expired.
   */
  constructor(segments: readonly SegmentMount[], before: OpenedTargets | null) {
    const earlier: ReadonlyMap<string, ScanTarget> = before === null ? new Map() : before.#segments;
    const mounted: ReadonlyMap<string, ScanTarget> = before === null ? new Map() : before.#opened;
    for (const mount of segments) {
      const target = earlier.get(mount.segment);
      if (target !== undefined) this.#segments.set(mount.segment, target);
      const same = mounted.get(mount.id);
      if (mount.replaced === true) same?.dead?.letGo();
      if (same !== undefined && Dead.isOf(same.dead, mount)) this.#opened.set(mount.id, same);
      else this.#unopened.set(mount.id, mount);
    }
    for (const [segment, target] of earlier) if (!this.#segments.has(segment)) unmountTarget(target);
    for (const { id, replaced } of segments) if (replaced !== true) this.#tryToOpen(id);
  }

  /** Undefined where it is not mounted; throws where it cannot be opened. */
  get(id: string): ScanTarget | undefined {
    const mount = this.#unopened.get(id);
    if (mount === undefined) return this.#opened.get(id);
    const target = mountTarget(mount, this.#segments.get(mount.segment));
    this.#opened.set(id, target);
    this.#segments.set(mount.segment, target);
    this.#unopened.delete(id);
    return target;
  }

  #tryToOpen(id: string): void {
    try {
      this.get(id);
    } catch {
      // The scan that asks for it is told why.
    }
  }
}
