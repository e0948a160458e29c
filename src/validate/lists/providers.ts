import { familyOf } from './free.ts';

/** What is known of how a provider reads the part before the @, and of how its hosts answer a probe. */
export type Provider = {
  readonly name: string;
  /** Host name endings of its MX records. */
  readonly hosts: readonly string[];
  /** Its own mail domains; the first is the one that the others are the same mailbox under, where `joined`. */
  readonly domains: readonly string[];
  readonly joined: boolean;
  readonly separator: '+' | '-' | null;
  /** Characters that it does not see in a name. */
  readonly ignores: string;
  /** The names it gives out (lower case, without tag and ignored characters); null where unknown. */
  readonly names: RegExp | null;
  /** False where its answer to RCPT proves nothing: it accepts all and bounces later, or fights probes. */
  readonly decidable: boolean;
};

type Traits = Partial<Omit<Provider, 'name' | 'hosts'>>;

const provider = (name: string, hosts: string, traits: Traits = {}): Provider =>
  ({ name, hosts: hosts.split(' '), domains: [], joined: false, separator: null, ignores: '', names: null, decidable: true, ...traits });
const list = (text: string): string[] => text.split(' ');

/** Those of Japan and China were other companies' services. */
const YAHOO = familyOf('yahoo').filter((domain) => !/\.(?:jp|cn)$/.test(domain));

const PROVIDERS: readonly Provider[] = [
  provider('google', 'gmail-smtp-in.l.google.com', { domains: list('gmail.com googlemail.com'), joined: true, separator: '+', ignores: '.', names: /^[a-z0-9]{3,40}$/ }),
  provider('google_workspace', 'google.com googlemail.com', { separator: '+' }),
  provider('microsoft', 'olc.protection.outlook.com hotmail.com', { domains: [...familyOf('outlook', 'hotmail', 'live'), 'msn.com'], separator: '+', decidable: false }),
  provider('microsoft_365', 'mail.protection.outlook.com mx.microsoft', { separator: '+' }),
  provider('yahoo', 'yahoodns.net', { domains: [...YAHOO, ...list('ymail.com rocketmail.com aol.com')], separator: '-', names: /^[a-z][a-z0-9._]{2,39}$/, decidable: false }),
  provider('icloud', 'icloud.com', { domains: list('icloud.com me.com mac.com'), joined: true, separator: '+', names: /^[a-z0-9][a-z0-9._-]{0,63}$/ }),
  provider('proton', 'protonmail.ch', { domains: list('proton.me protonmail.com protonmail.ch pm.me'), joined: true, separator: '+', ignores: '.-_' }),
  provider('fastmail', 'messagingengine.com', { domains: list('fastmail.com fastmail.fm'), separator: '+' }),
  provider('zoho', 'zoho.com zoho.eu zoho.in', { separator: '+' }),
  provider('yandex', 'yandex.ru yandex.net', { domains: list('yandex.ru yandex.com yandex.by yandex.kz yandex.ua ya.ru'), joined: true, separator: '+' }),
  provider('mail_ru', 'mail.ru', { separator: '+' }),
  provider('gmx', 'gmx.net gmx.com web.de', {}),
  provider('ionos', 'kundenserver.de ionos.com 1and1.com'),
  provider('t_online', 't-online.de'),
  provider('tencent', 'qq.com'),
  provider('netease', '163.com 163mx01.mxmail.netease.com netease.com'),
  provider('ovh', 'ovh.net'),
  provider('rackspace', 'emailsrvr.com', { separator: '+' }),
  provider('amazon', 'amazonaws.com'),
  provider('godaddy', 'secureserver.net'),
  provider('mimecast', 'mimecast.com', { decidable: false }),
  provider('proofpoint', 'pphosted.com ppe-hosted.com', { decidable: false }),
  provider('barracuda', 'barracudanetworks.com', { decidable: false }),
  provider('messagelabs', 'messagelabs.com'),
  provider('cloudflare', 'mx.cloudflare.net'),
];

const BY_HOST = new Map(PROVIDERS.flatMap((provider) => provider.hosts.map((host) => [host, provider] as const)));
const BY_DOMAIN = new Map(PROVIDERS.flatMap((provider) => provider.domains.map((domain) => [domain, provider] as const)));

export function providerOfDomain(domain: string): Provider | null {
  return BY_DOMAIN.get(domain) ?? null;
}

/** The longest known ending of a mail host's name wins. */
export function providerOfHost(host: string): Provider | null {
  for (let at = 0; at !== -1;) {
    const found = BY_HOST.get(host.slice(at));
    if (found !== undefined) return found;
    const dot = host.indexOf('.', at);
    at = dot === -1 ? -1 : dot + 1;
  }
  return null;
}
