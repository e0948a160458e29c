import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LIMITS } from '../../config/limits.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Rows that this thread has mapped, and that no snapshot has any more: the disk gets the room of their files back, and what was erased is gone from it, when
 * the garbage collector has found them. That comes by itself where searches make garbage. A service that is asked nothing may not collect for days.
 */
export class LeftMappings {
  #served: ReadonlySet<ArrayBufferLike> = new Set();
  #left: readonly { readonly memory: WeakRef<ArrayBufferLike>; readonly dueMs: number }[] = [];
  readonly #collect: () => void;

  constructor(collect: () => void = collectGarbage) {
    this.#collect = collect;
  }

  /** `snapshots`: all that is in memory. */
  look(snapshots: readonly Snapshot[], nowMs: number): void {
    this.#leave(snapshots, nowMs);
    this.#left = this.#left.filter(({ memory }) => memory.deref() !== undefined);
    // It holds the thread for as long as many answers take: nobody is to wait for that.
    if (!this.#left.some(({ dueMs }) => dueMs <= nowMs) || snapshots.some(({ readers }) => readers.any)) return;
    this.#left = this.#left.map(({ memory }) => ({ memory, dueMs: nowMs + LIMITS.leftMappingsMs }));
    // In a turn of its own: whatever a reference was asked for in this one stays until it ends.
    setImmediate(this.#collect);
  }

  #leave(snapshots: readonly Snapshot[], nowMs: number): void {
    const served = new Set(snapshots.flatMap(({ segments }) => [...segments.values()].flatMap(({ seen }) => seen?.buffer ?? [])));
    const left = [...this.#served].filter((memory) => !served.has(memory));
    this.#served = served;
    this.#left = [...this.#left, ...left.map((memory) => ({ memory: new WeakRef(memory), dueMs: nowMs + LIMITS.leftMappingsMs }))];
  }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
