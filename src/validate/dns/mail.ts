import { isIP } from 'node:net';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';
import type { DnsCode } from '../codes.ts';
import { providerOfHost, type Provider } from '../lists/providers.ts';
import type { MailRecord } from '../result.ts';
import type { Answer, FailureCause } from './answer.ts';
import { isHostName, type DnsRecord, type RecordType } from './wire.ts';

/** Where a domain's mail goes. */
export type MailRoute = {
  /** The finding, then what was noted on the way. */
  readonly codes: readonly [DnsCode, ...DnsCode[]];
  readonly records: readonly MailRecord[];
  readonly implicit: boolean;
  readonly nullMx: boolean;
  readonly provider: Provider | null;
  /** The host that mail would go to, and those of its addresses that may be dialled; null where there is none. */
  readonly host: MailHost | null;
  readonly failed: boolean;
  /** Something that comes before what was found could not be read: a mail host that is preferred, or the policy of a domain without MX. The finding stands no longer than a failure does. */
  readonly unread: boolean;
  /** Of everything the finding rests on; null: must not be kept. */
  readonly ttlS: number | null;
};

/** At once what is known already. */
type MailHost = {
  readonly name: string;
  readonly addresses: readonly string[];
  /** Whom to try in turn where it cannot be reached; their addresses are not looked up yet. */
  readonly next: readonly string[];
};

export type Ask = (name: string, type: RecordType) => Answer | Promise<Answer>;
export type AddressRule = (address: string) => boolean;

/** Follows RFC 5321 section 5.1: MX, and only where there is none the domain itself. `slowMs`: see `lookInTurn`. */
export async function findMailRoute(domain: string, ask: Ask, isUsable: AddressRule, slowMs: number = LIMITS.dnsTryMs): Promise<MailRoute> {
  const mx = await ask(domain, 'MX');
  switch (mx.kind) {
    case 'failed': return failedRoute(mx.cause);
    case 'nxdomain': return route(['DNS_NXDOMAIN'], mx.ttlS);
    case 'nodata': return implicitRoute(domain, mx.ttlS, ask, isUsable);
    case 'records': return explicitRoute(mx.records, mx.ttlS, (host) => findHost(host, ask, isUsable), slowMs);
    default: return mx satisfies never;
  }
}

const FAILURES: Readonly<Record<FailureCause, DnsCode>> = { servfail: 'DNS_SERVFAIL', timeout: 'DNS_TIMEOUT', refused: 'DNS_REFUSED', backend: 'DNS_BACKEND_DOWN' };

function failedRoute(cause: FailureCause, notes: readonly DnsCode[] = [], more: Partial<MailRoute> = {}): MailRoute {
  return route([FAILURES[cause], ...notes], null, { ...more, failed: true });
}

function route(codes: MailRoute['codes'], ttlS: number | null, more: Partial<MailRoute> = {}): MailRoute {
  return { codes, ttlS, failed: false, unread: false, records: [], implicit: false, nullMx: false, provider: null, host: null, ...more };
}

async function explicitRoute(found: readonly DnsRecord[], mxTtlS: number, find: (host: string) => Promise<Host>, slowMs: number): Promise<MailRoute> {
  const records = mailRecords(found);
  if (records.length === 1 && records[0]!.exchange === '.') return route(['DNS_NULL_MX'], mxTtlS, { records, nullMx: true });
  const named = records.filter(({ exchange }) => exchange !== '.' && isIP(exchange) === 0);
  const more = { records, provider: named.length === 0 ? null : providerOfHost(named[0]!.exchange) };
  const hosts = inTurn(named);
  const first = hosts.length === 0 ? { host: NOWHERE, next: 0 } : await lookInTurn(hosts, 0, find, slowMs);
  const looked = joined({ ...NOWHERE, ttlS: mxTtlS }, first.host);
  const { next } = first;
  const notes: DnsCode[] = records.some(({ exchange }) => isIP(exchange) !== 0) ? ['DNS_MX_IS_IP'] : [];
  if (looked.aliased) notes.push('DNS_MX_IS_CNAME');
  const { usable, addressed, failure, ttlS } = looked;
  if (usable.length > 0) {
    const others = hosts.slice(next, next + LIMITS.smtpHostsTriedMax - 1);
    return route(['DNS_MX_OK', ...notes], ttlS, { ...more, unread: failure !== null, host: { name: hosts[next - 1]!, addresses: usable, next: others } });
  }
  if (failure !== null) return failedRoute(failure, notes, more);
  return route([addressed ? 'DNS_MX_NOT_PUBLIC' : 'DNS_MX_UNUSABLE', ...notes], ttlS, more);
}

/** Those addresses of a mail host that may be dialled. */
export async function findAddresses(name: string, ask: Ask, isUsable: AddressRule): Promise<readonly string[]> {
  return (await findHost(name, ask, isUsable)).usable;
}

/** Those of IPv6 alone, for who could not reach the host by IPv4. */
export async function findSixes(name: string, ask: Ask, isUsable: AddressRule): Promise<readonly string[]> {
  return readHost(await ask(name, 'AAAA'), isUsable).usable;
}

