import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { withoutBrowser } from '../../support/browser.ts';
import { Site } from './site.ts';

describe('pages in text of twice the size fit 360 px', { skip: withoutBrowser, timeout: 300_000 }, () => {
  const site = new Site({ textPx: 32 });
  let page: Page;
  before(async () => {
    page = await site.browser.context.newPage();
    await page.setViewportSize({ width: 360, height: 900 });
  });

  const fits = async (): Promise<void> => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  };

  test('the name of the site, which stands on all', async () => {
    await page.goto(site.service.url);
    await fits();
  });

  test('the dashboard, the table of its chart unfolded', async () => {
    await site.signUp(page, 'large@example.com', await site.service.createInvite());
    const key = await site.shownKey(page);
    assert.equal((await site.service.find({ type: 'contacts', filters: { country: ['US'] }, limit: 2 }, { key })).status, 200);
    await page.goto(`${site.service.url}/dashboard`);
    await page.getByText('As a table').click();
    await fits();
  });

  test('a search and a validation of the playground', async () => {
    await page.goto(`${site.service.url}/playground`);
    await page.getByRole('button', { name: 'Run the search' }).click();
    await page.locator('.sources').waitFor();
    await fits();
    await page.getByLabel('Email address').fill('jo@example.com');
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.locator('.stages').waitFor();
    await fits();
  });

  test('the reference with its tables', async () => {
    await page.goto(`${site.service.url}/docs`);
    await page.getByRole('heading', { name: 'Caps and units' }).waitFor();
    await fits();
  });
});
