import type { Level, ReasonCode, Status } from './codes.ts';

/** In the order they run; a stage that was not asked for, or that follows a fatal find, is skipped. */
export const STAGES = ['syntax', 'domain', 'lists', 'dns', 'smtp'] as const;
export type Stage = (typeof STAGES)[number];

export type CacheState = 'hit' | 'miss' | 'stale';

export type StageEntry = {
  readonly name: Stage;
  readonly status: 'pass' | 'fail' | 'unknown' | 'skipped';
  readonly code: ReasonCode | null;
  readonly ms: number;
  readonly cache: CacheState | null;
};

export type Flags = {
  readonly disposable: boolean;
  readonly relay: boolean;
  readonly role: boolean;
  readonly free: boolean;
  readonly subaddress: boolean;
  readonly quoted: boolean;
  readonly eai: boolean;
  readonly idn: boolean;
  readonly confusable: boolean;
  readonly catch_all: boolean | null;
  readonly mailbox_full: boolean | null;
  readonly mailbox_disabled: boolean | null;
};

export type MailRecord = { readonly exchange: string; readonly preference: number };

export type MxEntry = {
  readonly records: readonly MailRecord[];
  readonly implicit: boolean;
  readonly null_mx: boolean;
  readonly provider: string | null;
  /** Seconds the records may be kept; null where the answer carried none. */
  readonly ttl: number | null;
};

export type SmtpEntry = {
  readonly attempted: boolean;
  readonly host: string | null;
  readonly code: number | null;
  readonly enhanced: string | null;
  readonly class: string | null;
};

/** What is said of one address, as it leaves the service. */
export type Validation = {
  readonly input: unknown;
  readonly email: string | null;
  readonly local: string | null;
  readonly domain: string | null;
  readonly domain_unicode: string | null;
  readonly registrable_domain: string | null;
  readonly canonical: string | null;
  readonly tag: string | null;
  readonly status: Status;
  readonly level: Level;
  readonly reason: ReasonCode;
  readonly reasons: readonly ReasonCode[];
  readonly score: number;
  readonly suggestion: string | null;
  readonly syntax_valid: boolean;
  readonly domain_accepts_mail: boolean | null;
  readonly mailbox_exists: boolean | null;
  readonly flags: Flags;
  readonly mx: MxEntry | null;
  readonly smtp: SmtpEntry | null;
  readonly stages: readonly StageEntry[];
  readonly checked_at: string;
  readonly expires_at: string;
};
