import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { Browser, violations, withoutBrowser } from '../../support/browser.ts';
import { RunningService } from '../service.ts';

describe('the playground page', { skip: withoutBrowser, timeout: 120_000 }, () => {
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  before(async () => {
    [service, browser] = await Promise.all([RunningService.start(), Browser.open()]);
    page = await browser.context.newPage();
    await page.goto(`${service.url}/playground`);
  });
  after(async () => {
    await browser.close();
    await service.stop();
  });

  /** The search with a key stands in for the one without: same request, same answer. */
  const throughFind = async (route: Route): Promise<void> => {
    const { status, text, headers } = await service.find(route.request().postData());
    await route.fulfill({ status, body: text, headers: { 'content-type': 'application/json', 'x-request-id': headers.get('x-request-id')! } });
  };
  const run = async (): Promise<void> => {
    const answered = page.waitForResponse(/\/playground\/find$/);
    await page.getByRole('button', { name: 'Run the search' }).click();
    await answered;
    await page.locator('#result:not([aria-busy])').waitFor();
  };

  test('comes with its schema and spends no call until its reader runs something', () => {
    assert.deepEqual(browser.asked.filter((url) => url.includes('/playground/')), []);
  });

  test('shows the rows, and the status and time of each source', async () => {
    await page.route('**/playground/find', throughFind);
    await run();
    assert.equal(await page.locator('#result tbody tr').count(), 5);
    const sources = await page.locator('.sources li').allInnerTexts();
    assert.equal(sources.length, 2);
    for (const source of sources) assert.match(source, /demo-\w+\s+complete\s+\d of [\d,]+ rows\s+[\d.]+ ms/);
    assert.match(await page.locator('.total').innerText(), /5 of (?:at most )?[\d,]+ rows/);
    assert.deepEqual(await violations(page), []);
  });

  test('shows the same call as curl, TypeScript and NDJSON, and each does what the form says', async () => {
    await page.getByLabel('job title').fill("VP of Sales, Head of o'Sales");
    await page.getByText('12 more').click();
    await page.locator('#contacts-updated_at-min').fill('2020-01-31');
    const [curl, typescript, ndjson] = await Promise.all(['curl', 'typescript', 'ndjson'].map((name) => page.locator(`#snippet-${name}`).innerText()));
    const shell = (script: string): string => spawnSync('sh', ['-c', script], { encoding: 'utf8', env: { ...process.env, LDS_KEY: service.key } }).stdout;
    const answer = JSON.parse(shell(`curl() { shift; node -e '
      const [url, , key, , body] = process.argv.slice(1);
      fetch(url, { method: "POST", headers: { authorization: key.replace("Authorization: ", "") }, body }).then((answer) => answer.text()).then(console.log)' "$@"; }\n${curl}`)) as { type: string; returned: number };
    assert.equal(answer.type, 'contacts');
    for (const snippet of [curl!, typescript!, ndjson!]) assert.match(snippet, /"job_title": \["VP of Sales", "Head of o(?:'|'\\'')Sales"\]/);
    assert.match(typescript!, /"updated_at": \{\n\s+"min": "2020-01-31"\n\s+\}/);
    assert.match(ndjson!, /-H 'Accept: application\/x-ndjson'/);
    assert.doesNotMatch(ndjson!, /limit/);
  });

  test('turns to companies with their own filters, and tells what is wrong with a search in the words of the API', async () => {
    await page.getByLabel('Companies').check();
    await page.getByLabel('Words').fill('');
    await run();
    assert.deepEqual((await page.locator('#result th').allInnerTexts()).slice(0, 2), ['name', 'domain']);
    await page.getByLabel('Words').fill('x');
    await page.locator('#companies-country').selectOption('');
    await run();
    assert.match(await page.getByRole('alert').innerText(), /400 query_without_narrowing_filter[^]*Request \S+/);
    assert.deepEqual(await violations(page), []);
  });

  test('passes on which cap was hit', async () => {
    await page.unroute('**/playground/find');
    const told = { error: 'rate_limited', detail: 'The 20 playground calls of this address for today are used: retry in 300 s.', retry_after: 300, request_id: 'x' };
    await page.route('**/playground/find', (route) => route.fulfill({ status: 429, json: told, headers: { 'x-request-id': 'x', 'retry-after': '300' } }));
    await run();
    assert.match(await page.getByRole('alert').innerText(), /429 rate_limited[^]*20 playground calls/);
  });
});
