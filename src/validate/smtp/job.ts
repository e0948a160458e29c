import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { Interest } from '../dns/udp.ts';
import type { RecipientFinding } from './findings.ts';
import type { Recipient } from './groups.ts';

export type Errand = {
  /** Whose it is: callers take turns. */
  readonly caller: object;
  readonly host: string;
  readonly addresses: readonly string[];
  /** Who is spared by the pace; null for the host itself. */
  readonly provider: string | null;
  readonly recipient: Recipient;
  readonly interest: Interest;
  /** The look-up that it is part of: a session for which nobody waits any more is given up. That one host is of `interest` no longer is no reason: the call may still find out that it is mute. */
  readonly whole: Interest;
  /** How long the records hold that led to the host. */
  readonly routeTtlMs: number;
  readonly endsMs: number;
  /** For all addresses of the host together, so that time is left for the next host. */
  readonly connectMs: number;
  /** Told when that time is over and the host has not said a word, or another waits for its first. */
  readonly slow?: () => void;
};

export type ErrandFinding = RecipientFinding & {
  readonly catchAll: boolean | null;
  readonly attempted: boolean;
  /** For want of the asker's time: with more of it there may be another answer at once. */
  readonly hurried: boolean;
  /** The host takes nobody's mail for now. */
  readonly closed: boolean;
};

/** There was no time to ask: its turn did not come before its caller's deadline, or nobody waits for it any more. */
export const TOO_LATE: ErrandFinding = { class: 'timeout', code: null, enhanced: null, catchAll: null, attempted: false, hurried: true, closed: false };

export type Job = Errand & {
  state: 'waiting' | 'asked' | 'settled';
  /** What the host said of it in a session before; it stands, whatever becomes of the next. */
  said: RecipientFinding | null;
  /** What is told of it if no turn comes in time. */
  late: ErrandFinding;
  settle(finding: ErrandFinding): void;
  fail(error: unknown): void;
};

/** Settles itself while there is time to hand it over, if nobody has asked by then. */
export function jobOf(errand: Errand, settle: (finding: ErrandFinding) => void, fail: (error: unknown) => void): Job {
  const over = (): void => {
    clearTimeout(timer);
    job.state = 'settled';
  };
  const job: Job = {
    ...errand, state: 'waiting', said: null, late: TOO_LATE,
    settle(finding) {
      over();
      settle(finding);
    },
    fail(error) {
      over();
      fail(error);
    },
  };
  const timer = setTimeout(() => { if (job.state === 'waiting') job.settle(job.late); }, Math.max(0, errand.endsMs - LIMITS.smtpReserveMs - monotonicMs()));
  return job;
}

export function isOpen({ state, interest }: Job): boolean {
  return state === 'waiting' && !interest.abandoned;
}

export function hasTime({ endsMs }: Job): boolean {
  return monotonicMs() < endsMs - LIMITS.smtpReserveMs;
}

/** Its session is under way, and nobody waits for what that would bring. */
export function isLeft({ state, whole }: Job): boolean {
  return state === 'asked' && whole.abandoned;
}
