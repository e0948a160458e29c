import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import { eachAtOnce } from '../lib/each_at_once.ts';
import type { Fetched } from './compose.ts';
import type { Deadline } from './deadline.ts';
import type { MailRoute } from './dns/mail.ts';

type Route = Fetched<MailRoute>;
type Finding<G> = { readonly group: G; readonly route: Route };

/** Gives each group its route as soon as it has one, many at once; all by the deadline. */
export async function routeAll<G>(groups: readonly G[], routeOf: (group: G) => Promise<Route>, deadline: Deadline, take: (group: G, route: Route) => void): Promise<void> {
  const rounds = new Rounds(routeOf, deadline);
  const slow: Finding<G>[] = [];
  await rounds.go(groups, (found) => {
    if (isUnanswered(found.route)) slow.push(found);
    else take(found.group, found.route);
  });
  if (slow.length === 0) return;
  // A resolver that is new to a name may take longer than we wait for its answer, which it has a moment later.
  const late = await outlast(deadline, LIMITS.dnsSlowWaitMs) ? slow.map(({ group }) => group) : [];
  if (late.length === 0) for (const { group, route } of slow) take(group, route);
  await rounds.go(late, ({ group, route }) => take(group, route));
}

/**
 * A resolver that restarts in the midst of a call is gone for a moment, in which all that is left would fail: where resolvers had answered before,
 * that is looked up again while there is time.
 */
class Rounds<G> {
  readonly #routeOf: (group: G) => Promise<Route>;
  readonly #deadline: Deadline;
  /** Look-ups that our resolvers answered during the call. */
  #answered = 0;

  constructor(routeOf: (group: G) => Promise<Route>, deadline: Deadline) {
    this.#routeOf = routeOf;
    this.#deadline = deadline;
  }

  async go(groups: readonly G[], take: (found: Finding<G>) => void): Promise<void> {
    let left = groups;
    for (let inVain = 0; left.length > 0;) {
      const before = this.#answered;
      const lost = await this.#round(left, take);
      if (lost.length === 0) return;
      inVain = this.#answered === before ? inVain + 1 : 0;
      if (this.#answered === 0 || inVain > LIMITS.dnsOutageTriesMax || !await outlast(this.#deadline, LIMITS.dnsOutageWaitMs)) {
        for (const found of lost) take(found);
        return;
      }
      left = lost.map(({ group }) => group);
    }
  }

  /** Gives those that found our resolvers gone. */
  async #round(groups: readonly G[], take: (found: Finding<G>) => void): Promise<readonly Finding<G>[]> {
    const lost: Finding<G>[] = [];
    await eachAtOnce(groups, LIMITS.dnsDomainsAtOnceMax, async (group) => {
      const route = await this.#routeOf(group);
      if (isOutage(route)) lost.push({ group, route });
      else take({ group, route });
      if (route.cache === 'miss' && !isOutage(route)) this.#answered += 1;
    }, LIMITS.dnsTryMs);
    return lost;
  }
}

/** False, and at once, where there is not the time for it. */
async function outlast(deadline: Deadline, waitMs: number): Promise<boolean> {
  if (monotonicMs() + waitMs >= deadline.endsMs) return false;
  await deadline.race(sleep(waitMs, undefined, { ref: false }), () => {});
  return !deadline.over;
}

export function isOutage({ value }: Route): boolean {
  return value?.codes[0] === 'DNS_BACKEND_DOWN';
}

/** Just now, rather than as it is remembered. */
function isUnanswered({ value, cache }: Route): boolean {
  return value?.codes[0] === 'DNS_TIMEOUT' && cache === 'miss';
}
