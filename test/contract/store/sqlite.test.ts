import { openStore } from '../../../src/store/open.ts';
import { folder } from '../../accounts/setting.ts';
import { storeSuite } from './store_suite.ts';

storeSuite('SQLite', async (test) => {
  const dataDir = await folder(test);
  const again = async () => {
    const store = await openStore({ dataDir });
    test.after(() => store.close());
    return store;
  };
  return { store: await again(), again };
});
