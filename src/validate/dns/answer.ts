import { LIMITS } from '../../config/limits.ts';
import { RCODE, type DnsRecord, type Message, type RecordType } from './wire.ts';

/** Why nothing is known. `backend`: no resolver of ours can be reached. */
export type FailureCause = 'servfail' | 'timeout' | 'refused' | 'backend';

/** What a name has of a type. `ttlS` null: must not be kept. */
export type Answer =
  | { readonly kind: 'records'; readonly records: readonly DnsRecord[]; readonly aliased: boolean; readonly ttlS: number }
  | { readonly kind: 'nodata'; readonly ttlS: number | null }
  /** `name` is what does not exist: the asked one, or where its aliases lead. */
  | { readonly kind: 'nxdomain'; readonly name: string; readonly ttlS: number | null }
  | { readonly kind: 'failed'; readonly cause: FailureCause };

/** The answer ends at an alias, without a word of what stands there: `name` is to be asked itself. `ttlS`: of the aliases that lead there. */
export type Lead = { readonly kind: 'lead'; readonly name: string; readonly ttlS: number };
export type Reading = Answer | Lead;

/** Reads a reply without an error code, or with NXDOMAIN. Only records on the alias chain from the asked name count. */
export function readAnswer(message: Message, name: string, type: RecordType): Reading {
  let at = name;
  let ttlS = Infinity;
  for (let steps = 0; steps <= LIMITS.dnsAliasesMax; steps++) {
    const records = message.answers.filter((record) => record.name === at && record.type === type);
    if (records.length > 0) return { kind: 'records', records: foremost(records), aliased: at !== name, ttlS: least(ttlS, records) };
    const alias = message.answers.find((record) => record.name === at && record.type === 'CNAME');
    if (alias?.type !== 'CNAME') return at === name || message.rcode === RCODE.nxDomain ? negative(message, at, ttlS) : behindAlias(message, at, ttlS);
    at = alias.value;
    ttlS = Math.min(ttlS, alias.ttlS);
  }
  return { kind: 'failed', cause: 'servfail' };
}

/**
 * RFC 2308: kept for the lesser of the SOA's own TTL and its last field; without a SOA not at all. Name servers without a SOA are a
 * referral: whoever sends it does not say that there is nothing, but that others are to be asked, which is a resolver's business.
 */
function negative(message: Message, name: string, chainTtlS: number): Answer {
  const soa = message.authorities.find((record) => record.type === 'SOA');
  const refers = soa === undefined && message.rcode === RCODE.noError && message.authorities.some((record) => record.type === 'NS');
  if (refers) return { kind: 'failed', cause: 'servfail' };
  const ttlS = soa?.type === 'SOA' ? Math.min(soa.ttlS, soa.minimumS, chainTtlS, LIMITS.dnsNegativeTtlSMax) : null;
  return message.rcode === RCODE.nxDomain ? { kind: 'nxdomain', name, ttlS } : { kind: 'nodata', ttlS };
}

/** Only a SOA says that there is nothing: some give an alias alone, as Unbound does of its own data, and name servers give no more of another zone. */
function behindAlias(message: Message, name: string, chainTtlS: number): Reading {
  const read = negative(message, name, chainTtlS);
  return read.kind === 'nodata' && read.ttlS === null ? { kind: 'lead', name, ttlS: chainTtlS } : read;
}

/** What was found where `leads` led, one after another, of the name that was asked first. */
export function foundBehind(leads: readonly Lead[], found: Answer): Answer {
  if (leads.length === 0 || found.kind === 'failed') return found;
  const ttlS = found.ttlS === null ? null : Math.min(found.ttlS, ...leads.map((lead) => lead.ttlS));
  return found.kind === 'records' ? { ...found, aliased: true, ttlS: ttlS! } : { ...found, ttlS };
}

/** A stranger's name has as many records as 64 KiB hold, and what is kept of a mail host is told in every result there: those that come first. Of texts those that are read. */
function foremost(records: readonly DnsRecord[]): readonly DnsRecord[] {
  const read = records.filter((record) => record.type !== 'TXT' || record.value !== null);
  if (read.length <= LIMITS.dnsMailHostsMax) return read;
  return read.toSorted((a, b) => (a.type === 'MX' && b.type === 'MX' ? a.preference - b.preference : 0)).slice(0, LIMITS.dnsMailHostsMax);
}

function least(ttlS: number, records: readonly DnsRecord[]): number {
  let smallest = ttlS;
  for (const record of records) if (record.ttlS < smallest) smallest = record.ttlS;
  return smallest;
}
