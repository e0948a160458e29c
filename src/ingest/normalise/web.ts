import { LIMITS } from '../../config/limits.ts';
import { requirePackage } from '../../lib/require_package.ts';
import { asciiName } from '../../lib/domain_name.ts';

const { getDomain } = requirePackage('tldts') as typeof import('tldts');

const ONE_LETTER = /\.[^.]$/;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Hosts under which many companies have a page: their registrable domain says nothing of a company's identity. */
const SHARED = new Set(
  ('facebook.com fb.com instagram.com linkedin.com twitter.com x.com youtube.com youtu.be tiktok.com pinterest.com medium.com ' +
    'google.com goo.gl bit.ly t.me telegram.me wa.me whatsapp.com vk.com ok.ru linktr.ee github.com github.io gitlab.io wordpress.com wixsite.com ' +
    'wix.com weebly.com squarespace.com webflow.io tumblr.com myshopify.com etsy.com ebay.com amazon.com yelp.com wikipedia.org crunchbase.com ' +
    'threads.net bsky.app mastodon.social xing.com weibo.com naver.com alibaba.com 1688.com taobao.com tmall.com ' +
    'apple.com business.site site123.me jimdofree.com jimdosite.com godaddysites.com notion.site carrd.co').split(' '),
);

/** Blogs of one host have the domain of their reader's country. */
const isShared = (domain: string): boolean => SHARED.has(domain) || domain.startsWith('blogspot.');

/** An e-mail address, or the user of a site; an at behind a stroke is that of a name on a site (`youtube.com/@acme.io`). */
const hasAddress = (text: string): boolean => /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/@]*@/i.test(text);

/** The registrable domain of a host, an address or an e-mail address, in ASCII; null for an IP address or a public suffix of a registry. */
export function domainOf(text: string): string | null {
  const host = hostIn(text);
  return host === null ? null : registrable(host);
}

/**
 * Below suffixes that are somebody's own (`uk.com`, `krakow.pl`, `herokuapp.com`) each name is another's, as it is for `validate/public_suffix`; the suffix itself is its owner's.
 * No top-level domain has a single letter: `n.v.` and `S.A.` are words.
 */
function registrable(host: string): string | null {
  const domain = getDomain(host, { allowPrivateDomains: true }) ?? getDomain(host);
  return domain !== null && ONE_LETTER.test(domain) ? null : domain;
}

/** As `domainOf`, but null for a page on a host which many share, or a host below it: who works at LinkedIn has its domain, whose profile stands there does not. */
export function ownDomainOf(text: string): string | null {
  return hasAddress(text) ? domainOf(text) : siteDomainOf(text);
}

/** As `domainOf`, but null where the site is a page on someone else's: the first page of such a host itself is its owner's. */
export function siteDomainOf(website: string): string | null {
  const host = hostIn(website);
  if (host === null) return null;
  const domain = getDomain(host);
  if (domain === null || !isShared(domain)) return registrable(host);
  const url = parse(website);
  return url !== null && url.hostname.replace(/^www\./, '') === domain && url.pathname === '/' && url.search === '' ? domain : null;
}

/** One https form of a web address: host in ASCII lower case, no user, port, fragment or lone slash. */
export function websiteOf(text: string): string | null {
  const url = parse(text);
  if (url === null || registrable(url.hostname) === null) return null;
  const path = url.pathname === '/' && url.search === '' ? '' : `${url.pathname}${url.search}`;
  const website = `https://${url.hostname}${path}`;
  return website.length > LIMITS.websiteCharactersMax ? null : website;
}

/** Whether several addresses are all pages of one site, as those that a CRM or a register has of its records: the sites of companies are as many as these. */
export function areOfOneSite(texts: readonly string[]): boolean {
  const urls = texts.map((text) => (SCHEME.test(text) ? parse(text) : null));
  return urls.length > 1 && urls.every((url) => url !== null && url.pathname !== '/' && url.hostname === urls[0]?.hostname);
}

function hostIn(text: string): string | null {
  return hostOf(hasAddress(text) ? text.slice(text.lastIndexOf('@') + 1) : text);
}

function hostOf(text: string): string | null {
  const plain = text.trim().toLowerCase();
  if (/^[a-z0-9.-]+$/.test(plain)) return plain;
  return parse(plain)?.hostname ?? (asciiName(plain) || null);
}

function parse(text: string): URL | null {
  const first = text.trim().split(/[\s,;|]+/, 1)[0]!;
  try {
    const url = new URL(SCHEME.test(first) ? first : `https://${first.replace(/^\/+/, '')}`);
    return /^https?:$/.test(url.protocol) ? url : null;
  } catch {
    return null;
  }
}
