import { after, before, describe } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import { NO_POSTGRES, PostgresServer } from '../../support/servers/postgres.ts';
import { memberSuite } from './member_suite.ts';
import { outdatedSuite } from './outdated_suite.ts';
import { type FreshStore, storeSuite } from './store_suite.ts';
import { suppressionSuite } from './suppression_suite.ts';
import { usageSuite } from './usage_suite.ts';

describe('on a real server', { skip: NO_POSTGRES }, () => {
  let server: PostgresServer;
  before(async () => { server = await PostgresServer.start(); });
  after(() => server.stop());

  const fresh: FreshStore = async (test) => {
    const databaseUrl = await server.database();
    const again = async () => {
      const store = await openStore({ dataDir: '/nowhere', databaseUrl });
      test.after(() => store.close());
      return store;
    };
    return { store: await again(), again };
  };

  storeSuite('PostgreSQL', fresh);
  memberSuite('PostgreSQL', fresh);
  suppressionSuite('PostgreSQL', fresh);
  outdatedSuite('PostgreSQL', fresh);
  usageSuite('PostgreSQL', fresh);
});
