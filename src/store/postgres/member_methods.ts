import type { MemberStore } from '../store.ts';
import type { Connection } from './connection.ts';
import { addMember, changePassword, deleteAccount, memberByEmail, setPassword } from './members.ts';
import { addKeyOfAccount, keyOfAccount, keysOfAccount, renameKey } from './own_keys.ts';
import { addSession, endSession, forgetSessions, session, touchSession } from './sessions.ts';

export function memberMethods(connection: Connection): MemberStore {
  return {
    addMember: (member) => connection.write('synced', (sql) => addMember(sql, member)),
    memberByEmail: (email) => connection.read((sql) => memberByEmail(sql, email)),
    changePassword: (accountId, change) => connection.write('synced', (sql) => changePassword(sql, accountId, change)),
    setPassword: (accountId, hash) => connection.write('synced', (sql) => setPassword(sql, accountId, hash)),
    deleteAccount: (accountId) => connection.write('synced', (sql) => deleteAccount(sql, accountId)),
    addSession: (added, passwordHash, sessionsMax) => connection.write('synced', (sql) => addSession(sql, added, passwordHash, sessionsMax)),
    session: (digest) => connection.read((sql) => session(sql, digest)),
    touchSession: (digest, usedMs) => connection.write('buffered', (sql) => touchSession(sql, digest, usedMs)),
    endSession: (digest) => connection.write('synced', (sql) => endSession(sql, digest)),
    forgetSessions: (before) => connection.write('synced', (sql) => forgetSessions(sql, before)),
    keyOfAccount: (accountId, id) => connection.read((sql) => keyOfAccount(sql, accountId, id)),
    keysOfAccount: (accountId, afterMs, rowsMax) => connection.read((sql) => keysOfAccount(sql, accountId, afterMs, rowsMax)),
    addKeyOfAccount: (key, livingMax) => connection.write('synced', (sql) => addKeyOfAccount(sql, key, livingMax)),
    renameKey: (accountId, id, name) => connection.write('synced', (sql) => renameKey(sql, accountId, id, name)),
  };
}
