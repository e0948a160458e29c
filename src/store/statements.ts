import type { Store } from './store.ts';

/** What a store keeps, method by method; `onChange` and `close` are its engine's own affair. */
type Kept = Omit<Store, 'onChange' | 'close'>;

/** `synced` is on the disk when acknowledged; `buffered` survives this process, not the machine that keeps it, and costs no wait for the disk. */
export type Durability = 'synced' | 'buffered';

/** How a method reaches the database. `answer`, where an engine bounds it: `hot` holds up a call, `long` reads or writes much. */
export type Access = { readonly as: 'read' | Durability; readonly answer: 'hot' | 'usual' | 'long' };

const READ: Access = { as: 'read', answer: 'usual' };
const HOT: Access = { as: 'read', answer: 'hot' };
const LONG: Access = { as: 'read', answer: 'long' };
const SYNCED: Access = { as: 'synced', answer: 'usual' };
const SYNCED_LONG: Access = { as: 'synced', answer: 'long' };
const BUFFERED: Access = { as: 'buffered', answer: 'usual' };

/** The same for every engine: each method is one transaction, or one read. */
const ACCESS: Readonly<Record<keyof Kept, Access>> = {
  addAccount: SYNCED, accountByEmail: READ, accountById: READ, accounts: READ, changeAccount: SYNCED,
  addKey: SYNCED, keyByDigest: HOT, wasEnded: HOT, keys: READ, endKey: SYNCED, replaceKey: SYNCED,
  addInvite: SYNCED, invites: READ, dropInvite: SYNCED, redeemInvite: SYNCED,
  addUsage: BUFFERED, usage: LONG, unitsOn: LONG, usageSums: LONG,
  secret: SYNCED, revision: HOT,
  addMember: SYNCED, memberByEmail: READ, changePassword: SYNCED, setPassword: SYNCED, deleteAccount: SYNCED,
  addSession: SYNCED, session: READ, touchSession: BUFFERED, endSession: SYNCED, forgetSessions: SYNCED,
  keyOfAccount: READ, keysOfAccount: READ, addKeyOfAccount: SYNCED, renameKey: SYNCED,
  addSuppressions: SYNCED_LONG, removeSuppressions: SYNCED_LONG, suppressions: LONG, suppressionChanges: LONG, suppressionCounts: LONG,
  keepPlaygroundCalls: BUFFERED, playgroundCalls: READ,
  forgetOutdated: BUFFERED,
};

/** What each method says to the database, in an engine's own words. */
export type Statements<Sql> = {
  readonly [Name in keyof Kept]: (sql: Sql, ...parameters: Parameters<Kept[Name]>) => Awaited<ReturnType<Kept[Name]>> | ReturnType<Kept[Name]>;
};

/** Runs `say` in one transaction, or as one read. */
type Door<Sql> = (access: Access, say: (sql: Sql) => unknown) => Promise<unknown>;

/** The methods of a store over an engine's statements. */
export function kept<Sql>(door: Door<Sql>, statements: Statements<Sql>): Kept {
  const methods = Object.entries(ACCESS).map(([name, access]) => {
    const statement = statements[name as keyof Kept] as (sql: Sql, ...parameters: readonly unknown[]) => unknown;
    return [name, (...parameters: readonly unknown[]) => door(access, (sql) => statement(sql, ...parameters))] as const;
  });
  return Object.fromEntries(methods) as unknown as Kept;
}
