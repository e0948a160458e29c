import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CatalogView } from '../../src/find/sources.ts';
import type { PageRequest } from '../../src/model/page.ts';
import { homeRoutes } from '../../src/web/pages/home.ts';
import type { Site } from '../../src/web/site.ts';

test('what the start page tells of the data is counted once for each version of it, whoever asks how often', async () => {
  let looks = 0;
  let version = 1;
  const sources = [{ name: 'crm', dataset: 'contacts', rows: 1_234, countries: { US: 1_234 }, filters: {}, fields: [], fill: {} }];
  const catalog = (): CatalogView => ({ version, get sources() { looks += 1; return sources; } }) as unknown as CatalogView;
  const [route] = homeRoutes({ catalog, asset: (name: string) => name, accounts: { members: { visitor: async () => null } } } as unknown as Site);
  const look = async (): Promise<string> => String((await route!.handle({ headers: new Map(), client: { secure: false } } as unknown as PageRequest)).body);
  assert.match(await look(), /1,234/);
  assert.match(await look(), /<dt>contacts<\/dt>.*<dt>source<\/dt>.*<dt>country<\/dt>/s);
  assert.match(await look(), /each 400 brings a request that works/, 'other refusals have none');
  assert.equal(await look(), await look());
  const once = looks;
  await look();
  assert.equal(looks, once);
  version = 2;
  sources[0]!.rows = 5_678;
  assert.match(await look(), /5,678/);
});
