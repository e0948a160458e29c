import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBrowser } from '../../support/browser.ts';
import { PASSWORD, Site } from './site.ts';

describe('a form is sent once', { skip: withoutBrowser, timeout: 300_000 }, () => {
  const site = new Site();

  test('that is clicked again while its answer is awaited, so that nobody has a key that he never saw', async () => {
    const page = await site.browser.context.newPage();
    await site.signUp(page, 'twice@example.com', await site.service.createInvite());
    await site.shownKey(page);
    await page.goto(`${site.service.url}/dashboard`);
    await page.getByLabel('Name of a new key').fill('twice');
    let sent = 0;
    let answer = (): void => {};
    const awaited = new Promise<void>((resolve) => { answer = resolve; });
    await page.route('**/dashboard/keys', async (route) => {
      sent += 1;
      const response = await route.fetch();
      if (sent === 1) await awaited;
      await route.fulfill({ response });
    });
    const button = page.getByRole('button', { name: 'Create a key' });
    await button.focus();
    const first = page.waitForRequest('**/dashboard/keys');
    await page.keyboard.press('Enter');
    await first;
    await page.keyboard.press('Enter');
    answer();
    const key = await site.shownKey(page);
    const keys = JSON.parse(site.service.lds('keys', 'list', '--account', 'twice@example.com', '--json').out) as { name: string; hint: string }[];
    assert.deepEqual(keys.map(({ name, hint }) => [name, key.startsWith(hint)]), [['first', false], ['twice', true]]);
    assert.equal(sent, 1);
    await page.close();
  });

  test('whose visitor jumps within the page while its answer is awaited', async () => {
    await site.browser.context.clearCookies();
    const page = await site.open('/login');
    await page.getByLabel('Email').fill('nobody@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    let sent = 0;
    const clickedAgain = page.waitForEvent('console', (message) => message.text() === 'clicked again');
    await page.route('**/login', async (route) => {
      sent += 1;
      await clickedAgain;
      await route.continue();
    });
    // By the page itself: nobody else is let in while it waits.
    await page.evaluate(() => {
      const [button, skip] = [document.querySelector('button')!, document.querySelector<HTMLElement>('.skip')!];
      setTimeout(() => { button.click(); });
      setTimeout(() => { skip.click(); }, 200);
      setTimeout(() => { button.click(); console.log('clicked again'); }, 400);
    });
    await page.getByText('The email or the password is wrong').waitFor();
    assert.equal(sent, 1);
    await page.close();
  });

  test('and again when it is clicked after it was stopped', async () => {
    await site.browser.context.clearCookies();
    const page = await site.open('/login');
    await page.getByLabel('Email').fill('nobody@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    let sent = 0;
    await page.route('**/login', async (route) => {
      sent += 1;
      if (sent > 1) await route.continue();
    });
    const button = page.getByRole('button', { name: 'Sign in' });
    const first = page.waitForRequest('**/login');
    await button.click({ noWaitAfter: true });
    await first;
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Page.stopLoading');
    await button.click();
    await page.getByText('The email or the password is wrong').waitFor();
    assert.equal(sent, 2);
    await page.close();
  });
});
