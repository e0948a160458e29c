import { LIMITS } from '../../config/limits.ts';
import type { Readers } from './readers.ts';

type Kept = { readonly segments: ReadonlyMap<string, unknown>; readonly readers: Readers };
type Replaced<S> = { readonly snapshot: S; readonly untilMs: number };

/**
 * Replaced snapshots in memory, on the monotonic clock. A cursor is answered from one until its time is over; from then on no call begins
 * to read it, and it stays for those that are reading it, for as long as a stream may take that was begun last.
 */
export class Retention<Snapshot extends Kept> {
  #retained: readonly Replaced<Snapshot>[] = [];
  #held: readonly Replaced<Snapshot>[] = [];

  /** For cursors and calls that are running. */
  get retained(): readonly Snapshot[] { return this.#retained.map(({ snapshot }) => snapshot); }
  /** For calls that are running alone. */
  get held(): readonly Snapshot[] { return this.#held.map(({ snapshot }) => snapshot); }

  add(snapshot: Snapshot, untilMs: number): void {
    this.#retained = [...this.#retained, { snapshot, untilMs }];
  }

  /** True where the time of one is over, or nobody reads it any more. */
  expire(nowMs: number): boolean {
    const over = this.#retained.filter(({ untilMs }) => untilMs <= nowMs);
    const held = [...this.#held, ...over].filter(({ snapshot, untilMs }) => snapshot.readers.any && nowMs < untilMs + LIMITS.streamTimeoutMsMax);
    const changed = over.length > 0 || held.length < this.#held.length;
    this.#retained = this.#retained.filter(({ untilMs }) => untilMs > nowMs);
    this.#held = held;
    return changed;
  }

  /** Takes out every snapshot that has the segment. */
  drop(segment: string): void {
    const isWhole = ({ snapshot: { segments } }: Replaced<Snapshot>): boolean => !segments.has(segment);
    this.#retained = this.#retained.filter(isWhole);
    this.#held = this.#held.filter(isWhole);
  }
}
