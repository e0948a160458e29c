import { LIMITS } from '../../config/limits.ts';
import { underDeadline } from '../../lib/under_deadline.ts';
import type { FacetCounts } from '../../model/answer.ts';
import type { Count, Description, Figures, ForeignSource, FoundRow, RowsRequest, Search } from '../source.ts';
import { askAgain } from './again.ts';
import { Budget } from './budget.ts';
import { Latencies } from './latencies.ts';
import { Race, type Won, type Work } from './race.ts';
import { Replica } from './replica.ts';
import type { Tallies } from './tallies.ts';

/** One source on several servers that hold the same, or on one. Whatever fails before it gave anything may be asked again. */
export function openReplicas(sources: readonly ForeignSource[], tallies: Tallies): ForeignSource {
  return new Replicas(sources, tallies);
}

type Kind = 'rows' | 'count' | 'figures';
type Begun = { readonly rest: AsyncGenerator<readonly FoundRow[]>; readonly first: IteratorResult<readonly FoundRow[], unknown>; readonly deliver: () => void };

class Replicas implements ForeignSource {
  readonly #replicas: readonly Replica[];
  readonly #tallies: Tallies;
  readonly #retries = new Budget(LIMITS.extraCallsShare, LIMITS.extraCallsMost);
  readonly #hedges = new Budget(LIMITS.extraCallsShare, LIMITS.extraCallsMost);
  readonly #latencies: Readonly<Record<Kind, Latencies>> = { rows: new Latencies(), count: new Latencies(), figures: new Latencies() };

  constructor(sources: readonly ForeignSource[], tallies: Tallies) {
    this.#replicas = sources.map((source) => new Replica(source, sources.length > 1));
    this.#tallies = tallies;
  }

  /** All are asked, and the first to answer tells; what the others say is news of them alone. */
  async describe(signal: AbortSignal): Promise<Description> {
    const asked = this.#replicas.map((replica) => underDeadline(signal, LIMITS.describeMs, (own) => replica.describe(own)));
    const description = await Promise.any(asked).catch(({ errors }: AggregateError) => { throw errors.find(({ code }) => code !== 'unreachable') ?? errors[0]; });
    const open = this.#replicas.filter((replica) => replica.open).length;
    return open === 0 || description.trouble !== null ? description : { ...description, trouble: `${open} of its ${this.#replicas.length} servers do not answer` };
  }

  async *rows(request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
    const { value: { rest, first, deliver }, release } = await this.#race('rows', {
      run: (replica, own) => beginRows(replica, request, own),
      unused: ({ rest: late }) => { late.return(undefined).catch(() => {}); },
    }, signal);
    try {
      deliver();
      if (first.done === true) return;
      yield first.value;
      yield* rest;
    } finally {
      release();
      await rest.return(undefined);
    }
  }

  count(search: Search, signal: AbortSignal): Promise<Count> { return this.#one('count', ({ source }, own) => source.count(search, own), signal); }
  facet(name: string, search: Search, signal: AbortSignal): Promise<FacetCounts | null> { return this.#one('count', ({ source }, own) => source.facet(name, search, own), signal); }
  figures(signal: AbortSignal): Promise<Figures> { return this.#one('figures', ({ source }, own) => source.figures(own), signal); }

  async close(): Promise<void> { await Promise.all(this.#replicas.map((replica) => replica.close())); }

  async #one<T>(kind: Kind, run: Work<T>['run'], signal: AbortSignal): Promise<T> {
    const { value, release } = await this.#race(kind, { run, unused: () => {} }, signal);
    release();
    return value;
  }

  #race<T>(kind: Kind, work: Work<T>, signal: AbortSignal): Promise<Won<T>> {
    this.#retries.earn();
    this.#hedges.earn();
    const latencies = this.#latencies[kind];
    return new Race(this.#inTurn(), work, {
      hedgeMs: hedgeMsOf(latencies),
      hedges: () => this.#hedges.spend() && (this.#tallies.addHedge(), true),
      again: (failed) => {
        const again = askAgain(failed, Math.random());
        if (again === null || !this.#retries.spend()) return null;
        this.#tallies.addRetry();
        return again;
      },
      took: (ms) => latencies.note(ms),
    }, signal).run();
  }

  /** Those that answer, as they were declared; the others behind them, for when those fail too. */
  #inTurn(): readonly Replica[] {
    return [...this.#replicas.filter(({ open }) => !open), ...this.#replicas.filter(({ open }) => open)];
  }
}

function hedgeMsOf(latencies: Latencies): number {
  return Math.min(LIMITS.hedgeMsMax, Math.max(LIMITS.hedgeMsMin, latencies.quantileMs(LIMITS.hedgeQuantile) ?? LIMITS.hedgeMsUnknown));
}

/** Up to the first rows: whoever brings them delivers all. What a loser could not use, or has not, is nobody's loss. */
async function beginRows({ source }: Replica, request: RowsRequest, signal: AbortSignal): Promise<Begun> {
  let delivers = false;
  let dropped = 0;
  let incomplete = false;
  const rest = source.rows({
    ...request,
    dropped: (rows) => { if (delivers) request.dropped?.(rows); else dropped += rows; },
    incomplete: () => { if (delivers) request.incomplete?.(); else incomplete = true; },
  }, signal);
  const first = await rest.next();
  const deliver = (): void => {
    delivers = true;
    if (dropped > 0) request.dropped?.(dropped);
    if (incomplete) request.incomplete?.();
  };
  return { rest, first, deliver };
}
