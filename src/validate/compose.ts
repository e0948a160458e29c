import { LIMITS } from '../config/limits.ts';
import { consequenceOf, type DnsCode, type ReasonCode, type SmtpCode } from './codes.ts';
import type { MailRoute } from './dns/mail.ts';
import { hostedName } from './lists/canonical.ts';
import type { Flags, MxEntry, StageEntry, Stage, CacheState, SmtpEntry, Validation } from './result.ts';
import type { Screened } from './screen.ts';
import type { MailboxFinding } from './smtp/mailbox.ts';
import { emailOf } from './syntax/address.ts';
import { verdictOf, type Findings, type Trait } from './verdict.ts';

export type Wanted = {
  readonly domain: boolean;
  readonly lists: boolean;
  readonly dns: boolean;
  /** `disabled`: asked for by name, but the operator has it off. */
  readonly smtp: 'yes' | 'no' | 'disabled';
};

/** What a stage on the network brought; `value` null where the deadline struck first. */
export type Fetched<V> = { readonly value: V | null; readonly cache: CacheState | null; readonly ms: number; readonly expiresMs: number };

/** `ms` on the monotonic clock, as all times of what is kept; the rest by the wall clock, as it is told. */
export type Moment = { readonly ms: number; readonly unixMs: number; readonly iso: string };

/** One result from all that was found. Pure. */
export function compose(screened: Screened, wanted: Wanted, route: Fetched<MailRoute> | null, mailbox: Fetched<MailboxFinding> | null, now: Moment): Validation {
  const { address, domain, profile } = screened;
  const dns = route === null ? null : route.value?.codes ?? LATE;
  const smtp: SmtpCode | null = mailbox === null ? (disabled(wanted, dns) ? 'SMTP_DISABLED' : null) : mailbox.value?.code ?? 'SMTP_TIMEOUT';
  const findings: Findings = {
    syntax: screened.syntax, domain: wanted.domain ? screened.domainCodes : NONE, lists: wanted.lists && !isFatal(screened, wanted) ? screened.listCodes : NONE,
    dns, smtp, traits: traitsOf(screened),
  };
  const verdict = verdictOf(findings);
  return {
    input: screened.input,
    email: address === null ? null : emailOf(address),
    local: address === null ? null : address.local.text,
    domain: domain === null ? null : domain.ascii,
    domain_unicode: domain === null ? null : domain.unicode,
    registrable_domain: profile === null ? null : profile.registrable,
    canonical: canonicalOf(screened, route),
    tag: screened.mailbox === null ? null : screened.mailbox.tag,
    status: verdict.status,
    level: verdict.level,
    reason: verdict.reason,
    reasons: verdict.reasons,
    score: verdict.score,
    suggestion: address === null || wanted.lists ? screened.suggestion : null,
    syntax_valid: verdict.syntaxValid,
    domain_accepts_mail: verdict.acceptsMail,
    mailbox_exists: verdict.mailboxExists,
    flags: flagsOf(screened, mailbox?.value ?? null, smtp),
    mx: route?.value == null || route.value.failed ? null : mxOf(route.value),
    smtp: mailbox === null ? null : mailbox.value?.entry ?? UNDECIDED,
    stages: stagesOf(screened, wanted, route, mailbox, findings),
    checked_at: now.iso,
    expires_at: expiryText(route, mailbox, now),
  };
}

/** The provider that a domain is known to belong to says more than the one that serves it. */
function canonicalOf({ address, profile, mailbox }: Screened, route: Fetched<MailRoute> | null): string | null {
  if (address === null || mailbox === null) return null;
  const name = profile?.provider == null ? hostedName(address.local.text, route?.value?.provider ?? null) : null;
  return name === null ? mailbox.canonical : `${name}@${address.domain.ascii}`;
}

/** Whether the stages before the network found an end to it. */
export function isFatal(screened: Screened, wanted: Wanted): boolean {
  return screened.address === null || (wanted.domain && screened.domainCodes[0] === 'DOMAIN_SPECIAL_USE');
}

const NONE: readonly ReasonCode[] = [];
const LATE: readonly [DnsCode] = ['DNS_TIMEOUT'];
const UNDECIDED: SmtpEntry = { attempted: true, host: null, code: null, enhanced: null, class: 'timeout' };

function disabled(wanted: Wanted, dns: readonly DnsCode[] | null): boolean {
  return wanted.smtp === 'disabled' && (dns?.[0] === 'DNS_MX_OK' || dns?.[0] === 'DNS_IMPLICIT_MX');
}

function traitsOf({ address, confusable }: Screened): Trait[] {
  const traits: Trait[] = [];
  if (address?.local.quoted === true) traits.push('quoted');
  if (address?.local.eai === true) traits.push('eai');
  if (confusable) traits.push('confusable');
  return traits;
}

