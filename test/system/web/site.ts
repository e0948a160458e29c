import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { Browser } from '../../support/browser.ts';
import { RunningService } from '../service.ts';

export const PASSWORD = 'correct horse battery';

type Visited = { readonly env?: NodeJS.ProcessEnv; readonly textPx?: number };

/** A gateway over the demonstration, a browser that visits it, and what people do there: from before the tests of the suite in which it is made to their end. */
export class Site {
  service!: RunningService;
  browser!: Browser;

  constructor({ env, ...settings }: Visited = {}) {
    before(async () => { [this.service, this.browser] = await Promise.all([RunningService.overDemo(env), Browser.open(settings)]); });
    after(async () => {
      await this.browser.close();
      await this.service.stop();
    });
  }

  async open(path: string): Promise<Page> {
    const page = await this.browser.context.newPage();
    await page.goto(this.service.url + path);
    return page;
  }

  async signUp(page: Page, email: string, code: string): Promise<void> {
    await page.context().clearCookies();
    await page.goto(`${this.service.url}/signup`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByLabel('Invite key').fill(code);
    await page.getByRole('button', { name: 'Create the account' }).click();
  }

  /** That is shown this once. */
  async shownKey(page: Page): Promise<string> {
    return (await page.locator('#fresh-key').textContent())!;
  }
}
