import type { Address } from '../syntax/address.ts';
import type { Provider } from './providers.ts';

export type Mailbox = {
  /** The same for all spellings of one mailbox, as far as its provider is known. For comparing, never for mailing. */
  readonly canonical: string;
  readonly tag: string | null;
  /** False for a name that the provider does not give out. */
  readonly possible: boolean;
};

/** An unknown provider may read case, dots and tags as it likes: the tag after a plus is told, but nothing is stripped. */
export function readMailbox({ local, domain }: Address, provider: Provider | null): Mailbox {
  const text = local.text;
  const bare = text.charCodeAt(0) !== 34;
  if (provider === null || !bare) {
    const plus = bare ? text.indexOf('+') : -1;
    return { canonical: `${text}@${domain.ascii}`, tag: plus < 1 ? null : text.slice(plus + 1), possible: true };
  }
  const cut = provider.separator === null ? -1 : text.indexOf(provider.separator);
  const name = strip((cut < 1 ? text : text.slice(0, cut)).toLowerCase(), provider.ignores);
  const home = provider.joined && provider.domains.includes(domain.ascii) ? provider.domains[0]! : domain.ascii;
  const known = provider.names === null || !provider.domains.includes(domain.ascii);
  return { canonical: `${name}@${home}`, tag: cut < 1 ? null : text.slice(cut + 1), possible: known || provider.names.test(name) };
}

/**
 * The name at a domain of somebody's own that a provider serves, as its MX says; null where nothing follows from that. What the provider does not see
 * in the names of its own domains may tell mailboxes apart there.
 */
export function hostedName(local: string, host: Provider | null): string | null {
  if (host?.separator !== '+' || local.charCodeAt(0) === 34) return null;
  const plus = local.indexOf('+');
  return (plus < 1 ? local : local.slice(0, plus)).toLowerCase();
}

function strip(name: string, ignored: string): string {
  let kept = name;
  for (const character of ignored) if (kept.includes(character)) kept = kept.replaceAll(character, '');
  return kept;
}
