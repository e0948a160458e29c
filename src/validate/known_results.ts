import { LRUCache } from 'lru-cache';
import { LIMITS } from '../config/limits.ts';
import { atMost } from './at_most.ts';
import type { Status } from './codes.ts';
import { compose, expiryText, type Fetched, type Moment, type Wanted } from './compose.ts';
import type { MailRoute } from './dns/mail.ts';
import { hostedName, readMailbox } from './lists/canonical.ts';
import type { CacheCounts } from './lookup_cache.ts';
import type { ResultTexts } from './result_texts.ts';
import { ResultTemplate } from './result_template.ts';
import type { Profile, Screen, Screened } from './screen.ts';
import { ATEXT, AT, DOT } from './syntax/characters.ts';
import type { DomainName } from './syntax/domain.ts';

/** What a call asks, and how it comes by the routes of domains. */
export type CallView = {
  readonly number: number;
  readonly wanted: Wanted;
  readonly now: Moment;
  /** What is known of the domain without waiting; counted and noted for the call. */
  see(domain: string): Fetched<MailRoute> | null;
};

/** A domain as it was written, and the results of its addresses for as long as the profile and the route hold from which they follow. */
type KnownDomain = {
  readonly name: DomainName;
  readonly profile: Profile;
  /** Of the templates that ask for one; null where none does. */
  readonly route: MailRoute | null;
  /** By `place`. */
  readonly templates: (ResultTemplate | undefined)[];
  bytes: number;
  /** The last call that found all of it to hold still. */
  call: number;
  expiresAt: string;
};

const TAGGED = 1;
const ROLE = 2;
const IMPOSSIBLE = 4;
const VARIANT_BITS = 3;
const NO_CALL = -1;

/**
 * Results of which all but the local part is known, ready to be written: a further address at such a domain costs the scan of its local part and
 * a few copies. Kept of what was answered from caches before; what is new, out of date, odd or of a mailbox is left to the stages.
 */
export class KnownResults {
  readonly #screen: Screen;
  readonly #domains = new LRUCache<string, KnownDomain>({ ...atMost(LIMITS.domainProfilesCachedMax), dispose: ({ bytes }) => { this.#bytes -= bytes; } });
  #bytes = 0;
  #hits = 0;
  #misses = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  counts(): CacheCounts {
    return { hits: this.#hits, misses: this.#misses, stale: 0, entries: this.#domains.size };
  }

  /** Writes the result of `input` and gives its status; null where it has to be found out. */
  write(index: number, input: string, call: CallView, texts: ResultTexts): Status | null {
    const status = this.#write(index, input, call, texts);
    if (status === null) this.#misses += 1;
    else this.#hits += 1;
    return status;
  }

