import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Browser, violations, withoutBrowser } from '../../support/browser.ts';
import { PASSWORD, Site } from './site.ts';

describe('people in a browser', { skip: withoutBrowser, timeout: 600_000 }, () => {
  const site = new Site();
  const statusOf = async (key: string): Promise<number> => (await site.service.find({ type: 'contacts', filters: { country: ['US'] }, limit: 2 }, { key })).status;
  const dies = async (key: string): Promise<void> => {
    const deadline = Date.now() + 1_000;
    while (await statusOf(key) !== 401) {
      assert.ok(Date.now() < deadline, 'a key must be dead within a second');
      await new Promise((resolve) => { setTimeout(resolve, 100); });
    }
  };

  test('an invite becomes an account, its key a call, the call a line of the dashboard; rotated and revoked keys die', async () => {
    const page = await site.open('/');
    await page.getByRole('link', { name: 'Get a key' }).click();
    await site.signUp(page, 'jo@example.com', await site.service.createInvite());
    const first = await site.shownKey(page);
    assert.match(first, /^ldx_[0-9A-Za-z]{38}$/);
    await page.reload();
    assert.equal(new URL(page.url()).pathname, '/dashboard');
    assert.ok(!(await page.content()).includes(first), 'a key is shown once');

    const { headers } = await site.service.find({ type: 'contacts', filters: { country: ['US'] }, limit: 200 }, { key: first });
    await page.reload();
    assert.match(await page.locator('.gauge').first().innerText(), /9,998/);
    assert.match(await page.locator('.chart figcaption').innerText(), /^2 units in the last 31 days/);
    const line = page.getByRole('row').filter({ hasText: headers.get('x-request-id')! });
    assert.match(await line.innerText(), /^200\s+POST \/v1\/find\s.*\s200\s+2\s/);

    const act = async (name: string): Promise<void> => page.locator('.key').first().locator('summary', { hasText: name }).click();
    await act('Rotate');
    await page.getByRole('button', { name: 'Rotate' }).click();
    const second = await site.shownKey(page);
    await dies(first);
    assert.equal(await statusOf(second), 200);

    await act('Rotate');
    await page.getByLabel('The old key ends').first().selectOption({ label: 'After an hour' });
    await page.getByRole('button', { name: 'Rotate' }).click();
    const third = await site.shownKey(page);
    await new Promise((resolve) => { setTimeout(resolve, 1_000); });
    assert.deepEqual([await statusOf(second), await statusOf(third)], [200, 200]);

    await act('Revoke');
    const revoke = page.getByRole('button', { name: /^Revoke/ });
    assert.equal(await revoke.innerText(), 'Revoke first', 'in one line of text, the name apart');
    await revoke.click();
    await page.getByText('The key is revoked').waitFor();
    await dies(third);
    assert.equal(await statusOf(second), 200);
    await page.close();
  });

  test('an address with letters beyond ASCII is taken as it is typed, and is the one that an operator types', async () => {
    const page = await site.open('/');
    await site.signUp(page, 'j\u00fcrgen@m\u00fcller.example', '');
    await page.getByText('Your account waits').first().waitFor();
    assert.equal(site.service.lds('accounts', 'set', 'j\u00fcrgen@m\u00fcller.example', '--status', 'active').code, 0);
    await page.goto(`${site.service.url}/login`);
    await page.getByLabel('Email').fill('j\u00fcrgen@xn--mller-kva.example');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByLabel('Name of a new key').waitFor();
    await page.close();
  });

  test('a key is copied by its button', async () => {
    const page = await site.open('/');
    await site.browser.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.service.url });
    await site.signUp(page, 'copy@example.com', await site.service.createInvite());
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await site.shownKey(page));
    await page.getByRole('link', { name: 'Go to the dashboard' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await page.close();
  });

  test('a refused form says what is wrong where it is, goes on there, and is not sent again by loading the page', async () => {
    const page = await site.open('/');
    const goesOn = async (label: string, why: RegExp): Promise<void> => {
      const field = page.getByLabel(label, { exact: true });
      await field.and(page.locator(':focus')).waitFor();
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      const told = page.locator(`[id="${(await field.getAttribute('aria-describedby'))!.split(' ')[0]}"]`);
      assert.match(await told.innerText(), why);
      // The page moves there smoothly.
      await page.waitForFunction((line) => { const { top, bottom } = line!.getBoundingClientRect(); return top >= 0 && bottom <= innerHeight; }, await told.elementHandle());
    };
    await site.signUp(page, 'wrong@example.com', 'ldi_mistyped');
    await page.getByText('does not open an account').waitFor();
    assert.equal(await page.getByLabel('Invite key').getAttribute('aria-invalid'), 'true');
    assert.equal(await page.getByLabel('Invite key').inputValue(), 'ldi_mistyped', 'what is mistyped can be seen and mended');
    await site.signUp(page, 'wrong@example.com', await site.service.createInvite());
    assert.match(await page.locator('pre', { hasText: 'curl' }).or(page.locator('#fresh-key')).first().innerText(), /^ldx_/);
    await page.goto(`${site.service.url}/dashboard`);
    assert.match(await page.locator('pre').innerText(), new RegExp(`^curl -sS ${site.service.url}/v1/find `));
    await page.locator('summary', { hasText: 'Change the password' }).click();
    await page.getByLabel('Current password').fill('another one');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change it' }).click();
    await goesOn('Current password', /current password is wrong/);
    assert.equal(new URL(page.url()).pathname, '/dashboard');
    await page.reload();
    assert.equal(await page.getByText('current password is wrong').count(), 0);
    await page.locator('summary', { hasText: 'Delete the account' }).click();
    await page.locator('.grave').getByLabel('Password').fill('another one');
    await page.getByRole('button', { name: 'Delete for good' }).click();
    await goesOn('Password', /Nothing was deleted/);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email').fill('wrong@example.com');
    await page.getByLabel('Password').fill('another one');
    await page.keyboard.press('Enter');
    await goesOn('Password', /The email or the password is wrong/);
    await page.close();
  });

  test('a refused sign-in or sign-up, and one that waits, is not sent again by loading the page, and the way back does not stop at it', async () => {
    const page = await site.open('/');
    await site.signUp(page, 'again@example.com', 'ldi_mistyped');
    await page.getByText('does not open an account').waitFor();
    let sent = 0;
    page.on('request', (request) => { if (request.method() === 'POST') sent += 1; });
    await page.reload();
    assert.equal(await page.getByText('does not open an account').count(), 0);
    await site.signUp(page, 'again@example.com', '');
    await page.getByText('Your account waits').first().waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const enter = async (password: string): Promise<void> => {
      await page.getByLabel('Email').fill('again@example.com');
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
    };
    await enter('another one');
    await page.getByText('The email or the password is wrong').waitFor();
    await page.reload();
    assert.equal(await page.getByText('The email or the password is wrong').count(), 0);
    assert.equal(sent, 2, 'what was sent is the sign-up and the sign-in');
    await enter('another one');
    await page.getByText('The email or the password is wrong').waitFor();
    await enter(PASSWORD);
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
    await page.goBack();
    assert.equal(new URL(page.url()).pathname, '/dashboard', 'whoever is signed in is led on');
    await page.close();
  });

  test('everything but the playground works without scripts, by keyboard', async () => {
    const plain = await Browser.open({ javaScriptEnabled: false });
    try {
      const page = await plain.context.newPage();
      await site.signUp(page, 'plain@example.com', '');
      await page.getByRole('link', { name: 'Sign in' }).last().click();
      await page.getByLabel('Email').fill('plain@example.com');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByLabel('Invite key').fill(await site.service.createInvite());
      await page.keyboard.press('Enter');
      assert.equal(await statusOf(await site.shownKey(page)), 200);
      assert.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0, 'no button is shown that does nothing');
      const revoke = page.locator('summary', { hasText: 'Revoke' });
      await revoke.focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('The key is revoked').waitFor();
      await page.goto(`${site.service.url}/docs`);
      await page.locator('summary', { hasText: '/v1/find' }).first().focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Answers' }).waitFor();
    } finally {
      await plain.close();
    }
  });

  test('axe finds no violation on any page, in light and dark, narrow and wide', async () => {
    const page = await site.open('/');
    await page.context().clearCookies();
    const check = async (name: string): Promise<void> => {
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const width of [360, 768, 1_440]) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 900 });
          if (width !== 768) assert.deepEqual(await violations(page), [], `${name}, ${colorScheme}, ${width} px`);
          assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} fits ${width} px`);
        }
      }
    };
    await check('home');
    const moved = await page.locator('.lanes text').evaluateAll((texts) => texts.filter((text) => getComputedStyle(text).animationName !== 'none').length);
    assert.equal(moved, 0, 'each text of the picture is there at once');
    assert.match(await page.getByRole('region', { name: 'The call' }).innerText(), new RegExp(`^curl -sS ${site.service.url}/v1/find `));
    for (const path of ['/signup', '/login', '/playground']) {
      await page.goto(site.service.url + path);
      await check(path);
    }
    await page.goto(`${site.service.url}/docs`);
    await page.getByRole('heading', { name: 'Caps and units' }).waitFor();
    assert.equal(await page.getByRole('cell', { name: '10,000', exact: true }).count(), 1, 'the plans stand in a table');
    await page.locator('.call > summary').first().click();
    await page.getByRole('heading', { name: 'Answers' }).waitFor();
    // What is still folded nobody sees; axe would look through all of it each time. The reference has a test of its own, with everything unfolded.
    await page.evaluate(() => { for (const folded of document.querySelectorAll('details:not([open]) > :not(summary)')) folded.remove(); });
    await check('docs');
    await page.context().clearCookies();
    await page.goto(`${site.service.url}/login`);
    await page.getByLabel('Email').fill('jo@example.com');
    await page.getByLabel('Password').fill('not this one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await check('a refused sign-in');
    await site.signUp(page, 'axe@example.com', '');
    await check('an account that waits');
    await site.signUp(page, 'axe2@example.com', await site.service.createInvite());
    await check('a first key');
    const key = await site.shownKey(page);
    await page.goto(`${site.service.url}/dashboard`);
    await check('a dashboard without requests');
    await statusOf(key);
    await site.service.find({ type: 'nothing' }, { key });
    await page.reload();
    assert.equal(await page.locator('.requests tbody tr').count(), 2);
    await page.locator('summary', { hasText: 'Rotate' }).click();
    await check('dashboard');
    await page.getByLabel('Name of a new key').fill('W'.repeat(64));
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.locator('.key', { hasText: 'WWW' }).locator('summary', { hasText: 'Revoke' }).click();
    await check('a key of a long name');
    await page.setViewportSize({ width: 360, height: 900 });
    assert.ok(await page.getByRole('button', { name: /^Revoke W/ }).evaluate((button) => button.getBoundingClientRect().right <= innerWidth), 'the button fits 360 px');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.goto(`${site.service.url}/assets/x/none`);
    await check('a problem');
    await page.close();
  });

  test('pages ask no other host for anything, and their policy keeps nothing from them', () => {
    assert.deepEqual(site.browser.asked.filter((url) => !url.startsWith(site.service.url) && !url.startsWith('data:')), []);
    assert.deepEqual(site.browser.complaints.filter((text) => !/status of (?:400|404)/.test(text)), []);
  });
});
