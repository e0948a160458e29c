import { LIMITS } from '../../config/limits.ts';
import type { Outcome } from './answer.ts';
import { Lane, type Gateway } from './lane.ts';
import { stopAfter, type Measured, type Stop, type Tally } from './tally.ts';

export type LoadOrder = {
  readonly gateway: Gateway;
  /** Asked in turn. */
  readonly bodies: readonly Buffer[];
  readonly connections: number;
  readonly seconds: number;
  /** Requests a second, at fixed times; null for as many as are answered. */
  readonly rate: number | null;
  readonly signal: AbortSignal;
};

export type LoadEnd = {
  /** Until the end of the sending, or until the last answer where that came later. */
  readonly elapsedMs: number;
  readonly stop: { readonly why: Stop; readonly outcome: Outcome | null } | null;
  /** Under way when the run was stopped. */
  readonly abandoned: number;
  /** Due by the rate, and not sent for want of a connection: how long they had waited by then is among the latencies. */
  readonly unsent: number;
  /** By how much a request was sent after it was due at most. */
  readonly lateMsMax: number;
};

export type Heard = (outcome: Outcome, body: number) => void;

/** Loads the gateway and counts in `tally`; resolves when the last answer is there, or the run was stopped. */
export async function load(order: LoadOrder, tally: Tally, heard: Heard): Promise<LoadEnd> {
  return new Run(order, tally, heard).ended;
}

class Run {
  readonly ended: Promise<LoadEnd>;
  readonly #order: LoadOrder;
  readonly #tally: Tally;
  readonly #heard: Heard;
  readonly #beginMs = performance.now();
  readonly #endMs: number;
  readonly #lanes: readonly Lane[];
  /** The one that was used last goes first, so that a low rate keeps few connections open. */
  readonly #idle: Lane[];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #resolve: (end: LoadEnd) => void;
  readonly #interrupt = (): void => this.#stop({ why: 'interrupted', outcome: null });
  #sent = 0;
  #unsent = 0;
  #lateMsMax = 0;
  #lastAnswerMs = this.#beginMs;
  /** Since when there are failures alone; null after an answer. */
  #failingSinceMs: number | null = null;
  #sending = true;
  #over = false;

  constructor(order: LoadOrder, tally: Tally, heard: Heard) {
    this.#order = order;
    this.#tally = tally;
    this.#heard = heard;
    this.#endMs = this.#beginMs + order.seconds * 1_000;
    this.#lanes = Array.from({ length: order.connections }, () => new Lane(order.gateway));
    this.#idle = [...this.#lanes];
    let settle = (_end: LoadEnd): void => {};
    this.ended = new Promise((resolve) => { settle = resolve; });
    this.#resolve = settle;
    order.signal.addEventListener('abort', this.#interrupt);
    this.#after(order.seconds * 1_000, () => this.#endSending());
    if (order.signal.aborted) this.#interrupt();
    else if (order.rate === null) for (const lane of this.#idle.splice(0)) this.#send(lane, performance.now());
    else this.#tick();
  }

  /** Sends what is due, and comes back when the next is. */
  #tick(): void {
    if (!this.#sending) return;
    this.#sendDue();
    this.#after(Math.max(1, Math.min(this.#dueMs(this.#sent), this.#endMs) - performance.now()), () => this.#tick());
  }

  #sendDue(): void {
    while (this.#idle.length > 0 && this.#isDue()) this.#send(this.#idle.pop()!, this.#dueMs(this.#sent));
  }

  #isDue(): boolean {
    const dueMs = this.#dueMs(this.#sent);
    return dueMs < this.#endMs && dueMs <= performance.now();
  }

  #dueMs(nth: number): number {
    return this.#beginMs + (nth * 1_000) / (this.#order.rate ?? Infinity);
  }

  #send(lane: Lane, dueMs: number): void {
    const { bodies, rate } = this.#order;
    const body = this.#sent % bodies.length;
    this.#sent += 1;
    if (rate !== null) this.#lateMsMax = Math.max(this.#lateMsMax, performance.now() - dueMs);
    lane.send(bodies[body]!, dueMs, (measured) => this.#answered(lane, body, measured));
  }

  #answered(lane: Lane, body: number, measured: Measured): void {
    if (this.#over) return;
    const { outcome } = measured;
    const nowMs = performance.now();
    this.#tally.add(measured);
    this.#heard(outcome, body);
    if (outcome.kind === 'failed') this.#failingSinceMs ??= nowMs;
    else {
      this.#failingSinceMs = null;
      this.#lastAnswerMs = nowMs;
    }
    const why = stopAfter(outcome, nowMs - (this.#failingSinceMs ?? nowMs));
    if (why !== null) {
      this.#stop({ why, outcome });
      return;
    }
    if (this.#order.rate === null && outcome.kind === 'failed') this.#after(LIMITS.benchRestMs, () => this.#free(lane));
    else this.#free(lane);
  }

  #free(lane: Lane): void {
    if (this.#order.rate === null && this.#sending && performance.now() < this.#endMs) {
      this.#send(lane, performance.now());
      return;
    }
    this.#idle.push(lane);
    if (this.#sending) {
      if (this.#order.rate !== null) this.#sendDue();
    } else if (this.#idle.length === this.#lanes.length) this.#finish(null);
  }

  #endSending(): void {
    if (this.#order.rate !== null) this.#sendDue();
    this.#sending = false;
    this.#countUnsent(this.#endMs);
    if (this.#idle.length === this.#lanes.length) this.#finish(null);
    // Those of the drip, which no silence ends.
    else this.#after(LIMITS.benchAnswerMsMax, () => { for (const lane of this.#lanes) lane.close(); });
  }

  #stop(stop: NonNullable<LoadEnd['stop']>): void {
    if (this.#over) return;
    if (stop.why === 'interrupted' && this.#sending) this.#countUnsent(Math.min(performance.now(), this.#endMs));
    this.#finish(stop);
  }

  #countUnsent(untilMs: number): void {
    if (this.#order.rate === null) return;
    for (let nth = this.#sent; this.#dueMs(nth) < untilMs; nth += 1) {
      this.#tally.latencies.record(untilMs - this.#dueMs(nth));
      this.#unsent += 1;
    }
  }

  #finish(stop: LoadEnd['stop']): void {
    this.#over = true;
    this.#sending = false;
    this.#order.signal.removeEventListener('abort', this.#interrupt);
    for (const timer of this.#timers) clearTimeout(timer);
    for (const lane of this.#lanes) lane.close();
    const elapsedMs = Math.max(Math.min(performance.now(), this.#endMs), this.#lastAnswerMs) - this.#beginMs;
    this.#resolve({ elapsedMs, stop, abandoned: this.#sent - this.#tally.requests, unsent: this.#unsent, lateMsMax: this.#lateMsMax });
  }

  #after(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }
}
