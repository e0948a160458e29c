import { LOWER_ASCII } from '../../lib/hash.ts';
import type { Row } from '../field.ts';
import { linkedinPageOf, PLAIN_PAGE } from '../linkedin.ts';
import { DigestSet, FILL_MAX } from './digest_set.ts';
import { domainDigest, domainIn, domainsAbove, emailDigest, emailForms, linkedinDigest, linkedinDigestText, type SuppressionKind, type SuppressionTerm } from './term.ts';

/** What is suppressed, by kind, for any thread: one thread adds and removes, all others see it at once. Handed on by reference. */
export type SharedSuppressions = Readonly<Record<SuppressionKind, SharedArrayBuffer>>;

/** Fields whose domain a suppressed domain is looked for in, beside the domain of `email`. */
const DOMAIN_FIELDS = ['company_domain', 'domain'] as const;
/** All that a row is suppressed by. */
export const SUPPRESSED_BY: ReadonlySet<string> = new Set(['email', 'linkedin_url', ...DOMAIN_FIELDS]);

/** The reading side. */
export class Suppressions {
  readonly #emails: DigestSet;
  readonly #domains: DigestSet;
  readonly #urls: DigestSet;

  constructor(shared: SharedSuppressions) {
    this.#emails = new DigestSet(shared.email);
    this.#domains = new DigestSet(shared.domain);
    this.#urls = new DigestSet(shared.linkedin_url);
  }

  /** How many of a kind. */
  count(kind: SuppressionKind): number {
    return this.#of(kind).size;
  }

  get isEmpty(): boolean {
    return this.#emails.size === 0 && this.#domains.size === 0 && this.#urls.size === 0;
  }

  /** Whether the row must not be seen, by whatever source it came. Takes rows in their normal form and in others. 1 to 4 us. */
  isSuppressed(row: Row): boolean {
    return this.#hasEmail(textOf(row, 'email')) || DOMAIN_FIELDS.some((field) => this.#hasSite(textOf(row, field))) || this.#hasUrl(textOf(row, 'linkedin_url').toLowerCase());
  }

  /** Whether the domain or one above it is suppressed; as `asciiDomain` gives it. */
  hasDomain(domain: string): boolean {
    if (this.#domains.size === 0 || domain === '') return false;
    for (const above of domainsAbove(domain)) if (this.#domains.has(domainDigest(above))) return true;
    return false;
  }

  /** Whether some digest of the kind begins so: see `firstWord`. */
  mayHave(kind: SuppressionKind, first: number): boolean {
    return this.#of(kind).hasFirst(first);
  }

  #of(kind: SuppressionKind): DigestSet {
    switch (kind) {
      case 'email': return this.#emails;
      case 'domain': return this.#domains;
      case 'linkedin_url': return this.#urls;
      default: return kind satisfies never;
    }
  }

  #hasEmail(email: string): boolean {
    if (email === '') return false;
    return (this.#emails.size > 0 && emailForms(email).some((form) => this.#emails.has(emailDigest(form)))) || this.#hasSite(email.slice(email.lastIndexOf('@') + 1));
  }

  #hasSite(site: string): boolean {
    return this.#domains.size > 0 && site !== '' && this.hasDomain(domainIn(site));
  }

  #hasUrl(url: string): boolean {
    return this.#urls.size > 0 && url !== '' && this.#urls.has(urlDigest(url));
  }
}

/** The writing side: of one thread. */
export class SuppressionSets {
  readonly #sets: Record<SuppressionKind, DigestSet>;

  /** Room for so many of each kind; of more the sets grow. */
  constructor(expected: Partial<Record<SuppressionKind, number>> = {}) {
    const room = (kind: SuppressionKind): DigestSet => DigestSet.of(Math.max(ROOM_MIN, Math.ceil((expected[kind] ?? 0) * ROOM)));
    this.#sets = { email: room('email'), domain: room('domain'), linkedin_url: room('linkedin_url') };
  }

  /** As it is now: a set that had to grow is another one. */
  get shared(): SharedSuppressions {
    return { email: this.#sets.email.shared, domain: this.#sets.domain.shared, linkedin_url: this.#sets.linkedin_url.shared };
  }

  add({ kind, digest }: Pick<SuppressionTerm, 'kind' | 'digest'>): boolean {
    const set = this.#sets[kind];
    if (set.full) this.#sets[kind] = set.grown(Math.ceil(set.capacity * FILL_MAX * GROWTH));
    return this.#sets[kind].add(digest);
  }

  remove({ kind, digest }: Pick<SuppressionTerm, 'kind' | 'digest'>): boolean {
    return this.#sets[kind].remove(digest);
  }
}

const GROWTH = 1.5;
const ROOM = 1.02;
/** Threads that hold a set must be given another when it grows: small ones begin with room to spare. */
const ROOM_MIN = 16_384;

/** Of an address in whatever form; trimmed and in lower case. */
export function urlDigest(url: string): Uint8Array {
  return linkedinDigest(normalUrl(url));
}

export function urlDigestText(url: string): string {
  return linkedinDigestText(normalUrl(url));
}

const NORMAL_HEADS = ['in', 'company', 'school'].map((kind) => Buffer.from(`https://www.linkedin.com/${kind}/`));
const KIND_AT = 'https://www.linkedin.com/'.length;
/** By byte: whether it may stand behind the head. */
const IN_SLUG = Uint8Array.from({ length: 256 }, (_, byte) => (/[a-zA-Z0-9-]/.test(String.fromCharCode(byte)) ? 1 : 0));

/** Whether an address in [from, to) of the bytes, in either case, stands in the one form but for its case: `PLAIN_PAGE` without a text of it. */
export function standsNormal(bytes: Uint8Array, from: number, to: number): boolean {
  for (const head of NORMAL_HEADS) {
    if (LOWER_ASCII[bytes[from + KIND_AT]!] !== head[KIND_AT]) continue;
    const slug = from + head.length;
    if (to - slug < 2 || to - slug > 100) return false;
    for (let at = 0; at < head.length; at++) if (LOWER_ASCII[bytes[from + at]!] !== head[at]) return false;
    for (let at = slug; at < to; at++) if (IN_SLUG[bytes[at]!] === 0) return false;
    return true;
  }
  return false;
}

function normalUrl(url: string): string {
  return PLAIN_PAGE.test(url) ? url : linkedinPageOf(url) ?? url;
}

function textOf(row: Row, field: string): string {
  const value = row[field];
  return typeof value === 'string' ? value.trim() : '';
}
