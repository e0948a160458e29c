import { LIMITS } from '../../config/limits.ts';
import type { SmtpCode } from '../codes.ts';
import type { Interest } from '../dns/udp.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { MailRoute } from '../dns/mail.ts';
import type { MailRoutes } from '../dns/open.ts';
import type { CacheCounts, Found } from '../lookup_cache.ts';
import type { SmtpEntry } from '../result.ts';
import type { Address } from '../syntax/address.ts';
import type { SmtpClass } from './classify.ts';
import { machineOf, MailHosts, type HostSettings } from './hosts.ts';
import { askInTurn, isUnreached, type Errands } from './hosts_in_turn.ts';
import type { ErrandFinding } from './job.ts';

export type MailboxFinding = {
  readonly code: SmtpCode;
  readonly catchAll: boolean | null;
  readonly entry: SmtpEntry;
  /** The backend that should have answered cannot be reached. */
  readonly backendDown: boolean;
  /** For want of the asker's time. */
  readonly hurried: boolean;
};

export type MailboxQuestion = {
  /** The call that asks: mail hosts are asked for calls in turn. */
  readonly caller: object;
  readonly email: string;
  readonly address: Address;
  readonly route: MailRoute & { readonly host: NonNullable<MailRoute['host']> };
  /** How long what the question rests on holds. */
  readonly routeTtlMs: number;
  /** On the monotonic clock. */
  readonly endsMs: number;
};

/** Whoever can tell whether a mailbox takes mail: the own client, or a backend. */
export type MailboxProbe = {
  probe(question: MailboxQuestion, interest: Interest): Promise<Found<MailboxFinding>>;
  readonly sessions: () => number;
  /** False once the backend that is to answer was gone several times in a row, until it answers. */
  reachable(): boolean;
  counts(): Readonly<Record<'catch_alls' | 'unwelcome', CacheCounts>>;
};

/** When asking again is worth while, for answers that are not of the mailbox. What ran out of time is not kept at all. */
const AGAIN_MS: Partial<Readonly<Record<SmtpClass, number>>> = {
  greylisted: LIMITS.greylistAgainMs, blocked: LIMITS.greylistAgainMs, policy: LIMITS.greylistAgainMs, relay_denied: LIMITS.greylistAgainMs,
  rate_limited: LIMITS.smtpCoolMs, tempfail: LIMITS.smtpCoolMs, connect_failed: LIMITS.smtpCoolMs, protocol: LIMITS.smtpCoolMs, tls_failed: LIMITS.smtpCoolMs,
  timeout: 0,
};

/** `routes`: to further mail hosts and addresses, asked where the one before cannot be reached. */
export function openOwnProbe(settings: HostSettings, routes: Pick<MailRoutes, 'addresses' | 'sixes'>): MailboxProbe {
  const hosts = new MailHosts(settings);

  /** `interest` in one of the hosts, `whole` in any. */
  const errandsOf = ({ caller, email, address, route, routeTtlMs, endsMs }: MailboxQuestion, interest: Interest, whole: Interest): Errands => {
    const asked = new Set<string>();
    const shareMs = (hostsLeft: number): number => Math.max(1, (endsMs - monotonicMs()) / (hostsLeft + 1));
    const askAt = async (addresses: readonly string[], host: string, hostsLeft: number, slow: () => void): Promise<ErrandFinding | null> => {
      // Another name of a machine that is asked already would wait behind that.
      const machine = machineOf(addresses);
      if (addresses.length === 0 || asked.has(machine)) return null;
      asked.add(machine);
      return hosts.ask({
        caller, host, addresses, provider: route.provider?.name ?? null, interest, whole, routeTtlMs, endsMs, slow,
        recipient: { address: email, domain: address.domain.ascii, utf8: address.local.eai },
        connectMs: shareMs(hostsLeft),
      });
    };
    return {
      endsMs,
      isWanted: () => !interest.abandoned,
      async ask(host, hostsLeft, slow) {
        const addresses = host === route.host.name ? route.host.addresses : await routes.addresses(host, interest);
        const found = await askAt(addresses, host, hostsLeft, slow);
        if (found?.class !== 'connect_failed' || interest.abandoned || monotonicMs() >= endsMs - LIMITS.smtpConnectMsFair) return found;
        const dialled = new Set(addresses.slice(0, LIMITS.smtpAddressesMax));
        // The next host waits for a resolver that owes the answer no longer than for a host that does.
        const overdue = setTimeout(slow, shareMs(hostsLeft));
        const sixes = (await routes.sixes(host, interest).finally(() => clearTimeout(overdue))).filter((six) => !dialled.has(six));
        return await askAt(sixes, host, hostsLeft, slow) ?? found;
      },
    };
  };

  return {
    async probe(question, interest) {
      const { route, routeTtlMs } = question;
      if (route.provider?.decidable === false) return kept(finding('not_decidable', false), routeTtlMs);
      let over = false;
      const asking: Interest = { get abandoned() { return over || interest.abandoned; } };
      // Its first host was found to have addresses. Once one of them has decided, the others that it waits for are asked no more.
      const { host, found, hurried } = (await askInTurn([route.host.name, ...route.host.next], errandsOf(question, asking, interest)).finally(() => { over = true; }))!;
      const is = hurried && isUnreached(found) ? 'timeout' : found.class;
      // Whether the host takes any name is still to be found out: that is worth asking again before long.
      const half = found.class === 'accepted' && found.catchAll === null;
      const ttlMs = hurried ? 0 : Math.min(heldMs(is, routeTtlMs), half ? LIMITS.smtpCoolMs : Infinity);
      return kept(finding(is, found.attempted, found.catchAll, hurried || is === 'timeout', { ...found, host }), ttlMs);
    },
    sessions: () => hosts.sessions,
    reachable: () => true,
    counts: () => hosts.counts(),
  };
}

/** How long an answer may be given again; what it rests on holds for `routeTtlMs`. */
export function heldMs(is: SmtpClass, routeTtlMs: number): number {
  return Math.min(routeTtlMs, AGAIN_MS[is] ?? LIMITS.mailboxTtlMsMax);
}

/** `said`: by which host, and in what codes, where one said anything. */
export function finding(
  is: SmtpClass, attempted: boolean, catchAll: boolean | null = null, hurried = is === 'timeout',
  { host, code, enhanced }: Pick<SmtpEntry, 'host' | 'code' | 'enhanced'> = NOTHING_SAID,
): MailboxFinding {
  const reason: SmtpCode = is === 'accepted' && catchAll === true ? 'SMTP_CATCH_ALL' : `SMTP_${is.toUpperCase() as Uppercase<SmtpClass>}`;
  return { code: reason, catchAll, entry: { attempted, host, code, enhanced, class: is }, backendDown: false, hurried };
}

const NOTHING_SAID = { host: null, code: null, enhanced: null };

export function kept(value: MailboxFinding, ttlMs: number): Found<MailboxFinding> {
  return { value, ttlMs, failure: null };
}
