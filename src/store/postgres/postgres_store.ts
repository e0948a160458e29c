import { LIMITS } from '../../config/limits.ts';
import { kept, type Access, type Statements } from '../statements.ts';
import type { Store } from '../store.ts';
import { accountByEmail, accountById, accounts, addAccount, changeAccount } from './accounts.ts';
import type { Connection, Sql } from './connection.ts';
import { addInvite, dropInvite, invites, redeemInvite } from './invites.ts';
import { addKey, endKey, keyByDigest, keys, replaceKey } from './keys.ts';
import { addMember, deleteAccount, memberByEmail, setPassword } from './members.ts';
import type { Notices } from './notices.ts';
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
  revision: async (sql) => (await sql.get<{ n: number }>('SELECT n FROM revision'))!.n,
};

const ANSWER_MS: Readonly<Record<Access['answer'], number>> = { hot: LIMITS.databaseHotMs, usual: LIMITS.databaseAnswerMs, long: LIMITS.databaseLongMs };

export function postgresStore(connection: Connection, notices: Notices): Store {
  return {
    ...kept(({ as, answer }, say) => {
      const promised = async (sql: Sql): Promise<unknown> => say(sql);
      return as === 'read' ? connection.read(promised, ANSWER_MS[answer]) : connection.write(as, promised, ANSWER_MS[answer]);
    }, STATEMENTS),
    onChange: (part, listener) => notices.listen(part, listener),
    close: async () => {
      await Promise.all([notices.close(), connection.close()]);
    },
  };
}