  /** Keeps what a result that was just found from caches says of its domain. */
  learn(screened: Screened, wanted: Wanted, fetched: Fetched<MailRoute> | null, now: Moment): void {
    const { input, address, profile, mailbox, role } = screened;
    if (typeof input !== 'string' || address === null || profile === null || mailbox === null || profile.meant !== null) return;
    if (wanted.dns !== (fetched !== null) || (fetched !== null && (fetched.cache !== 'hit' || fetched.value === null || fetched.value.failed))) return;
    const letters = plainLetters(input);
    if (letters === -1) return;
    const at = place(wanted, (mailbox.tag === null ? 0 : TAGGED) | (role ? ROLE : 0) | (mailbox.possible ? 0 : IMPOSSIBLE));
    const known = this.#standing(input.slice(letters + 1), address.domain, profile, fetched === null ? null : fetched.value);
    if (known.templates[at] !== undefined) return;
    const template = new ResultTemplate(compose({ ...screened, syntaxMs: 0, listsMs: 0 }, wanted, fetched, null, now));
    known.templates[at] = template;
    const bytes = template.bytes + LIMITS.resultTemplateExtraBytes;
    known.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > LIMITS.resultTemplatesBytesMax) this.#domains.pop();
  }

  /** What is kept of a domain, or begun anew where it follows from another profile or route. */
  #standing(sent: string, name: DomainName, profile: Profile, route: MailRoute | null): KnownDomain {
    const before = this.#domains.get(sent);
    if (before !== undefined && before.profile === profile && (route === null || before.route === route)) return before;
    const known: KnownDomain = { name, profile, route, templates: [], bytes: 0, call: NO_CALL, expiresAt: '' };
    this.#domains.set(sent, known);
    return known;
  }

  #write(index: number, input: string, call: CallView, texts: ResultTexts): Status | null {
    const letters = plainLetters(input);
    if (letters === -1) return null;
    const sent = input.slice(letters + 1);
    const known = this.#domains.peek(sent);
    if (known === undefined || letters + 1 + known.name.ascii.length > LIMITS.addressOctetsMax) return null;
    const { lists } = this.#screen;
    const { provider } = known.profile;
    let canonical: string | null = null;
    let tagLetters = -1;
    let variant = 0;
    if (provider === null) {
      const plus = input.indexOf('+');
      if (plus > 0 && plus < letters) tagLetters = letters - plus - 1;
      if (call.wanted.dns && known.route !== null) canonical = hostedName(input.slice(0, letters), known.route.provider);
    } else {
      const mailbox = readMailbox({ local: { text: input.slice(0, letters), quoted: false, eai: false }, domain: known.name }, provider);
      canonical = mailbox.canonical.slice(0, mailbox.canonical.lastIndexOf('@'));
      if (mailbox.tag !== null) tagLetters = mailbox.tag.length;
      if (!mailbox.possible) variant |= IMPOSSIBLE;
    }
    if (tagLetters !== -1) variant |= TAGGED;
    const bare = letters - tagLetters - 1;
    if (lists.mayBeRole(input.charCodeAt(0), bare) && lists.isRole(input.slice(0, bare))) variant |= ROLE;
    const template = known.templates[place(call.wanted, variant)];
    if (template === undefined || (known.call !== call.number && !this.#holds(sent, known, call))) return null;
    template.stamp(call.now.iso, known.expiresAt);
    texts.open(index);
    template.append(texts.sink, input, letters, tagLetters, canonical);
    texts.close(index);
    return template.status;
  }

  /** Looked into once a call, which is also when the domain counts as used. */
  #holds(sent: string, known: KnownDomain, call: CallView): boolean {
    const fetched = call.see(known.name.ascii);
    if (call.wanted.dns && (fetched === null || fetched.cache !== 'hit' || fetched.value !== known.route)) return false;
    if (this.#screen.profile(known.name.ascii) !== known.profile) return false;
    known.expiresAt = expiryText(call.wanted.dns ? fetched : null, null, call.now);
    known.call = call.number;
    this.#domains.get(sent);
    return true;
  }
}

/** What else is asked for makes another result; all stages but the mailbox's are the first. */
function place({ domain, lists, dns, smtp }: Wanted, variant: number): number {
  const wanted = (domain ? 0 : 1) | (lists ? 0 : 2) | (dns ? 0 : 4) | (smtp === 'no' ? 0 : smtp === 'disabled' ? 8 : 16);
  return (wanted << VARIANT_BITS) | variant;
}

/** How many letters of ASCII stand before the @ where they are a dot-string as it should be; else -1. */
function plainLetters(input: string): number {
  const most = Math.min(input.length - 1, LIMITS.localOctetsMax);
  let afterDot = true;
  for (let at = 0; at <= most; at++) {
    const code = input.charCodeAt(at);
    if (code === AT) return afterDot ? -1 : at;
    if (code === DOT) {
      if (afterDot) return -1;
      afterDot = true;
    } else {
      if (code > 127 || ATEXT[code] === 0) return -1;
      afterDot = false;
    }
  }
  return -1;
}
