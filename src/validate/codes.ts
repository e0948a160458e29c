export type Status = 'deliverable' | 'risky' | 'undeliverable' | 'unknown';
/** How deep the verdict was decided. */
export type Level = 'syntax' | 'domain' | 'mailbox';

/**
 * Every reason, what it means, and what follows from it where it decides: the status, how deep it was decided, and the score
 * before deductions. Rows without a status are notes.
 */
const TABLE = {
  SYNTAX_OK: ['unknown', 'syntax', 60, 'well formed; nothing deeper was asked or decided'],
  SYNTAX_EMPTY: ['undeliverable', 'syntax', 0, 'empty, or only blanks'],
  SYNTAX_NOT_STRING: ['undeliverable', 'syntax', 0, 'not a string'],
  SYNTAX_TOO_LONG: ['undeliverable', 'syntax', 0, 'longer than 254 octets'],
  SYNTAX_NO_AT: ['undeliverable', 'syntax', 0, 'there is no @'],
  SYNTAX_MULTIPLE_AT: ['undeliverable', 'syntax', 0, 'a second @ outside quotes'],
  SYNTAX_LOCAL_EMPTY: ['undeliverable', 'syntax', 0, 'nothing before the @'],
  SYNTAX_LOCAL_TOO_LONG: ['undeliverable', 'syntax', 0, 'more than 64 octets before the @'],
  SYNTAX_LOCAL_DOT: ['undeliverable', 'syntax', 0, 'a dot first, last or doubled before the @'],
  SYNTAX_LOCAL_CHAR: ['undeliverable', 'syntax', 0, 'a character that may not stand unquoted before the @'],
  SYNTAX_QUOTE_UNCLOSED: ['undeliverable', 'syntax', 0, 'a quote that is not closed, or text beside a quoted part'],
  SYNTAX_COMMENT_NOT_ALLOWED: ['undeliverable', 'syntax', 0, 'a comment'],
  SYNTAX_WHITESPACE: ['undeliverable', 'syntax', 0, 'a blank around or inside the address'],
  SYNTAX_CONTROL_CHAR: ['undeliverable', 'syntax', 0, 'a line break, NUL or other control character'],
  SYNTAX_UNSAFE_UNICODE: ['undeliverable', 'syntax', 0, 'an invisible, unassigned, private or unpaired code point'],
  SYNTAX_DISPLAY_NAME: ['undeliverable', 'syntax', 0, 'a display name or angle brackets around the address'],
  SYNTAX_DOMAIN_EMPTY: ['undeliverable', 'syntax', 0, 'nothing after the @'],
  SYNTAX_DOMAIN_TOO_LONG: ['undeliverable', 'syntax', 0, 'a domain of more than 253 octets'],
  SYNTAX_LABEL_EMPTY: ['undeliverable', 'syntax', 0, 'a dot first, last or doubled in the domain'],
  SYNTAX_LABEL_TOO_LONG: ['undeliverable', 'syntax', 0, 'a domain label of more than 63 octets'],
  SYNTAX_LABEL_HYPHEN: ['undeliverable', 'syntax', 0, 'a hyphen at the edge of a domain label'],
  SYNTAX_DOMAIN_CHAR: ['undeliverable', 'syntax', 0, 'a character in the domain that is no letter, digit or hyphen'],
  SYNTAX_IDNA: ['undeliverable', 'syntax', 0, 'an international domain that UTS-46 refuses, or whose encoding does not round-trip'],
  SYNTAX_LITERAL_NOT_ALLOWED: ['undeliverable', 'syntax', 0, 'an IP address in brackets, refused by policy'],
  SYNTAX_LITERAL_INVALID: ['undeliverable', 'syntax', 0, 'brackets without a valid IP address'],
  SYNTAX_NO_TLD: ['undeliverable', 'syntax', 0, 'a domain of a single label'],
  SYNTAX_NUMERIC_TLD: ['undeliverable', 'syntax', 0, 'a last label that does not begin and end with a letter'],

  DOMAIN_SPECIAL_USE: ['undeliverable', 'syntax', 1, 'a name reserved for other purposes than mail'],
  DOMAIN_UNKNOWN_TLD: [null, 'syntax', 0, 'a top-level domain that the suffix list does not know'],

  LIST_DISPOSABLE: ['risky', 'mailbox', 40, 'a throw-away provider'],
  LIST_TYPO: ['risky', 'mailbox', 40, 'a likely slip of the fingers; see the suggestion'],
  LIST_PROVIDER_RULE: [null, 'syntax', 0, 'a name that this provider does not give out'],
  LIST_RELAY: [null, 'syntax', 0, 'a forwarding alias service'],
  LIST_ROLE: [null, 'syntax', 0, 'a function rather than a person'],
  LIST_FREE: [null, 'syntax', 0, 'a public mail provider'],

  DNS_MX_OK: ['unknown', 'domain', 70, 'the domain has a usable public mail host'],
  DNS_IMPLICIT_MX: ['unknown', 'domain', 60, 'no MX record; the domain itself has a public address'],
  DNS_NULL_MX: ['undeliverable', 'domain', 2, 'the domain says that it takes no mail'],
  DNS_NXDOMAIN: ['undeliverable', 'domain', 1, 'the domain does not exist'],
  DNS_NO_MAIL_HOST: ['undeliverable', 'domain', 3, 'the domain has neither MX nor address records'],
  DNS_MX_UNUSABLE: ['undeliverable', 'domain', 4, 'no mail host of the domain has an address'],
  DNS_MX_NOT_PUBLIC: ['undeliverable', 'domain', 4, 'no mail host of the domain has a public address'],
  DNS_SPF_REJECT_ALL: ['undeliverable', 'domain', 5, 'no MX record, and a policy that the domain never mails'],
  DNS_MX_IS_IP: [null, 'domain', 0, 'an IP address as mail host: ignored'],
  DNS_MX_IS_CNAME: [null, 'domain', 0, 'an alias as mail host: followed'],
  DNS_SERVFAIL: ['unknown', 'domain', 30, "the domain's name servers fail"],
  DNS_TIMEOUT: ['unknown', 'domain', 30, "the domain's name servers do not answer in time"],
  DNS_REFUSED: ['unknown', 'domain', 30, 'the look-up was refused, although others work'],
  DNS_BACKEND_DOWN: ['unknown', 'domain', 30, 'no resolver of this service can be reached'],

  SMTP_ACCEPTED: ['deliverable', 'mailbox', 98, 'the mail host takes mail for this mailbox'],
  SMTP_CATCH_ALL: ['risky', 'mailbox', 55, 'the mail host takes mail for any name'],
  SMTP_MAILBOX_FULL: ['risky', 'mailbox', 35, 'the mailbox is full'],
  SMTP_MAILBOX_NOT_FOUND: ['undeliverable', 'mailbox', 3, 'no such mailbox'],
  SMTP_MAILBOX_DISABLED: ['undeliverable', 'mailbox', 5, 'the mailbox is switched off'],
  SMTP_MOVED: ['undeliverable', 'mailbox', 5, 'the mailbox has moved away'],
  SMTP_GREYLISTED: ['unknown', 'mailbox', 60, 'the mail host asks to come back later'],
  SMTP_RATE_LIMITED: ['unknown', 'mailbox', 55, 'the mail host takes no more for now'],
  SMTP_BLOCKED: ['unknown', 'mailbox', 50, 'the mail host refuses us, not the mailbox'],
  SMTP_POLICY: ['unknown', 'mailbox', 45, 'refused for a reason that is not the mailbox'],
  SMTP_RELAY_DENIED: ['unknown', 'mailbox', 35, 'the mail host does not serve this domain'],
  SMTP_TEMPFAIL: ['unknown', 'mailbox', 50, 'the mail host has a passing trouble'],
  SMTP_CONNECT_FAILED: ['unknown', 'mailbox', 35, 'no mail host answered the connection'],
  SMTP_TIMEOUT: ['unknown', 'mailbox', 40, 'the mail host did not answer in time'],
  SMTP_PROTOCOL: ['unknown', 'mailbox', 35, 'what answered does not speak SMTP'],
  SMTP_TLS_FAILED: ['unknown', 'mailbox', 40, 'encryption broke, and the plain way too'],
  SMTP_UTF8_UNSUPPORTED: ['unknown', 'mailbox', 30, 'the mail host takes no international addresses'],
  SMTP_NOT_DECIDABLE: ['unknown', 'mailbox', 55, 'the answers of this provider prove nothing'],
  SMTP_DISABLED: [null, 'domain', 0, 'the mailbox stage was asked for, but the operator has it off'],
} as const satisfies Record<string, readonly [Status | null, Level, number, string]>;

export type ReasonCode = keyof typeof TABLE;
type CodeOf<Prefix extends string> = Extract<ReasonCode, `${Prefix}_${string}`>;
export type SyntaxCode = CodeOf<'SYNTAX'>;
export type DnsCode = CodeOf<'DNS'>;
export type SmtpCode = CodeOf<'SMTP'>;

type Consequence = { readonly status: Status | null; readonly level: Level; readonly score: number };

const CONSEQUENCES = Object.fromEntries(
  Object.entries(TABLE).map(([code, [status, level, score]]) => [code, { status, level, score }]),
) as Readonly<Record<ReasonCode, Consequence>>;

export function consequenceOf(code: ReasonCode): Consequence {
  return CONSEQUENCES[code];
}

/** For the machine-readable description of the service. */
export const REASONS: readonly { readonly code: ReasonCode; readonly status: Status | null; readonly description: string }[] =
  Object.entries(TABLE).map(([code, [status, , , description]]) => ({ code: code as ReasonCode, status, description }));
