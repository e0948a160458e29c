import { LIMITS } from '../config/limits.ts';
import type { Clock } from '../lib/clock.ts';
import type { AccountStatus, KeyKind, PlanName } from '../model/account.ts';
import { AppError } from '../model/errors.ts';
import type { SuppressionKind, SuppressionTerm } from '../model/suppression/term.ts';
import type { Page, Store, UsageSum } from '../store/store.ts';
import type { Suppression, SuppressionPage } from '../store/suppression_store.ts';
import { isoDay } from '../lib/day.ts';
import { nextTurn, ownTurn } from '../lib/turns.ts';
import { createInvite } from './invite.ts';
import { ensureAccount, issueKey } from './issue.ts';
import { shownAccount, type ShownAccount, type ShownInvite, shownInvite, type ShownKey, shownKey } from './shown.ts';
import { shownSuppression, type ShownSuppression } from './suppress.ts';

/** The list of what must not be seen; a change resolves once it has taken effect here, with how many terms changed. */
interface SuppressionList {
  add(terms: readonly SuppressionTerm[], nowMs: number): Promise<number>;
  remove(terms: readonly SuppressionTerm[]): Promise<number>;
  list(of: SuppressionKind | null, page: SuppressionPage): Promise<readonly Suppression[]>;
}

/** `next`: what the following page begins after; null on the last one. */
type Listed<Row> = { readonly rows: readonly Row[]; readonly next: string | null };

export type UsageGroup = { readonly name: string; readonly requests: number; readonly units: number };
export type UsageBy = 'day' | 'account' | 'endpoint';

/** What an operator may do with everybody's accounts, keys and invites, and with the list of the suppressed. */
export class Administration {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'unixMs'>;
  readonly #suppressions: SuppressionList;
  readonly #flushUsage: () => Promise<void>;

  constructor(store: Store, clock: Pick<Clock, 'unixMs'>, suppressions: SuppressionList, flushUsage: () => Promise<void>) {
    this.#store = store;
    this.#clock = clock;
    this.#suppressions = suppressions;
    this.#flushUsage = flushUsage;
  }

  async createInvite({ uses, expiresDays }: { readonly uses: number; readonly expiresDays: number | null }): Promise<ShownInvite & { readonly code: string }> {
    const { code, record } = await createInvite(this.#store, { uses, expiresDays, nowMs: this.#clock.unixMs() });
    return { ...shownInvite(record, record.createdMs), code };
  }

  invites(page: Page): Promise<Listed<ShownInvite>> {
    return listed(page, (asked) => this.#store.invites(asked), (invite) => shownInvite(invite, this.#clock.unixMs()));
  }

  dropInvite(id: string): Promise<boolean> {
    return this.#store.dropInvite(id);
  }

  accounts(page: Page): Promise<Listed<ShownAccount>> {
    return listed(page, (asked) => this.#store.accounts(asked), shownAccount);
  }

  /** Null where there is no such account. */
  async changeAccount(id: string, change: { readonly plan?: PlanName; readonly status?: AccountStatus }): Promise<ShownAccount | null> {
    await this.#store.changeAccount(id, change);
    const account = await this.#store.accountById(id);
    return account === null ? null : shownAccount(account);
  }

  /** An account that is missing is made, active. */
  async createKey({ email, plan, kind, name }: { readonly email: string; readonly plan?: PlanName; readonly kind: KeyKind; readonly name: string }): Promise<ShownKey & { readonly key: string }> {
    const nowMs = this.#clock.unixMs();
    const account = await ensureAccount(this.#store, email, { plan: plan ?? 'preview', status: 'active', nowMs });
    if (account.status !== 'active') throw new AppError('conflict', `The account is ${account.status}: its keys would open nothing.`);
    if (plan !== undefined && plan !== account.plan) await this.#store.changeAccount(account.id, { plan });
    const { key, record } = await issueKey(this.#store, account.id, { kind, name, nowMs });
    return { ...shownKey(record, nowMs), key };
  }

  keys(accountId: string | null, page: Page): Promise<Listed<ShownKey>> {
    return listed(page, (asked) => this.#store.keys(accountId, asked), (key) => shownKey(key, this.#clock.unixMs()));
  }

  endKey(id: string): Promise<boolean> {
    return this.#store.endKey(id, this.#clock.unixMs());
  }

  /** Days inclusive, up to this moment; step by step, for a year of many accounts is much to add up at once. */
  async usage(fromDay: number, toDay: number, by: UsageBy): Promise<UsageGroup[]> {
    await this.#flushUsage();
    const groups = new Map<string, { name: string; requests: number; units: number }>();
    let after: string | null = null;
    for (let day = fromDay; day <= toDay; day += after === null ? 1 : 0) {
      // A store in a file answers within this turn of the loop: without one for each, the whole year, or all who ask at once, would hold it.
      await nextTurn();
      const { sums, nextAfter } = await this.#store.usageSums(day, by === 'account' ? 'account' : 'endpoint', after);
      for (const sum of sums) addUp(groups, by === 'day' ? isoDay(day) : sum.name, sum);
      after = nextAfter;
    }
    return [...groups.values()];
  }

  suppress(terms: readonly SuppressionTerm[]): Promise<number> {
    return this.#suppressions.add(terms, this.#clock.unixMs());
  }

  unsuppress(terms: readonly SuppressionTerm[]): Promise<number> {
    return this.#suppressions.remove(terms);
  }

  async suppressions(of: SuppressionKind | null, page: SuppressionPage): Promise<Listed<ShownSuppression>> {
    const found = await this.#suppressions.list(of, { ...page, rowsMax: page.rowsMax + 1 });
    const rows = found.slice(0, page.rowsMax);
    return { rows: rows.map(shownSuppression), next: found.length > rows.length ? String(rows.at(-1)!.revision) : null };
  }
}

/** One row more is read than is given: it tells whether there is another page. A store in a file reads in this turn of the loop: lists asked for at once take turns. */
async function listed<Row extends { readonly id: string }, Shown>(page: Page, read: (page: Page) => Promise<Row[]>, show: (row: Row) => Shown): Promise<Listed<Shown>> {
  const turn = ownTurn(LIMITS.mainTurnMs);
  // Waiting for nothing would have all see room in this turn before any has read.
  if (turn !== null) await turn;
  const found = await read({ ...page, rowsMax: page.rowsMax + 1 });
  const rows = found.slice(0, page.rowsMax);
  return { rows: rows.map(show), next: found.length > rows.length ? rows.at(-1)!.id : null };
}

function addUp(groups: Map<string, { name: string; requests: number; units: number }>, name: string, { requests, units }: Omit<UsageSum, 'name'>): void {
  const group = groups.get(name) ?? { name, requests: 0, units: 0 };
  groups.set(name, group);
  group.requests += requests;
  group.units += units;
}
