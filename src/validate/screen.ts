import { LRUCache } from 'lru-cache';
import { LIMITS } from '../config/limits.ts';
import { atMost } from './at_most.ts';
import type { ReasonCode, SyntaxCode } from './codes.ts';
import { domainFacts, type DomainFacts } from './domain.ts';
import type { CacheCounts } from './lookup_cache.ts';
import { readMailbox, type Mailbox } from './lists/canonical.ts';
import { isConfusable } from './lists/confusable.ts';
import type { Listing, Lists } from './lists/lists.ts';
import { readAddress, type Address } from './syntax/address.ts';
import type { DomainName } from './syntax/domain.ts';

/** What is known of an address without asking anybody. */
export type Screened = {
  readonly input: unknown;
  readonly syntax: SyntaxCode;
  readonly address: Address | null;
  /** Also where only the local part is wrong. */
  readonly domain: DomainName | null;
  readonly profile: Profile | null;
  readonly mailbox: Mailbox | null;
  readonly role: boolean;
  readonly confusable: boolean;
  readonly suggestion: string | null;
  readonly domainCodes: readonly ReasonCode[];
  readonly listCodes: readonly ReasonCode[];
  readonly syntaxMs: number;
  readonly listsMs: number;
};

export type Profile = DomainFacts & Listing & { readonly listCodes: readonly ReasonCode[] };

const NONE: readonly ReasonCode[] = [];

/** The stages that need no network. What a domain tells is kept: the next address there costs its local part alone. */
export class Screen {
  readonly #profiles = new LRUCache<string, Profile>(atMost(LIMITS.domainProfilesCachedMax));
  #lists: Lists;
  #hits = 0;
  #misses = 0;

  constructor(lists: Lists) {
    this.#lists = lists;
  }

  get lists(): Lists {
    return this.#lists;
  }

  /** Of what domains tell by themselves. */
  counts(): CacheCounts {
    return { hits: this.#hits, misses: this.#misses, stale: 0, entries: this.#profiles.size };
  }

  use(lists: Lists): void {
    this.#lists = lists;
    this.#profiles.clear();
  }

  screen(input: unknown): Screened {
    const startMs = performance.now();
    if (typeof input !== 'string') return refused(input, 'SYNTAX_NOT_STRING', null, null, null, 0);
    const reading = readAddress(input);
    const readMs = performance.now();
    if (!reading.ok) {
      const profile = reading.domain === null ? null : this.profile(reading.domain.ascii);
      return refused(input, reading.code, reading.domain, profile, reading.suggestion, readMs - startMs);
    }
    const { address } = reading;
    const profile = this.profile(address.domain.ascii);
    const mailbox = readMailbox(address, profile.provider);
    const role = this.#lists.isRole(mailbox.tag === null ? address.local.text : beforeTag(address.local.text, mailbox.tag));
    const unsure = address.local.eai || address.domain.idn;
    return {
      input, syntax: 'SYNTAX_OK', address, domain: address.domain, profile, mailbox, role,
      confusable: unsure && isConfusable(address, this.#lists.isKnown),
      suggestion: profile.meant === null ? null : `${address.local.text}@${profile.meant}`,
      domainCodes: profile.domainCodes,
      listCodes: listCodes(profile, role, mailbox),
      syntaxMs: readMs - startMs,
      listsMs: performance.now() - readMs,
    };
  }

  /** The same object as long as it holds. */
  profile(domain: string): Profile {
    const kept = this.#profiles.get(domain);
    if (kept !== undefined) {
      this.#hits += 1;
      return kept;
    }
    this.#misses += 1;
    const { registrable, domainCodes } = domainFacts(domain);
    const listing = this.#lists.listing(domain, registrable);
    const { disposable, relay, free, meant, provider } = listing;
    const profile: Profile = { registrable, domainCodes, disposable, relay, free, meant, provider, listCodes: domainListCodes(listing) };
    this.#profiles.set(domain, profile);
    return profile;
  }
}

function refused(input: unknown, syntax: SyntaxCode, domain: DomainName | null, profile: Profile | null, suggestion: string | null, syntaxMs: number): Screened {
  return {
    input, syntax, address: null, domain, profile, mailbox: null, role: false, confusable: false, suggestion,
    domainCodes: NONE, listCodes: NONE, syntaxMs, listsMs: 0,
  };
}

/** Those that lower a verdict first. */
function domainListCodes({ disposable, meant, relay, free }: Listing): readonly ReasonCode[] {
  if (!disposable && !relay && !free && meant === null) return NONE;
  const codes: ReasonCode[] = [];
  if (disposable) codes.push('LIST_DISPOSABLE');
  if (meant !== null) codes.push('LIST_TYPO');
  if (relay) codes.push('LIST_RELAY');
  if (free) codes.push('LIST_FREE');
  return codes;
}

function listCodes(profile: Profile, role: boolean, { possible }: Mailbox): readonly ReasonCode[] {
  if (!role && possible) return profile.listCodes;
  return [...profile.listCodes, ...(possible ? [] : ['LIST_PROVIDER_RULE' as const]), ...(role ? ['LIST_ROLE' as const] : [])];
}

function beforeTag(local: string, tag: string): string {
  return local.slice(0, local.length - tag.length - 1);
}
