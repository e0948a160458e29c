import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Browser, withoutBrowser } from '../../support/browser.ts';
import { RunningService } from '../service.ts';

describe('pages in text of twice the size fit 360 px', { skip: withoutBrowser, timeout: 300_000 }, () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  before(async () => {
    [service, browser] = await Promise.all([RunningService.overDemo(), Browser.open({ textPx: 32 })]);
    page = await browser.context.newPage();
    await page.setViewportSize({ width: 360, height: 900 });
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  const fits = async (): Promise<void> => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  };

  test('the name of the site, which stands on all', async () => {
    await page.goto(service.url);
    await fits();
  });

  test('the dashboard, the table of its chart unfolded', async () => {
    await page.goto(`${service.url}/signup`);
    await page.getByLabel('Email').fill('large@example.com');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByLabel('Invite key').fill(service.lds('invites', 'create').out.trim());
    await page.getByRole('button', { name: 'Create the account' }).click();
    const key = (await page.locator('#fresh-key').textContent())!;
    assert.equal((await service.find({ type: 'contacts', filters: { country: ['US'] }, limit: 2 }, { key })).status, 200);
    await page.goto(`${service.url}/dashboard`);
    await page.getByText('As a table').click();
    await fits();
  });

  test('a search and a validation of the playground', async () => {
    await page.goto(`${service.url}/playground`);
    await page.getByRole('button', { name: 'Run the search' }).click();
    await page.locator('.sources').waitFor();
    await fits();
    await page.getByLabel('Email address').fill('jo@example.com');
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.locator('.stages').waitFor();
    await fits();
  });

  test('the reference with its tables', async () => {
    await page.goto(`${service.url}/docs`);
    await page.getByRole('heading', { name: 'Caps and units' }).waitFor();
    await fits();
  });
});
