import { LIMITS } from '../../config/limits.ts';
import { kept, type Access, type Statements } from '../statements.ts';
import type { Store } from '../store.ts';
import * as accounts from './accounts.ts';
import type { Connection, Sql } from './connection.ts';
import * as invites from './invites.ts';
import * as keys from './keys.ts';
import * as members from './members.ts';
import type { Notices } from './notices.ts';
import * as outdated from './outdated.ts';
import * as ownKeys from './own_keys.ts';
import * as playground from './playground.ts';
import * as secrets from './secrets.ts';
import * as sessions from './sessions.ts';
import * as suppressions from './suppressions.ts';
import * as usage from './usage.ts';

const STATEMENTS: Statements<Sql> = {
  ...accounts, ...keys, ...invites, ...usage, ...secrets, ...members, ...sessions, ...ownKeys, ...suppressions, ...playground, ...outdated,
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
