import type { RecipientFinding } from './findings.ts';
import type { Recipient } from './groups.ts';

export type SessionPlan = {
  readonly host: string;
  /** Checked addresses of the host, in the order to try. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Our own name; null for the address literal. */
  readonly ownName: string | null;
  readonly recipients: readonly Recipient[];
  /** Domains whose catch-all is known already. */
  readonly known: ReadonlySet<string>;
  /** As an earlier session found it. */
  readonly room?: number | undefined;
  readonly endsMs: number;
  /** Beyond that, for random names. */
  readonly overtimeMs: number;
  /** Ends it at once: nobody waits for it any more. */
  readonly leaving: AbortSignal;
  /** For connecting, all addresses together. */
  readonly connectMs: number;
  /** Hears that an address has said its first word. */
  readonly greeted?: () => void;
  /** Hears of each recipient as soon as the host has spoken of it; the session may go on for long after. */
  readonly told?: (index: number, finding: RecipientFinding) => void;
};
