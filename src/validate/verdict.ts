import { consequenceOf, type DnsCode, type Level, type ReasonCode, type SmtpCode, type Status, type SyntaxCode } from './codes.ts';

/** What each stage found; null where it did not run. */
export type Findings = {
  readonly syntax: SyntaxCode;
  /** Hints and fatal finds, the deciding one first. */
  readonly domain: readonly ReasonCode[];
  readonly lists: readonly ReasonCode[];
  /** The finding, then notes. */
  readonly dns: readonly [DnsCode, ...DnsCode[]] | null;
  readonly smtp: SmtpCode | null;
  /** Traits that make an address a little less sure. */
  readonly traits: readonly Trait[];
};

export type Trait = 'quoted' | 'eai' | 'confusable';

type Verdict = {
  readonly status: Status;
  readonly level: Level;
  readonly reason: ReasonCode;
  readonly reasons: readonly ReasonCode[];
  readonly score: number;
  readonly syntaxValid: boolean;
  readonly acceptsMail: boolean | null;
  readonly mailboxExists: boolean | null;
};

/** A score never contradicts the status: each has its band. */
const BANDS: Readonly<Record<Status, readonly [min: number, max: number]>> = {
  undeliverable: [0, 9], risky: [25, 59], unknown: [20, 74], deliverable: [75, 100],
};

const DEDUCTIONS: Partial<Readonly<Record<ReasonCode | Trait, number>>> = {
  LIST_DISPOSABLE: 30, LIST_TYPO: 25, LIST_PROVIDER_RULE: 20, LIST_RELAY: 5, LIST_ROLE: 8, DOMAIN_UNKNOWN_TLD: 10,
  DNS_IMPLICIT_MX: 5, DNS_MX_IS_IP: 3, DNS_MX_IS_CNAME: 1, quoted: 8, eai: 4, confusable: 20,
};

/** Pure: the same findings give the same verdict. */
export function verdictOf(findings: Findings): Verdict {
  const { syntax, domain, lists, dns, smtp } = findings;
  const found: ReasonCode[] = [];
  if (smtp !== null) found.push(smtp);
  if (dns !== null) found.push(...dns);
  found.push(...lists, ...domain);
  const decided = decide(findings);
  if (decided === syntax) found.push(syntax);
  const reason = lowered(decided, lists);
  const { status, score } = consequenceOf(reason);
  const first = found.indexOf(reason);
  if (first > 0) found.unshift(...found.splice(first, 1));
  return {
    status: status!,
    level: consequenceOf(decided).level,
    reason,
    reasons: found,
    score: scored(status!, Math.min(score, consequenceOf(decided).score), found, findings.traits),
    syntaxValid: syntax === 'SYNTAX_OK',
    acceptsMail: acceptsMail(findings),
    mailboxExists: mailboxExists(smtp),
  };
}

/** The deepest code that decides. Notes do not; of the lists none does by itself. */
function decide({ syntax, domain, dns, smtp }: Findings): ReasonCode {
  if (smtp !== null && consequenceOf(smtp).status !== null) return smtp;
  if (dns !== null) return dns[0];
  return domain.find((code) => consequenceOf(code).status !== null) ?? syntax;
}

/** A mailbox that takes mail is still a risk at a throw-away or mistyped domain. */
function lowered(decided: ReasonCode, lists: readonly ReasonCode[]): ReasonCode {
  if (decided !== 'SMTP_ACCEPTED') return decided;
  return lists.find((code) => consequenceOf(code).status === 'risky') ?? decided;
}

function scored(status: Status, start: number, found: readonly ReasonCode[], traits: readonly Trait[]): number {
  const [min, max] = BANDS[status];
  if (status === 'undeliverable') return start;
  let score = start;
  for (const code of found) score -= DEDUCTIONS[code] ?? 0;
  for (const trait of traits) score -= DEDUCTIONS[trait] ?? 0;
  return Math.min(max, Math.max(min, score));
}

/** What is no address says nothing of a domain, even where it seems to name one. */
function acceptsMail({ syntax, domain, dns, smtp }: Findings): boolean | null {
  if (syntax !== 'SYNTAX_OK') return null;
  if (domain.some((code) => consequenceOf(code).status === 'undeliverable')) return false;
  if (dns === null) return null;
  const { status } = consequenceOf(dns[0]);
  if (status === 'undeliverable') return false;
  if (dns[0] === 'DNS_MX_OK' || dns[0] === 'DNS_IMPLICIT_MX') return true;
  return smtp === 'SMTP_ACCEPTED' ? true : null;
}

function mailboxExists(smtp: SmtpCode | null): boolean | null {
  switch (smtp) {
    case 'SMTP_ACCEPTED': case 'SMTP_MAILBOX_FULL': return true;
    case 'SMTP_MAILBOX_NOT_FOUND': case 'SMTP_MAILBOX_DISABLED': case 'SMTP_MOVED': return false;
    default: return null;
  }
}
