import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { violations, withoutBrowser } from '../../support/browser.ts';
import { Site } from './site.ts';

/** What a slow connection can carry in a few seconds. */
const PACKED_BYTES_MAX = 60_000;

describe('the reference in a browser', { skip: withoutBrowser, timeout: 300_000 }, () => {
  const site = new Site();

  test('a link unfolds what it leads to, an endpoint as well as a form', async () => {
    const page = await site.open('/docs');
    await page.getByRole('link', { name: 'POST /v1/find', exact: true }).click();
    await page.getByRole('heading', { name: 'Body' }).waitFor();
    await page.locator('#call-find').getByRole('link', { name: 'FindContacts', exact: true }).click();
    await page.locator('#form-FindContacts').getByText('ISO 3166-1 alpha-2 code').waitFor();
    await page.close();
  });

  test('all of it unfolded fits, however wide its page is, and axe finds no violation', async () => {
    const page = await site.open('/docs');
    await page.evaluate(() => { for (const fold of document.querySelectorAll('details')) fold.open = true; });
    for (const width of [320, 769, 1_024, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      const beyond = await page.locator('.told').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map(({ id }) => id));
      assert.deepEqual([beyond, await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)], [[], true], `${width} px`);
    }
    assert.deepEqual(await violations(page), []);
    await page.close();
  });

  test('it comes packed, for whoever takes it so, and runs no script', async () => {
    const plain = await site.service.call('GET', '/docs', { key: null, headers: { 'accept-encoding': 'identity' } });
    const packed = await site.service.call('GET', '/docs', { key: null, headers: { 'accept-encoding': 'gzip' } });
    assert.deepEqual([plain.headers.get('content-encoding'), packed.headers.get('content-encoding')], [null, 'gzip']);
    assert.ok(Number(packed.headers.get('content-length')) < PACKED_BYTES_MAX, `${packed.headers.get('content-length')} bytes`);
    assert.doesNotMatch(plain.text, /<script/);
  });
});
