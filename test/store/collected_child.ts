import Database from 'better-sqlite3';
import { queryObjects } from 'node:v8';
import { openStore } from '../../src/store/open.ts';
import { account } from '../contract/store/store_suite.ts';

/** Opens, fills and closes stores, and says how many of their connections are left after a collection. */
const [dataDir, times] = process.argv.slice(2);
for (let at = 0; at < Number(times); at += 1) {
  const store = await openStore({ dataDir: dataDir! });
  await store.addAccount(account(`a${at}`));
  await store.close();
}
console.log(queryObjects(Database, { format: 'count' }));
