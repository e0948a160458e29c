import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBrowser } from '../../support/browser.ts';
import { Site } from './site.ts';

describe('the reference in a browser', { skip: withoutBrowser, timeout: 300_000 }, () => {
  const site = new Site();

  test('the reference says so where it cannot be drawn', async () => {
    const page = await site.browser.context.newPage();
    await page.route('**/swagger-ui-bundle.js', (route) => route.fulfill({ status: 400 }));
    await page.goto(`${site.service.url}/docs`);
    await page.getByText('The reference could not be loaded.').waitFor();
    await page.route('**/docs.js', (route) => route.fulfill({ status: 400 }));
    await page.reload();
    await page.getByText('a script that is not here yet').waitFor();
    await page.close();
  });

  test('the reference cuts off nothing of the answers of an endpoint, however wide its page is', async () => {
    const page = await site.browser.context.newPage();
    await page.goto(`${site.service.url}/docs`);
    await page.locator('.opblock-summary-control').first().click();
    const answers = page.locator('.responses-table');
    await answers.locator('pre').last().waitFor();
    for (const width of [769, 1_024, 1_440]) {
      await page.setViewportSize({ width, height: 900 });
      const beyondPx = await answers.evaluate((table) => table.getBoundingClientRect().right - table.closest('.opblock')!.getBoundingClientRect().right);
      assert.ok(beyondPx <= 0, `${beyondPx} px of them are cut off at ${width} px`);
    }
    await page.close();
  });
});
