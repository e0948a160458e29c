import type { TestContext } from 'node:test';
import { createInvite } from '../../src/accounts/invite.ts';
import { Members } from '../../src/accounts/members.ts';
import { OwnKeys } from '../../src/accounts/own_keys.ts';
import { makePasswords, type Passwords } from '../../src/accounts/password.ts';
import type { Visitor } from '../../src/accounts/sessions.ts';
import type { Store } from '../../src/store/store.ts';
import { freshStore, TestClock } from './setting.ts';

export const PASSWORD = 'correct horse battery';

export type People = {
  readonly store: Store;
  readonly clock: TestClock;
  readonly members: Members;
  readonly keys: OwnKeys;
  /** How many passwords were hashed so far. */
  hashed(): number;
  invite(uses?: number, expiresDays?: number | null): Promise<string>;
  /** A visitor of a new account, active or waiting. */
  arrive(email: string, how?: 'active' | 'waiting'): Promise<{ visitor: Visitor; token: string; key: string | null }>;
};

/** The rules over a fresh store, with passwords that cost next to nothing. */
export async function people(test: TestContext): Promise<People> {
  const store = await freshStore(test);
  const clock = new TestClock();
  const passwords = counted(makePasswords({ logN: 4, r: 8, p: 1 }));
  const members = new Members(store, passwords, clock);
  const invite = async (uses = 1, expiresDays: number | null = null) => (await createInvite(store, { uses, expiresDays, nowMs: clock.unix })).code;
  return {
    store, clock, members, keys: new OwnKeys(store, members, clock), hashed: () => passwords.count, invite,
    arrive: async (email, how = 'active') => {
      const made = await members.signUp({ email, password: PASSWORD, invite: how === 'active' ? await invite() : '' }, `address of ${email}`);
      const token = made.kind === 'active' ? made.token! : (await members.signIn({ email, password: PASSWORD }, `address of ${email}`))!.token;
      return { visitor: (await members.visitor(token))!, token, key: made.kind === 'active' ? made.key : null };
    },
  };
}

function counted(passwords: Passwords): Passwords & { count: number } {
  const self = {
    count: 0,
    admit: passwords.admit,
    hash: (password: string) => {
      self.count += 1;
      return passwords.hash(password);
    },
    matches: (password: string, stored: string | null) => {
      self.count += 1;
      return passwords.matches(password, stored);
    },
  };
  return self;
}
