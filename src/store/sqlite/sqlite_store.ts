import { kept, type Statements } from '../statements.ts';
import type { Store } from '../store.ts';
import { accountByEmail, accountById, accounts, addAccount, changeAccount } from './accounts.ts';
import type { Connection, Sql } from './connection.ts';
import { addInvite, dropInvite, invites, redeemInvite } from './invites.ts';
import { addKey, endKey, keyByDigest, keys, replaceKey } from './keys.ts';
import { addMember, deleteAccount, memberByEmail, setPassword } from './members.ts';
import { forgetOutdated } from './outdated.ts';
import { addKeyOfAccount, keyOfAccount, keysOfAccount, renameKey } from './own_keys.ts';
import { keepPlaygroundCalls, playgroundCalls } from './playground.ts';
import { secret } from './secrets.ts';
import { addSession, changePassword, endSession, forgetSessions, session, touchSession } from './sessions.ts';
import { addSuppressions, removeSuppressions, suppressionChanges, suppressionCounts, suppressions } from './suppressions.ts';
import { addUsage, unitsOn, usage, usageSums } from './usage.ts';

const STATEMENTS: Statements<Sql> = {
  addAccount, accountByEmail, accountById, accounts, changeAccount,
  addKey, keyByDigest, keys, endKey, replaceKey,
  addInvite, invites, dropInvite, redeemInvite,
  addUsage, usage, unitsOn, usageSums, secret,
  addMember, memberByEmail, changePassword, setPassword, deleteAccount,
  addSession, session, touchSession, endSession, forgetSessions,
  keyOfAccount, keysOfAccount, addKeyOfAccount, renameKey,
  addSuppressions, removeSuppressions, suppressions, suppressionChanges, suppressionCounts,
  keepPlaygroundCalls, playgroundCalls,
  forgetOutdated,
  revision: (sql) => sql.get<{ n: number }>('SELECT n FROM revision')!.n,
};

/** Every statement takes microseconds: none has a time of its own to answer in. */
export function sqliteStore(connection: Connection): Store {
  return {
    ...kept(({ as }, say) => (as === 'read' ? connection.read(say) : connection.write(as, say)), STATEMENTS),
    // Asking costs microseconds, hearing of it would cost a watch on the file.
    onChange: () => {},
    close: async () => connection.close(),
  };
}