/** The first address family that serves is enough; the other is asked only where it does not. */
async function findHost(name: string, ask: Ask, isUsable: AddressRule): Promise<Host> {
  if (!isHostName(name)) return NOWHERE;
  const four = readHost(await ask(name, 'A'), isUsable);
  if (four.usable.length > 0) return four;
  return joined(four, readHost(await ask(name, 'AAAA'), isUsable));
}

type Looked = {
  readonly host: Host;
  /** How many were looked up, up to the one that is usable. */
  readonly next: number;
};

/**
 * Up to the first usable host. The next one is looked up beside one that is slow, and stands in for it where that says nothing in three times the
 * time: a mail host whose name servers are dead would else take the time of the whole call.
 */
async function lookInTurn(hosts: readonly string[], at: number, find: (host: string) => Promise<Host>, slowMs: number): Promise<Looked> {
  const endsMs = monotonicMs() + 3 * slowMs;
  const first = find(hosts[at]!);
  if (at + 1 === hosts.length) return { host: await first, next: at + 1 };
  const behind = (): Promise<Looked> => lookInTurn(hosts, at + 1, find, slowMs);
  const soon = await within(first, slowMs);
  const later = soon ? null : behind();
  const said = first.then(async (host) => (host.usable.length > 0 ? { host, next: at + 1 } : after(host, await (later ?? behind()))));
  if (later === null) return said;
  const spare = later.then(async (looked) => (looked.host.usable.length === 0 || await within(said, endsMs - monotonicMs()) ? said : after(SILENT, looked)));
  return Promise.race([said, spare]);
}

function after(before: Host, { host, next }: Looked): Looked {
  return { host: joined(before, host), next };
}

async function implicitRoute(domain: string, mxTtlS: number | null, ask: Ask, isUsable: AddressRule): Promise<MailRoute> {
  const six = Promise.resolve(ask(domain, 'AAAA'));
  six.catch(() => {});
  // Some name servers leave the question for IPv6 without an answer.
  const four = readHost(await ask(domain, 'A'), isUsable);
  const host = four.usable.length > 0 ? four : joined(four, readHost(await six, isUsable));
  const ttlS = lesser(mxTtlS, host.ttlS);
  if (host.usable.length > 0) {
    const spf = await ask(domain, 'TXT');
    if (spf.kind === 'records' && spf.records.some(rejectsAll)) return route(['DNS_SPF_REJECT_ALL'], lesser(ttlS, spf.ttlS), { implicit: true });
    if (spf.kind === 'failed' && spf.cause === 'backend') return failedRoute('backend');
    return route(['DNS_IMPLICIT_MX'], ttlS, { implicit: true, unread: spf.kind === 'failed', host: { name: domain, addresses: host.usable, next: [] } });
  }
  if (host.failure !== null) return failedRoute(host.failure);
  return route([host.addressed ? 'DNS_MX_NOT_PUBLIC' : 'DNS_NO_MAIL_HOST'], ttlS);
}

type Host = {
  readonly usable: readonly string[];
  /** Whether it has any address at all. */
  readonly addressed: boolean;
  readonly aliased: boolean;
  readonly failure: FailureCause | null;
  readonly ttlS: number | null;
};

const NOWHERE: Host = { usable: [], addressed: false, aliased: false, failure: null, ttlS: Infinity };
const SILENT: Host = { ...NOWHERE, failure: 'timeout' };

function readHost(answer: Answer, isUsable: AddressRule): Host {
  if (answer.kind === 'failed') return { ...NOWHERE, failure: answer.cause };
  if (answer.kind !== 'records') return { ...NOWHERE, ttlS: answer.ttlS };
  const addresses = answer.records.flatMap((record) => (record.type === 'A' || record.type === 'AAAA' ? [record.value] : []));
  return { usable: addresses.filter(isUsable), addressed: true, aliased: answer.aliased, failure: null, ttlS: answer.ttlS };
}

function joined(a: Host, b: Host): Host {
  return {
    usable: [...a.usable, ...b.usable], addressed: a.addressed || b.addressed, aliased: a.aliased || b.aliased,
    failure: a.failure ?? b.failure, ttlS: lesser(a.ttlS, b.ttlS),
  };
}

function mailRecords(records: readonly DnsRecord[]): MailRecord[] {
  return records
    .flatMap((record) => (record.type === 'MX' ? [{ exchange: record.exchange, preference: record.preference }] : []))
    .sort((a, b) => a.preference - b.preference || (a.exchange < b.exchange ? -1 : 1));
}

/** Best preference first, equals by chance, so that their load is shared. */
function inTurn(records: readonly MailRecord[]): string[] {
  return records.map((record) => ({ record, lot: Math.random() }))
    .sort((a, b) => a.record.preference - b.record.preference || a.lot - b.lot)
    .map(({ record }) => record.exchange);
}

function rejectsAll(record: DnsRecord): boolean {
  return record.type === 'TXT' && record.value !== null && /^v=spf1\s+-all\s*$/i.test(record.value);
}

/** Null stands for what must not be kept. */
function lesser(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.min(a, b);
}