function flagsOf(screened: Screened, mailbox: MailboxFinding | null, smtp: SmtpCode | null): Flags {
  const { address, domain, profile } = screened;
  const answered = mailbox !== null && mailbox.entry.attempted && smtp !== null && consequenceOf(smtp).status !== 'unknown';
  return {
    disposable: profile !== null && profile.disposable,
    relay: profile !== null && profile.relay,
    role: screened.role,
    free: profile !== null && profile.free,
    subaddress: screened.mailbox !== null && screened.mailbox.tag !== null,
    quoted: address !== null && address.local.quoted,
    eai: address !== null && address.local.eai,
    idn: domain !== null && domain.idn,
    confusable: screened.confusable,
    catch_all: mailbox === null ? null : mailbox.catchAll,
    mailbox_full: answered ? smtp === 'SMTP_MAILBOX_FULL' : null,
    mailbox_disabled: answered ? smtp === 'SMTP_MAILBOX_DISABLED' : null,
  };
}

function mxOf({ records, implicit, nullMx, provider, ttlS }: MailRoute): MxEntry {
  return { records, implicit, null_mx: nullMx, provider: provider === null ? null : provider.name, ttl: ttlS !== null && Number.isFinite(ttlS) ? ttlS : null };
}

function stagesOf(
  screened: Screened, wanted: Wanted, route: Fetched<MailRoute> | null, mailbox: Fetched<MailboxFinding> | null, { syntax, domain, lists, dns, smtp }: Findings,
): StageEntry[] {
  const valid = screened.address !== null;
  const special = domain[0] === 'DOMAIN_SPECIAL_USE';
  return [
    entry('syntax', valid ? 'pass' : 'fail', syntax, screened.syntaxMs, null),
    valid && wanted.domain ? entry('domain', special ? 'fail' : 'pass', domain[0] ?? null, 0, null) : SKIPPED.domain,
    valid && wanted.lists && !special ? entry('lists', 'pass', lists[0] ?? null, screened.listsMs, null) : SKIPPED.lists,
    route === null ? SKIPPED.dns : entry('dns', outcomeOf(dns![0]!), dns![0]!, route.ms, route.cache),
    mailbox === null ? (smtp === null ? SKIPPED.smtp : DISABLED) : entry('smtp', outcomeOf(smtp!), smtp, mailbox.ms, mailbox.cache),
  ];
}

function entry(name: Stage, status: StageEntry['status'], code: ReasonCode | null, ms: number, cache: CacheState | null): StageEntry {
  return { name, status, code, ms: Math.round(ms * 1_000) / 1_000, cache };
}

const skipped = (name: Stage): StageEntry => ({ name, status: 'skipped', code: null, ms: 0, cache: null });
const SKIPPED = { domain: skipped('domain'), lists: skipped('lists'), dns: skipped('dns'), smtp: skipped('smtp') };
const DISABLED: StageEntry = { ...skipped('smtp'), code: 'SMTP_DISABLED' };

function outcomeOf(code: ReasonCode): StageEntry['status'] {
  if (code === 'DNS_MX_OK' || code === 'DNS_IMPLICIT_MX') return 'pass';
  switch (consequenceOf(code).status) {
    case 'deliverable': return 'pass';
    case 'undeliverable': return 'fail';
    case 'risky': return code === 'SMTP_CATCH_ALL' ? 'pass' : 'fail';
    default: return 'unknown';
  }
}

function expiryOf(route: Fetched<MailRoute> | null, mailbox: Fetched<MailboxFinding> | null, nowMs: number): number {
  let expiresMs = nowMs + LIMITS.verdictTtlMsMax;
  if (route !== null && route.expiresMs < expiresMs) expiresMs = route.expiresMs;
  if (mailbox !== null && mailbox.expiresMs < expiresMs) expiresMs = mailbox.expiresMs;
  return Math.max(expiresMs, nowMs);
}

export function expiryText(route: Fetched<MailRoute> | null, mailbox: Fetched<MailboxFinding> | null, now: Moment): string {
  return isoSecond(expiryOf(route, mailbox, now.ms), now);
}

let lastSecond = NaN;
let lastIso = '';

/** In whole seconds, never later than it is; the results of a batch mostly share a few, and the text costs more than the rest of the verdict. */
function isoSecond(ms: number, now: Moment): string {
  const second = Math.floor((now.unixMs + ms - now.ms) / 1_000);
  if (second * 1_000 < now.unixMs) return now.iso;
  if (second !== lastSecond) {
    lastSecond = second;
    lastIso = new Date(second * 1_000).toISOString();
  }
  return lastIso;
}
