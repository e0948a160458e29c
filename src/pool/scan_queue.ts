import { LIMITS } from '../config/limits.ts';
import type { ScanReply, ScanRequest } from './protocol.ts';

/** Why a scan brought nothing, beside what the worker itself says. */
export type ScanFailure = { readonly ok: false; readonly code: 'overloaded' | 'timed_out' | 'worker_lost' };
export type ScanResult = ScanReply | ScanFailure;

/** What went before of a scan: how many slices that brought no rows, and the thread that keeps its tally. */
export type Later = { readonly slices: number; readonly heldBy: number | null };

/** Who asked for a scan: told once how it went, amid other work of the pool. It must not throw. */
export interface ScanListener {
  scanned(result: ScanResult): void;
}

export type Waiting = {
  readonly request: ScanRequest;
  readonly later: Later | null;
  /** When it is answered at the latest, on the monotonic clock. */
  readonly givenUpMs: number;
  readonly listener: ScanListener;
  settled: boolean;
};

/** Scans that wait for a thread, in two lanes: first slices as they came, later ones by how little their scans have had. */
export class ScanQueue {
  #first: Waiting[] = [];
  #later: Waiting[] = [];
  #turn: 'first' | 'later' = 'first';

  get length(): number { return this.#first.length + this.#later.length; }

  push(waiting: Waiting): void {
    (waiting.later === null ? this.#first : this.#later).push(waiting);
  }

  putBack(left: readonly Waiting[]): void {
    this.#first.unshift(...left.filter(({ later }) => later === null));
    this.#later.unshift(...left.filter(({ later }) => later !== null));
  }

  /**
   * The next batch for the thread: its share of the first slices among `idle` threads, or the later ones whose turn it is. Those wait until the
   * thread has nothing under way, so that no first slice waits behind more than one batch of them.
   */
  take(thread: { readonly id: number; readonly underWay: number }, idle: number): Waiting[] {
    if (this.#later.length > 0 && (this.#first.length === 0 || this.#turn === 'later')) {
      if (thread.underWay > 0) return [];
      this.#turn = 'first';
      const later = this.#takeLater(thread.id);
      if (later.length > 0) return later;
    }
    if (this.#later.length > 0) this.#turn = 'later';
    const share = Math.min(LIMITS.scansInBatchMax, Math.ceil(this.#first.length / idle));
    return share === this.#first.length ? this.#takeFirst() : this.#first.splice(0, share);
  }

  /** A thread is gone: any other may take up what it kept. */
  forget(id: number): void {
    this.#later = this.#later.map((waiting) => (waiting.later!.heldBy === id ? { ...waiting, later: { ...waiting.later!, heldBy: null } } : waiting));
  }

  /** Takes out what can no longer be answered in time. */
  dropLate(nowMs: number): Waiting[] {
    const isLate = ({ givenUpMs }: Waiting): boolean => givenUpMs <= nowMs;
    const late = [...this.#first.filter(isLate), ...this.#later.filter(isLate)];
    if (late.length === 0) return late;
    this.#first = this.#first.filter((waiting) => !isLate(waiting));
    this.#later = this.#later.filter((waiting) => !isLate(waiting));
    return late;
  }

  #takeFirst(): Waiting[] {
    const all = this.#first;
    this.#first = [];
    return all;
  }

  #takeLater(id: number): Waiting[] {
    if (this.#later.length === 0) return [];
    const own = this.#later.filter(({ later }) => later!.heldBy === null || later!.heldBy === id);
    const batch = own.toSorted((a, b) => a.later!.slices - b.later!.slices).slice(0, LIMITS.laterSlicesInBatchMax);
    this.#later = this.#later.filter((waiting) => !batch.includes(waiting));
    return batch;
  }
}
