import type { Answer as PacketRecord } from 'dns-packet';
import { LIMITS } from '../../config/limits.ts';
import { requirePackage } from '../../lib/require_package.ts';

const { decode, encode, RECURSION_DESIRED } = requirePackage('dns-packet') as typeof import('dns-packet');

export type RecordType = 'MX' | 'A' | 'AAAA' | 'TXT' | 'NS';

export type DnsRecord =
  | { readonly type: 'MX'; readonly name: string; readonly ttlS: number; readonly exchange: string; readonly preference: number }
  | { readonly type: 'A' | 'AAAA' | 'CNAME'; readonly name: string; readonly ttlS: number; readonly value: string }
  /** `value` null: no sender policy, or one too long to be of interest. */
  | { readonly type: 'TXT'; readonly name: string; readonly ttlS: number; readonly value: string | null }
  | { readonly type: 'SOA'; readonly name: string; readonly ttlS: number; readonly minimumS: number }
  | { readonly type: 'NS'; readonly name: string; readonly ttlS: number };

/** A reply as far as this service reads it; names in lower case, without the dot at the end. */
export type Message = {
  readonly rcode: number;
  readonly truncated: boolean;
  /** The question as it came back, its case kept. */
  readonly question: { readonly name: string; readonly type: string } | null;
  readonly answers: readonly DnsRecord[];
  readonly authorities: readonly DnsRecord[];
};

export const RCODE = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, notImp: 4, refused: 5 } as const;

/** Letters, digits, hyphens and the underscores that some use: what the encoder puts on the wire as it stands. */
export function isHostName(name: string): boolean {
  return name.length <= LIMITS.domainOctetsMax && /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/.test(name);
}

/** `name` must be a valid host name, or `.`: the encoder would mend `a..b` and take labels that are too long. */
export function encodeQuery(id: number, name: string, type: RecordType, edns: boolean): Uint8Array {
  return encode({ type: 'query', id, flags: RECURSION_DESIRED, questions: [{ type, name }], additionals: edns ? [OPT] : [] });
}

const OPT: PacketRecord = { type: 'OPT', name: '.', udpPayloadSize: LIMITS.dnsUdpPayloadBytes, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] };

/** Throws on what is no DNS response. */
export function decodeMessage(bytes: Uint8Array): Message {
  const packet = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (!packet.flag_qr) throw new Error('a query where a response should be');
  const question = packet.questions?.[0] ?? null;
  const opt = packet.additionals?.find((record) => record.type === 'OPT');
  return {
    rcode: (bytes[3]! & 0x0f) | (opt === undefined ? 0 : opt.extendedRcode << 4),
    truncated: packet.flag_tc,
    question: question === null ? null : { name: question.name, type: question.type },
    answers: recordsOf(packet.answers ?? []),
    authorities: recordsOf(packet.authorities ?? []),
  };
}

function recordsOf(records: readonly PacketRecord[]): DnsRecord[] {
  const known: DnsRecord[] = [];
  for (const record of records) {
    const read = readRecord(record);
    if (read !== null) known.push(read);
  }
  return known;
}

function readRecord(record: PacketRecord): DnsRecord | null {
  const name = record.name.toLowerCase();
  switch (record.type) {
    case 'MX': return { type: 'MX', name, ttlS: ttlOf(record), exchange: record.data.exchange.toLowerCase(), preference: record.data.preference ?? 0 };
    case 'A': case 'AAAA': return { type: record.type, name, ttlS: ttlOf(record), value: record.data };
    case 'CNAME': return { type: 'CNAME', name, ttlS: ttlOf(record), value: record.data.toLowerCase() };
    case 'TXT': return { type: 'TXT', name, ttlS: ttlOf(record), value: policyOf(record.data) };
    case 'SOA': return { type: 'SOA', name, ttlS: ttlOf(record), minimumS: record.data.minimum ?? 0 };
    case 'NS': return { type: 'NS', name, ttlS: ttlOf(record) };
    default: return null;
  }
}

/** RFC 2181: a TTL with the highest bit set counts as zero. */
function ttlOf({ ttl = 0 }: { readonly ttl?: number | undefined }): number {
  return ttl > 0x7fffffff || ttl < 0 ? 0 : ttl;
}

/** Of all texts only a policy that refuses all senders is asked for, which is short. */
function policyOf(data: string | Buffer | (string | Buffer)[]): string | null {
  const text = Array.isArray(data) ? data.map(String).join('') : String(data);
  return text.length <= LIMITS.dnsPolicyCharactersMax && /^v=spf1\b/i.test(text) ? text : null;
}
