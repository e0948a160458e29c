import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { ErrandFinding } from './job.ts';

/** `hurried`: for who has more time there may be another answer at once. */
type Told = { readonly host: string; readonly found: ErrandFinding; readonly hurried: boolean };

export type Errands = {
  /** `slow` is called when the host has had its share of the time without a word; it may still answer. Null for a host without addresses, and for another name of one that was asked. */
  ask(host: string, hostsLeft: number, slow: () => void): Promise<ErrandFinding | null>;
  isWanted(): boolean;
  /** On the monotonic clock. */
  readonly endsMs: number;
};

/** Mail hosts in their order: the next one is asked where one cannot be reached or is closed, and beside one that is slow to say anything. */
export async function askInTurn(hosts: readonly [string, ...string[]], errands: Errands): Promise<Told | null> {
  const [host, next, ...others] = hosts;
  let tellSlow = (): void => {};
  const slow = new Promise<'slow'>((resolve) => { tellSlow = () => resolve('slow'); });
  const asked = errands.ask(host, hosts.length - 1, tellSlow).then((found) => (found === null ? null : { host, found, hurried: found.hurried }));
  const told = await Promise.race([asked, slow]);
  if (next === undefined || (told !== 'slow' && isReached(told))) return asked;
  const isOver = (): boolean => !errands.isWanted() || monotonicMs() >= errands.endsMs;
  const later = isOver() ? Promise.resolve(null) : askInTurn([next, ...others], errands);
  const last = await (told === 'slow' ? firstWord(asked, later, errands.endsMs) : later.then((spare) => lastWord(told, spare)));
  // There was not the time to ask those behind, or to find out where they are.
  return last !== null && !isReached(last) && isOver() ? { ...last, hurried: true } : last;
}

/** What is known of the mailbox by the one behind stands. A host that takes any name, or puts off, may be no more than a spare one: it is believed where the slow one has said nothing by the end. */
function firstWord(slow: Promise<Told | null>, later: Promise<Told | null>, endsMs: number): Promise<Told | null> {
  const said = slow.then((told) => (isReached(told) ? told : later.then((spare) => lastWord(told, spare))));
  const decided = later.then((told) => (told !== null && decides(told) ? told : said));
  const atEnd = later.then(async (spare) => {
    await sleep(Math.max(0, endsMs - LIMITS.smtpReserveMs - monotonicMs()), undefined, { ref: false });
    return spare === null ? said : { ...spare, hurried: true };
  });
  return Promise.race([said, decided, atEnd]);
}

function lastWord(before: Told | null, later: Told | null): Told | null {
  if (before === null || later === null || isReached(later)) return later ?? before;
  return { ...later, hurried: before.hurried || later.hurried };
}

function decides({ found }: Told): boolean {
  switch (found.class) {
    case 'accepted': return found.catchAll === false;
    case 'mailbox_not_found': case 'mailbox_full': case 'mailbox_disabled': case 'moved': return true;
    default: return false;
  }
}

function isReached(told: Told | null): boolean {
  return told !== null && !told.found.closed && !isUnreached(told.found);
}

export function isUnreached({ class: is, attempted, hurried }: ErrandFinding): boolean {
  return is === 'connect_failed' || (is === 'timeout' && attempted && hurried);
}
