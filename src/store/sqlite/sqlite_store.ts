import { kept, type Statements } from '../statements.ts';
import type { Store } from '../store.ts';
import * as accounts from './accounts.ts';
import type { Connection, Sql } from './connection.ts';
import * as invites from './invites.ts';
import * as keys from './keys.ts';
import * as members from './members.ts';
import * as outdated from './outdated.ts';
import * as ownKeys from './own_keys.ts';
import * as playground from './playground.ts';
import * as secrets from './secrets.ts';
import * as sessions from './sessions.ts';
import * as suppressions from './suppressions.ts';
import * as usage from './usage.ts';

const STATEMENTS: Statements<Sql> = {
  ...accounts, ...keys, ...invites, ...usage, ...secrets, ...members, ...sessions, ...ownKeys, ...suppressions, ...playground, ...outdated,
  revision: (sql) => sql.get<{ n: number }>('SELECT n FROM revision')!.n,
};

/** Every statement takes microseconds, but for the long ones: none has a time of its own to answer in. */
export function sqliteStore(connection: Connection): Store {
  return {
    ...kept(({ as, answer }, say) => (as === 'read' ? connection.read(say) : connection.write(as, say, answer === 'long')), STATEMENTS),
    // Asking costs microseconds, hearing of it would cost a watch on the file.
    onChange: () => {},
    close: async () => connection.close(),
  };
}
