import { LIMITS } from '../../config/limits.ts';
import type { Store } from '../store.ts';
import { accountByEmail, accountById, accounts, addAccount, changeAccount } from './accounts.ts';
import type { Connection } from './connection.ts';
import { addInvite, dropInvite, invites, redeemInvite } from './invites.ts';
import { addKey, endKey, keyByDigest, keys, replaceKey } from './keys.ts';
import { memberMethods } from './member_methods.ts';
import type { Notices } from './notices.ts';
import { playgroundMethods } from './playground.ts';
import { secret } from './secrets.ts';
import { suppressionMethods } from './suppressions.ts';
import { addUsage, unitsOn, usage, usageSums } from './usage.ts';

export function postgresStore(connection: Connection, notices: Notices): Store {
  const { databaseHotMs, databaseLongMs } = LIMITS;
  return {
    ...memberMethods(connection),
    ...suppressionMethods(connection),
    ...playgroundMethods(connection),
    addAccount: (account) => connection.write('synced', (sql) => addAccount(sql, account)),
    accountByEmail: (email) => connection.read((sql) => accountByEmail(sql, email)),
    accountById: (id) => connection.read((sql) => accountById(sql, id)),
    accounts: (page) => connection.read((sql) => accounts(sql, page)),
    changeAccount: (id, change) => connection.write('synced', (sql) => changeAccount(sql, id, change)),
    addKey: (key) => connection.write('synced', (sql) => addKey(sql, key)),
    keyByDigest: (digest) => connection.read((sql) => keyByDigest(sql, digest), databaseHotMs),
    keys: (accountId, page) => connection.read((sql) => keys(sql, accountId, page)),
    endKey: (id, endsMs) => connection.write('synced', (sql) => endKey(sql, id, endsMs)),
    replaceKey: (id, replacement) => connection.write('synced', (sql) => replaceKey(sql, id, replacement)),
    addInvite: (invite) => connection.write('synced', (sql) => addInvite(sql, invite)),
    invites: (page) => connection.read((sql) => invites(sql, page)),
    dropInvite: (id) => connection.write('synced', (sql) => dropInvite(sql, id)),
    redeemInvite: (digest, accountId, nowMs) => connection.write('synced', (sql) => redeemInvite(sql, digest, accountId, nowMs)),
    addUsage: (batch) => connection.write('buffered', (sql) => addUsage(sql, batch)),
    usage: (accountId, fromDay, toDay) => connection.read((sql) => usage(sql, accountId, fromDay, toDay), databaseLongMs),
    unitsOn: (day, accountIds) => connection.read((sql) => unitsOn(sql, day, accountIds), databaseLongMs),
    usageSums: (day, by) => connection.read((sql) => usageSums(sql, day, by), databaseLongMs),
    secret: (name, fresh) => connection.write('synced', (sql) => secret(sql, name, fresh)),
    revision: () => connection.read(async (sql) => (await sql.get<{ n: number }>('SELECT n FROM revision'))!.n, databaseHotMs),
    onChange: (part, listener) => notices.listen(part, listener),
    close: async () => {
      await notices.close();
      await connection.close();
    },
  };
}
