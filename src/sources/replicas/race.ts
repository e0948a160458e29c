import { SourceFailure } from '../source.ts';
import { stopped } from '../stopped.ts';
import type { Again, Failed } from './again.ts';
import type { Replica } from './replica.ts';

type RaceRules = {
  /** How long the first server may be silent before the second is asked; null where none is. */
  readonly hedgeMs: number | null;
  readonly hedges: () => boolean;
  readonly again: (failed: Failed) => Again | null;
  readonly took: (ms: number) => void;
};

/** What one call does on one server, and what becomes of a result that came too late. */
export type Work<T> = { readonly run: (replica: Replica, signal: AbortSignal) => Promise<T>; readonly unused: (value: T) => void };

/** `release` once the result has been used up: until then the signal of the call reaches its server. */
export type Won<T> = { readonly value: T; readonly release: () => void };

type Attempt = { readonly replica: Replica; readonly controller: AbortController; readonly begunMs: number };

/**
 * One call on the first of the servers; on another one too where that is silent for long, and again where it failed before it gave anything.
 * The first result stands, and whoever still works is stopped.
 *
 *   first   ─────────────── silent ─────────────╳ stopped
 *   second         hedgeMs ╰────── result ──▶
 */
export class Race<T> {
  readonly #waiting: Replica[];
  readonly #work: Work<T>;
  readonly #rules: RaceRules;
  readonly #signal: AbortSignal;
  readonly #running = new Set<Attempt>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #attempts = 0;
  /** What is told where all fail: one that was there has more to say than one that was not. */
  #told: SourceFailure | null = null;
  /** Connections that ended before any answer, as those that lay idle do when their server goes: that it takes no other says more. */
  readonly #cuts = new Map<Replica, SourceFailure>();
  #resolve: (won: Won<T>) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #over = false;

  constructor(replicas: readonly Replica[], work: Work<T>, rules: RaceRules, signal: AbortSignal) {
    this.#waiting = [...replicas];
    this.#work = work;
    this.#rules = rules;
    this.#signal = signal;
  }

  run(): Promise<Won<T>> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#signal.addEventListener('abort', this.#abort);
      void this.#attempt(this.#waiting.shift()!);
      const { hedgeMs } = this.#rules;
      if (hedgeMs !== null && this.#waiting.length > 0) this.#later(hedgeMs, () => this.#hedge());
    });
  }

  readonly #abort = (): void => {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { controller } of this.#running) controller.abort();
    if (this.#running.size === 0 && !this.#over) this.#lose(stopped());
  };

  #later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }

  #hedge(): void {
    const next = this.#running.size === 1 && !this.#signal.aborted ? this.#waiting[0] : undefined;
    if (next === undefined || !this.#rules.hedges()) return;
    this.#waiting.shift();
    void this.#attempt(next);
  }

  async #attempt(replica: Replica): Promise<void> {
    const attempt: Attempt = { replica, controller: new AbortController(), begunMs: performance.now() };
    this.#attempts += 1;
    this.#running.add(attempt);
    if (this.#signal.aborted) attempt.controller.abort();
    try {
      const value = await this.#work.run(replica, attempt.controller.signal);
      this.#running.delete(attempt);
      if (this.#over) this.#work.unused(value);
      else this.#win(attempt, value);
    } catch (error) {
      this.#running.delete(attempt);
      if (!this.#over) this.#failed(replica, error);
    }
  }

  #win({ replica, controller, begunMs }: Attempt, value: T): void {
    this.#over = true;
    replica.answered();
    this.#rules.took(performance.now() - begunMs);
    for (const timer of this.#timers) clearTimeout(timer);
    for (const loser of this.#running) {
      // How long it was silent is not noted: where more than one answer in twenty is slow, that would raise the delay until nobody hedged.
      if (loser.begunMs < begunMs) loser.replica.failed();
      loser.controller.abort();
    }
    this.#running.clear();
    this.#running.add({ replica, controller, begunMs });
    this.#resolve({ value, release: () => this.#signal.removeEventListener('abort', this.#abort) });
  }

  #failed(replica: Replica, error: unknown): void {
    if (this.#signal.aborted || !(error instanceof SourceFailure)) {
      if (this.#running.size === 0) this.#lose(error);
      return;
    }
    if (GONE.has(error.code)) replica.failed();
    if (this.#told === null || error.code !== 'unreachable' || this.#told === this.#cuts.get(replica)) this.#told = error;
    if (error.code === 'broken' && !error.started) this.#cuts.set(replica, error);
    if (this.#running.size > 0) return;
    const again = this.#rules.again({ code: error.code, started: error.started, attempts: this.#attempts, replicasLeft: this.#waiting.length });
    if (again === null) {
      this.#lose(this.#told);
      return;
    }
    const next = again.where === 'other' ? this.#waiting.shift()! : replica;
    if (again.afterMs === 0) void this.#attempt(next);
    else this.#later(again.afterMs, () => { void this.#attempt(next); });
  }

  #lose(error: unknown): void {
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#signal.removeEventListener('abort', this.#abort);
    this.#reject(error);
  }
}

const GONE: ReadonlySet<string> = new Set(['unreachable', 'broken', 'malformed']);
