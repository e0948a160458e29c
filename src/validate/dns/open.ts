import { Resolver } from 'node:dns';
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../config/limits.ts';
import { atMost } from '../at_most.ts';
import type { Deadline } from '../deadline.ts';
import { LookupCache, type CacheCounts, type Found, type Taken } from '../lookup_cache.ts';
import type { Answer } from './answer.ts';
import { DnsClient, type Reach } from './client.ts';
import { findAddresses, findMailRoute, findSixes, type AddressRule, type Ask, type MailRoute } from './mail.ts';
import type { Endpoint, Interest } from './udp.ts';
import type { RecordType } from './wire.ts';

type DnsSettings = {
  /** Addresses, each with a port or none; empty for the system's own. */
  readonly servers: readonly string[];
  /** The system's own resolvers as they are now; for tests. */
  readonly systemServers?: () => readonly string[];
  readonly isUsable: AddressRule;
  /** The name whose NS records tell whether a resolver lives. */
  readonly controlName?: string;
  /** How many times longer than usual a resolver may be silent; for tests that count queries on machines that are busy. */
  readonly patience?: number;
  /** Monotonic clock, milliseconds. */
  readonly now: () => number;
};

/** Routes of domains by cached look-ups. */
export type MailRoutes = {
  /** What may be used at once, without waiting. */
  peek(domain: string): Taken<MailRoute> | null;
  /** Null when the deadline struck first. */
  wait(domain: string, deadline: Deadline): Promise<Taken<MailRoute> | null>;
  /** Those addresses of a mail host that may be dialled. */
  addresses(host: string, interest: Interest): Promise<readonly string[]>;
  /** Of those the ones of IPv6, whatever there is of IPv4. */
  sixes(host: string, interest: Interest): Promise<readonly string[]>;
  counts(): Readonly<Record<'routes' | 'mx' | 'addresses' | 'absent', CacheCounts>> & { readonly queries: number };
  reach(): Reach;
  close(): void;
};

/**
 * Three caches: routes by domain, which callers see and which may be stale; under them MX and addresses, never stale, because many
 * domains share a mail host. A name that does not exist stands for all below it.
 */
export function openMailRoutes({ servers, systemServers = serversOfSystem, isUsable, controlName = '.', patience = 1, now }: DnsSettings): MailRoutes {
  const client = new DnsClient(() => endpointsOf(servers.length === 0 ? systemServers() : servers), controlName, patience);
  const absent = new LRUCache<string, number>(atMost(LIMITS.mailDomainsCachedMax));
  const absentCounts = { hits: 0, misses: 0 };

  const load = async (key: string, interest: Interest): Promise<Found<Answer>> => {
    const [type, name] = key.split(' ') as [RecordType, string];
    const until = absentUntil(absent, name, now());
    absentCounts[until === null ? 'misses' : 'hits'] += 1;
    if (until !== null) return { value: { kind: 'nxdomain', name, ttlS: Math.ceil((until - now()) / 1_000) }, ttlMs: until - now(), failure: null };
    const answer = await client.ask(name, type, interest);
    // What other types say besides adds little and may be wrong: some servers deny a name that has nothing of the asked type (RFC 4074, section 4.2).
    if (answer.kind === 'nxdomain' && answer.ttlS !== null && type === 'MX') absent.set(answer.name, now() + answer.ttlS * 1_000);
    if (answer.kind === 'failed') return { value: answer, ttlMs: 0, failure: answer.cause === 'backend' ? 'ours' : 'theirs' };
    return { value: answer, ttlMs: Math.min(answer.ttlS ?? 0, LIMITS.dnsTtlSMax) * 1_000, failure: null };
  };
  const mx = new LookupCache<Answer>(LIMITS.mailDomainsCachedMax, 0, load, now);
  const addresses = new LookupCache<Answer>(LIMITS.mailAddressesCachedMax, 0, load, now);

  const asking = (interest: Interest): Ask => (name, type) => {
    if (interest.abandoned) return LEFT;
    const cache = type === 'A' || type === 'AAAA' ? addresses : mx;
    const key = `${type} ${name}`;
    const taken = cache.peek(key);
    return taken === null ? cache.share(key, interest).then((taken) => aged(taken, now())) : aged(taken, now());
  };
  const routes = new LookupCache<MailRoute>(LIMITS.mailDomainsCachedMax, LIMITS.dnsStaleMsMax, async (domain, interest) => {
    const route = await findMailRoute(domain, asking(interest), isUsable, LIMITS.dnsTryMs * patience);
    const failure = route.codes[0] === 'DNS_BACKEND_DOWN' ? 'ours' : route.failed || route.unread ? 'theirs' : null;
    return { value: route, ttlMs: keptMs(route), failure, outdoes: (before) => route.unread && !isSameWay(before, route) };
  }, now);

  return {
    peek: (domain) => routes.peek(domain),
    wait: (domain, deadline) => routes.wait(domain, deadline),
    addresses: (host, interest) => findAddresses(host, asking(interest), isUsable),
    sixes: (host, interest) => findSixes(host, asking(interest), isUsable),
    counts: () => ({ routes: routes.counts(), mx: mx.counts(), addresses: addresses.counts(), absent: { ...absentCounts, stale: 0, entries: absent.size }, queries: client.queries }),
    reach: () => client.reach(),
    close: () => client.close(),
  };
}

const LEFT: Answer = { kind: 'failed', cause: 'timeout' };

/** What follows from an answer holds no longer than is left of it: it may have been here for a while. */
function aged({ value, expiresMs }: Taken<Answer>, nowMs: number): Answer {
  if (value.kind === 'failed' || value.ttlS === null) return value;
  const leftS = Math.max(0, Math.ceil((expiresMs - nowMs) / 1_000));
  return leftS < value.ttlS ? { ...value, ttlS: leftS } : value;
}

function keptMs({ ttlS }: MailRoute): number {
  return ttlS === null ? 0 : Math.min(LIMITS.dnsTtlSMax, Math.max(LIMITS.dnsTtlSMin, ttlS)) * 1_000;
}

/** Whether what was known before tells of what could not be read now. Of a domain whose mail goes elsewhere since, or that took none, it does not. */
function isSameWay(before: MailRoute, now: MailRoute): boolean {
  return before.implicit === now.implicit && (before.implicit || before.host !== null) && isDeepStrictEqual(before.records, now.records);
}

/** RFC 8020: nothing exists below a name that does not. */
function absentUntil(absent: LRUCache<string, number>, name: string, nowMs: number): number | null {
  for (let at = 0; ;) {
    const until = absent.get(at === 0 ? name : name.slice(at));
    if (until !== undefined && until > nowMs) return until;
    const dot = name.indexOf('.', at);
    if (dot === -1) return null;
    at = dot + 1;
  }
}

/** A new resolver reads the system's settings, one that is there keeps what it once read. Cost: 0.1 ms. */
function serversOfSystem(): readonly string[] {
  return new Resolver().getServers();
}

function endpointsOf(servers: readonly string[]): Endpoint[] {
  return servers.slice(0, LIMITS.dnsServersMax).map((server) => {
    const [, bracketed, tail] = /^\[([^\]]+)\](?::(\d+))?$/.exec(server) ?? [];
    if (bracketed !== undefined) return { address: bracketed, port: Number(tail ?? 53) };
    const [, address, port] = /^([\d.]+):(\d+)$/.exec(server) ?? [];
    return address === undefined ? { address: server, port: 53 } : { address, port: Number(port) };
  });
}
