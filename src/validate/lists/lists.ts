import { isCalledDisposable } from './disposable.ts';
import { FREE_DOMAINS } from './free.ts';
import { providerOfDomain, type Provider } from './providers.ts';
import { RELAY_DOMAINS } from './relay.ts';
import { ROLE_NAMES } from './role.ts';
import { likelyMeant } from './typo.ts';

export const LIST_NAMES = ['disposable', 'relay', 'role', 'free'] as const;
export type ListName = (typeof LIST_NAMES)[number];

/** What the lists say of a domain. The three classes are kept apart: an alias service is not a throw-away one. */
export type Listing = {
  readonly disposable: boolean;
  readonly relay: boolean;
  readonly free: boolean;
  /** The domain that was likely meant. */
  readonly meant: string | null;
  readonly provider: Provider | null;
};

export type Lists = {
  /** `registrable` bounds the walk up: a list entry speaks for what is below it. */
  listing(domain: string, registrable: string | null): Listing;
  isRole(local: string): boolean;
  /** False for most names that are no role, for less than the look for them costs. `first`: the first letter, of ASCII, of so many. */
  mayBeRole(first: number, letters: number): boolean;
  isKnown(domain: string): boolean;
};

/** The built-in lists, or in the place of each the operator's own. */
export function openLists(own: Partial<Readonly<Record<ListName, ReadonlySet<string>>>> = {}): Lists {
  const relay = own.relay ?? new Set(RELAY_DOMAINS);
  const free = own.free ?? new Set(FREE_DOMAINS);
  const role = own.role ?? new Set(ROLE_NAMES);
  const disposable: Names = own.disposable ?? DISPOSABLES;

  const shapes = new Uint8Array(ROLE_LETTERS_TOLD * 128);
  for (const name of role) shapes[shapeOf(name.charCodeAt(0), name.length)] = 1;

  const isKnown = (domain: string): boolean => free.has(domain) || relay.has(domain) || disposable.has(domain) || providerOfDomain(domain) !== null;

  return {
    listing(domain, registrable) {
      const relayed = standsIn(relay, domain, registrable);
      const thrownAway = !relayed && standsIn(disposable, domain, registrable);
      const isFree = free.has(domain);
      const provider = providerOfDomain(domain);
      return {
        disposable: thrownAway,
        relay: relayed,
        free: isFree,
        meant: relayed || thrownAway || isFree || provider !== null ? null : likelyMeant(domain),
        provider,
      };
    },
    isRole: (local) => role.has(local.toLowerCase()),
    mayBeRole: (first, letters) => shapes[shapeOf(first, letters)] === 1,
    isKnown,
  };
}

/** Names are told apart by so many lengths; longer ones count as of the last. */
const ROLE_LETTERS_TOLD = 32;

/** Case makes no difference to a letter's place; what shares it besides is looked for in vain. */
function shapeOf(first: number, letters: number): number {
  return Math.min(letters, ROLE_LETTERS_TOLD - 1) * 128 + (first & 127 | 32);
}

type Names = Pick<ReadonlySet<string>, 'has'>;

const HONEST = new Set([...FREE_DOMAINS, ...RELAY_DOMAINS]);

/**
 * Collected lists name honest providers and misspellings of them too. The former are left out; of the latter the slip says more than
 * the class, so they are left to it. Decided of a name once it is asked for: to decide it of all takes each start 60 ms.
 */
const DISPOSABLES: Names = {
  has: (name) => isCalledDisposable(name) && !HONEST.has(name) && providerOfDomain(name) === null && likelyMeant(name) === null,
};

function standsIn(list: Names, domain: string, registrable: string | null): boolean {
  let name = domain;
  while (!list.has(name)) {
    if (name === registrable || registrable === null) return false;
    name = name.slice(name.indexOf('.') + 1);
  }
  return true;
}
