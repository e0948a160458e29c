import { LIMITS } from '../../config/limits.ts';

/** Who waits for a mail host, a provider or the backend. Callers take turns, each with what it brought in order: a list of a thousand addresses lets a single one pass. */
export class Line<J extends { readonly caller: object }> {
  /** The first is the one whose turn it is; none is without a job. */
  readonly #callers = new Map<object, J[]>();
  /** Of one caller. */
  readonly #jobsMax: number;

  constructor(jobsMax: number = LIMITS.smtpQueueMax) {
    this.#jobsMax = jobsMax;
  }

  get first(): J | undefined {
    return this.#callers.values().next().value?.[0];
  }

  /** False where the caller has so many waiting that it may bring no more. */
  add(job: J): boolean {
    const jobs = this.#callers.get(job.caller);
    if (jobs === undefined) this.#callers.set(job.caller, [job]);
    else if (jobs.length < this.#jobsMax) jobs.push(job);
    else return false;
    return true;
  }

  /** Takes one out; it is the next caller's turn. */
  next(): J | undefined {
    const turn = this.#callers.entries().next().value;
    if (turn === undefined) return undefined;
    const [caller, jobs] = turn;
    this.#callers.delete(caller);
    const job = jobs.shift();
    if (jobs.length > 0) this.#callers.set(caller, jobs);
    return job;
  }

  of(caller: object): readonly J[] {
    return this.#callers.get(caller) ?? [];
  }

  all(): J[] {
    return [...this.#callers.values()].flat();
  }

  /** Takes all of a caller out. */
  clear(caller: object): readonly J[] {
    const jobs = this.of(caller);
    this.#callers.delete(caller);
    return jobs;
  }

  clearAll(): J[] {
    const jobs = this.all();
    this.#callers.clear();
    return jobs;
  }
}
