import { Piscina } from 'piscina';
import { THIS_CODE } from '../config/code.ts';
import { LIMITS } from '../config/limits.ts';
import { areWithin, keepThreadsOut } from '../lib/unbroken.ts';

/** What a pool of one thread may be told beside what is the same for all. */
type Settings = Pick<NonNullable<ConstructorParameters<typeof Piscina>[0]>, 'filename' | 'name' | 'concurrentTasksPerWorker' | 'maxQueue' | 'atomics'>;

/** One thread in a pool of its own, begun with its first task. A pool whose thread fails while it loads stops replacing it, and its tasks would wait for ever: it is replaced as a whole. */
export class LoneThread<Task, Reply> {
  readonly #settings: Settings;
  readonly #onError: (error: unknown) => void;
  #pool: Piscina<Task, Reply> | null = null;
  #startedMs = 0;

  constructor(settings: Settings, onError: (error: unknown) => void) {
    this.#settings = settings;
    this.#onError = onError;
  }

  /** False where it died, until another took its place. */
  get alive(): boolean { return this.#pool !== null && this.#pool.threads.length > 0; }
  /** Null before the first task. */
  get begun(): Piscina<Task, Reply> | null { return this.#pool; }

  /** To run a task. */
  pool(): Piscina<Task, Reply> {
    if (this.#pool !== null && !this.alive && performance.now() - this.#startedMs > LIMITS.poolRebuildMs) {
      void this.#pool.destroy();
      this.#pool = null;
    }
    return (this.#pool ??= this.#start());
  }

  async close(): Promise<void> {
    const letIn = keepThreadsOut(LIMITS.unbrokenMsMax);
    try {
      // What takes longer goes with the process: what else is to be closed before that must not be lost.
      if (!areWithin()) await this.#pool?.destroy();
    } finally {
      letIn();
    }
  }

  #start(): Piscina<Task, Reply> {
    this.#startedMs = performance.now();
    const pool = new Piscina<Task, Reply>({ minThreads: 1, maxThreads: 1, recordTiming: false, argv: [...THIS_CODE], ...this.#settings });
    // An error event that nobody hears would end the process. One of a thread at work is told by the promise of its task.
    pool.on('error', this.#onError);
    return pool;
  }
}
