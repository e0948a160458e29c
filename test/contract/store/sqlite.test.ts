import { openStore } from '../../../src/store/open.ts';
import { folderOf } from '../../support/folder.ts';
import { memberSuite } from './member_suite.ts';
import { outdatedSuite } from './outdated_suite.ts';
import { type FreshStore, storeSuite } from './store_suite.ts';
import { suppressionSuite } from './suppression_suite.ts';
import { usageSuite } from './usage_suite.ts';

const fresh: FreshStore = async (test) => {
  const dataDir = folderOf(test);
  const again = async () => {
    const store = await openStore({ dataDir });
    test.after(() => store.close());
    return store;
  };
  return { store: await again(), again };
};

storeSuite('SQLite', fresh);
memberSuite('SQLite', fresh);
suppressionSuite('SQLite', fresh);
outdatedSuite('SQLite', fresh);
usageSuite('SQLite', fresh);
