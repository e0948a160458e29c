import type { SmtpClass } from './classify.ts';

export type RecipientFinding = { readonly class: SmtpClass; readonly code: number | null; readonly enhanced: string | null };

export type SessionFindings = {
  /** One for each recipient, in order; null for one that is better asked of in another session. */
  readonly recipients: readonly (RecipientFinding | null)[];
  /** Recipients that were taken, and are better asked of again, since whether their domain takes any name is not known. */
  readonly undecided: ReadonlySet<number>;
  /** Only domains that were found out. */
  readonly catchAll: ReadonlyMap<string, boolean>;
  /** How the host said that it wants no more of us for now, which holds for every mailbox there; null where it did not. */
  readonly refusal: RecipientFinding | null;
  /** Whether it said so to anybody, in the place of a greeting. */
  readonly closed: boolean;
  /** Whether it was given up before a connection could well be there. */
  readonly hurried: boolean;
  /** How many recipients a transaction has room for; infinite where the host has not said so. */
  readonly room: number;
};
