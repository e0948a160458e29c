import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { violations, withoutBrowser } from '../../support/browser.ts';
import { Site } from './site.ts';

const CALLS_A_DAY = 20;

describe('the playground page', { skip: withoutBrowser, timeout: 300_000 }, () => {
  const site = new Site({ env: { LDS_TRUSTED_PROXIES: '127.0.0.1' } });
  let page: Page;
  /** The calls of this page to the playground's API, as the service answered them. */
  let calls = 0;
  before(async () => {
    page = await site.browser.context.newPage();
    await page.setExtraHTTPHeaders({ 'x-forwarded-for': '203.0.113.7' });
    page.on('response', (answer) => { if (answer.url().includes('/playground/')) calls += 1; });
    await page.goto(`${site.service.url}/playground`);
  });

  const pressed = async (name: string, path: string): Promise<void> => {
    const answered = page.waitForResponse((answer) => answer.url().endsWith(path));
    await page.getByRole('button', { name, exact: true }).click();
    await answered;
    await page.locator('#result:not([aria-busy])').waitFor();
  };
  const search = (): Promise<void> => pressed('Run the search', '/playground/find');
  /** Shows an answer that no source of the test gives. */
  const given = async (over: object): Promise<void> => {
    await page.route('**/playground/find', (route) => route.fulfill({ json: {
      results: [], total: 0, total_relation: 'gte', partial: true, warnings: ['partner was not asked (unreachable): its rows are missing'], took_ms: 1,
      sources: [{ source: 'partner', status: 'skipped', reason: 'unreachable', returned: 0, matched: null, took_ms: 0 }], ...over,
    } }));
    await search();
    calls -= 1;
    await page.unroute('**/playground/find');
  };
  const validate = async (address: string): Promise<void> => {
    await page.getByLabel('Email address').fill(address);
    await pressed('Validate', '/playground/email/validate');
  };
  const told = (): Promise<string> => page.locator('#result').innerText();
  const left = (): number => CALLS_A_DAY - calls;

  test('comes with its schema and spends no call until its reader runs something', () => {
    assert.deepEqual(site.browser.asked.filter((url) => url.includes('/playground/')), []);
  });

  test('keeps each example of a hint on one line, for a word behind a lone hyphen would read as another', async () => {
    const { width, height } = page.viewportSize()!;
    for (const narrow of [320, 360, 375, 390, 412]) {
      await page.setViewportSize({ width: narrow, height });
      const broken = await page.locator('.hint code').evaluateAll((examples) => examples.filter((one) => one.getClientRects().length > 1).map((one) => one.textContent));
      assert.deepEqual(broken, [], `${narrow} px`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `fits ${narrow} px`);
    }
    await page.setViewportSize({ width, height });
  });

  test('shows the rows, masked, the status and time of each source, and what is left of the day', async () => {
    // A screen reader hears of changes to what was there, and stayed.
    await page.locator('#told').evaluate((line: HTMLElement) => { line.dataset['since'] = 'the page'; });
    await search();
    assert.match(await page.locator('[role=status][data-since="the page"]').innerText(), /^5 of/);
    assert.equal(await page.locator('#result tbody tr').count(), 5);
    const emails = await page.locator('#result tbody td:nth-child(3) .main').allInnerTexts();
    for (const email of emails) assert.match(email, /^.\*\*\*@/);
    const sources = await page.locator('.sources li').allInnerTexts();
    assert.equal(sources.length, 2);
    for (const source of sources) assert.match(source, /demo-\w+\s+complete\s+\d of [\d,]+ rows\s+[\d.]+ ms/);
    assert.match(await page.getByRole('status').filter({ hasText: 'in the gateway' }).innerText(), /5 of (?:at most )?[\d,]+ rows/);
    assert.match(await told(), new RegExp(`${left()} of today’s free calls are left`));
    assert.deepEqual(await violations(page), []);
  });

  test('says so where no row matches', async () => {
    await page.getByLabel('company name').fill('nobody has this name');
    await search();
    assert.match(await told(), /0 of (?:at most )?0 rows[^]*No row matches/);
    await page.getByLabel('company name').fill('');
  });

  test('shows a source that cannot count without a count, blames no filter for rows that are missing, and fits values of any length', async () => {
    const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(2);
    await given({});
    assert.match(await told(), /partner\s+skipped\s+0 rows\s/);
    assert.doesNotMatch(await told(), /Widen a filter/);
    assert.match(await told(), /No row has come/);
    await given({ results: [{ source: 'crm', full_name: long, job_title: long, company_name: long, city: long, email: 'l***@example.com' }] });
    for (const width of [320, 360, 1_280]) {
      await page.setViewportSize({ width, height: 720 });
      const room = await page.evaluate(() => document.querySelector('.rows')!.clientWidth);
      for (const cell of await page.locator('.rows tbody td').all()) assert.ok((await cell.boundingBox())!.width > room / 8, `a column of ${room} px is left room at ${width} px`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      for (const button of await page.getByRole('button', { name: 'Copy' }).all()) assert.ok((await button.boundingBox())!.height < 40, `the buttons keep to one line at ${width} px`);
    }
    await page.setViewportSize({ width: 1_280, height: 720 });
  });

  test('fits the name of a source of any length, in its line and in a warning', async () => {
    const source = 'w'.repeat(64);
    await given({ warnings: [`${source} was not asked (unreachable): its rows are missing`], sources: [{ source, status: 'skipped', reason: 'unreachable', returned: 0, matched: null, took_ms: 0 }] });
    for (const width of [320, 700, 1_280]) {
      await page.setViewportSize({ width, height: 720 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0, `at ${width} px`);
    }
  });

  test('shows a value that is written from right to left in its own order, within its line', async () => {
    await given({ results: [{ source: 'crm', full_name: 'محمد علي.', job_title: 'مدير (1)', company_name: 'شركة الاختبار.', city: 'القاهرة', country: 'EG' }] });
    const sides = await page.locator('.rows tbody .main').evaluateAll((cells) => cells.slice(0, 2).map((cell) => {
      const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode()!;
      const leftOf = (at: number): number => {
        const range = document.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left;
      };
      return leftOf(text.textContent!.length - 1) < leftOf(0);
    }));
    assert.deepEqual(sides, [true, true], 'a full stop stands where the text ends, on the left');
    assert.equal(await page.locator('.rows tbody td:nth-child(2) .hint').innerText(), 'القاهرة, EG');
  });

  test('shows the same call as curl, TypeScript and NDJSON, and each does what the form says', async () => {
    await page.getByLabel('Words').fill('');
    await page.getByLabel('job title').fill("Data Manager, Head of o'Sales");
    await page.getByText('12 more').click();
    await page.getByRole('textbox', { name: 'updated at from' }).fill('2020-01-31');
    for (const [bound, word] of [['min', 'from'], ['max', 'to']] as const) {
      const seen = await page.locator(`label[for=contacts-updated_at-${bound}]`).boundingBox();
      assert.ok(seen!.width > 8, `the date ${word} is told from the other by what stands before it`);
    }
    const [curl, typescript, ndjson] = await Promise.all(['curl', 'typescript', 'ndjson'].map((name) => page.locator(`#snippet-${name}`).innerText()));
    const ran = (command: string, args: readonly string[]): string => {
      const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, LDS_KEY: site.service.key } });
      assert.equal(status, 0, stderr);
      return stdout;
    };
    const answer = JSON.parse(ran('sh', ['-c', curl!])) as { type: string; returned: number; total: number };
    assert.equal(answer.type, 'contacts');
    assert.ok(answer.returned > 0);
    const lines = ran('sh', ['-c', ndjson!]).trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.ok('@end' in lines.at(-1)!);
    assert.ok(lines.filter((line) => 'id' in line).length >= answer.returned);
    assert.equal(Number(ran(process.execPath, ['--input-type=module', '-e', `${typescript}\nconsole.log(results.length);`])), answer.returned);
    for (const snippet of [curl!, typescript!, ndjson!]) assert.match(snippet, /"job_title": \["Data Manager", "Head of o(?:'|'\\'')Sales"\]/);
    assert.doesNotMatch(ndjson!, /limit/);
    await page.getByRole('button', { name: 'Copy curl' }).click();
    const copied = page.locator('[data-copied]').first();
    await copied.filter({ hasText: /./ }).waitFor();
    await page.getByLabel('Words').fill('another');
    assert.equal(await copied.innerText(), '', 'of a call that was not copied nothing is said');
  });

  test('turns to companies with their own filters, and tells what is wrong with a search in the words of the API', async () => {
    await page.getByLabel('Companies').check();
    await page.getByLabel('Words').fill('');
    await search();
    assert.deepEqual(await page.locator('#result th').allInnerTexts(), ['name, domain', 'industry, size', 'city, country', 'source']);
    assert.equal(await page.locator('#result tbody tr').count(), 5);
    await page.getByLabel('Words').fill('x');
    await page.locator('#companies-country').selectOption('');
    await search();
    assert.match(await page.getByRole('alert').innerText(), /400 query_without_narrowing_filter[^]*Request \S+/);
    assert.match(await told(), new RegExp(`${left()} of today’s free calls are left`), 'it was one of them');
    assert.deepEqual(await violations(page), []);
  });

  test('validates an address: the verdict, and each stage with its status, code and time', async () => {
    await validate('jo@@example.com');
    assert.match(await told(), /undeliverable\s+SYNTAX_\w+, score \d+/);
    const stages = await page.locator('.stages li').allInnerTexts();
    assert.deepEqual(stages.map((stage) => stage.split(/\s+/).slice(0, 2)), [['syntax', 'fail'], ['domain', 'skipped'], ['lists', 'skipped'], ['dns', 'skipped'], ['smtp', 'skipped']]);
    assert.match(stages[0]!, /SYNTAX_\w+\s+[\d.]+ ms$/);
    assert.match(await told(), new RegExp(`${left()} of today’s free calls are left`));
    await validate('jo@service.invalid');
    assert.match(await told(), /undeliverable\s+DOMAIN_\w+/);
    assert.deepEqual(await violations(page), []);
  });

  test('shows a validation as curl, TypeScript and NDJSON as well', async () => {
    const snippets = await Promise.all(['curl', 'typescript', 'ndjson'].map((name) => page.locator(`#snippet-${name}`).innerText()));
    for (const snippet of snippets) assert.match(snippet, /\/v1\/email\/validate[^]*jo@service\.invalid/);
    const { stdout } = spawnSync('sh', ['-c', snippets[2]!], { encoding: 'utf8', env: { ...process.env, LDS_KEY: site.service.key } });
    assert.deepEqual(stdout.trimEnd().split('\n').map((line) => Object.keys(JSON.parse(line) as object).includes('index')), [true, false]);
  });

  test('cuts nothing that is pasted: what is too long is told by the answer, not sent without its end', async () => {
    for (const field of ['Email address', 'Words']) {
      await page.getByLabel(field).fill('');
      await page.getByLabel(field).focus();
      await page.keyboard.insertText('a'.repeat(400));
      assert.equal((await page.getByLabel(field).inputValue()).length, 400, field);
    }
  });

  test('an address that is missing is asked for before anything is sent', async () => {
    const before = calls;
    await page.getByLabel('Email address').fill('');
    await page.getByRole('button', { name: 'Validate', exact: true }).click();
    assert.equal(await page.locator('#address:invalid').count(), 1);
    assert.equal(calls, before);
  });

  test('works by keyboard alone, and on a narrow screen brings the answer into view', async () => {
    await page.setViewportSize({ width: 360, height: 700 });
    await page.locator('#companies-country').selectOption('US');
    await page.getByLabel('Words').fill('');
    await page.getByLabel('Words').focus();
    const answered = page.waitForResponse((answer) => answer.url().endsWith('/playground/find'));
    await page.keyboard.press('Enter');
    await answered;
    await page.locator('#result:not([aria-busy])').waitFor();
    await page.waitForFunction(() => { const { top } = document.getElementById('result-title')!.getBoundingClientRect(); return top >= 0 && top < innerHeight; });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(await violations(page), []);
    await page.setViewportSize({ width: 1_280, height: 720 });
  });

  test('of a search and a validation that run at once it shows the one that was asked last, also where its answer comes first', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => { release = resolve; });
    await page.route('**/playground/find', async (route) => { await held; await route.continue(); });
    const asked = page.waitForRequest('**/playground/find');
    await page.getByRole('button', { name: 'Run the search' }).click();
    await asked;
    await page.getByLabel('Email address').fill('jo@@example.com');
    await page.getByRole('button', { name: 'Validate', exact: true }).click();
    await page.locator('.stages').waitFor();
    assert.equal(await page.locator('#result[aria-busy]').count(), 0);
    const answered = page.waitForResponse('**/playground/find');
    release();
    await (await answered).finished();
    await page.getByRole('button', { name: 'Run the search' }).and(page.locator(':not([aria-disabled])')).waitFor();
    assert.match(await told(), /SYNTAX_\w+/);
    await page.unroute('**/playground/find');
  });

  test('whoever comes back to it finds the form, its filters and its call of one type', async () => {
    const back = await site.browser.context.newPage();
    await back.goto(`${site.service.url}/playground`);
    await back.getByLabel('Companies').check();
    await back.locator('#companies-country').selectOption('DE');
    await back.goto(`${site.service.url}/docs`);
    await back.goBack();
    await back.waitForFunction(() => document.readyState === 'complete');
    const type = await back.locator('input[name=type]:checked').inputValue();
    const expected = { contacts: type === 'contacts', companies: type === 'companies' };
    await back.locator(`fieldset[data-type=${type}]`).waitFor();
    const seen = { contacts: await back.locator('fieldset[data-type=contacts]').isVisible(), companies: await back.locator('fieldset[data-type=companies]').isVisible() };
    assert.deepEqual(seen, expected);
    const country = await back.locator(`#${type}-country`).inputValue();
    assert.match(await back.locator('#snippet-curl').innerText(), new RegExp(`"type": "${type}"[^]*"country": \\["${country}"\\]`));
    await back.close();
  });

  test('the 21st call of the day is refused, by either form, in words that name the cap', async () => {
    // Another page stood before it: a browser need not paint what is behind, and a click waits for that.
    await page.bringToFront();
    while (left() > 0) await search();
    assert.match(await told(), /0 of today’s free calls are left/);
    await search();
    assert.match(await page.getByRole('alert').innerText(), /429 rate_limited[^]*20 requests a day[^]*resets at 00:00 UTC[^]*Request \S+/);
    await validate('jo@example.com');
    assert.match(await page.getByRole('alert').innerText(), /429 RATE_LIMITED[^]*20 requests a day/);
    assert.deepEqual(await violations(page), []);
    assert.equal(calls, CALLS_A_DAY + 2);
  });

  test('without its script, or before it is there, the forms send nothing and put nothing that was typed into the address', async () => {
    const still = await site.browser.context.newPage();
    await still.route('**/playground.js', (route) => route.abort());
    await still.goto(`${site.service.url}/playground`);
    await still.getByLabel('Email address').fill('canary@example.com');
    await still.keyboard.press('Enter');
    for (const name of ['Run the search', 'Validate']) assert.equal(await still.getByRole('button', { name, exact: true }).isDisabled(), true);
    assert.equal(still.url(), `${site.service.url}/playground`);
    assert.deepEqual(await still.locator('figure.snippet:visible code').evaluateAll((calls) => calls.map(({ id }) => id)), ['snippet-curl'], 'no empty box stands for a call');
    await still.getByText('a script that is not here yet').waitFor();
    await still.unroute('**/playground.js');
    await still.reload();
    await still.locator('button[type=submit]:enabled').first().waitFor();
    assert.equal(await still.locator('#unscripted').getAttribute('hidden'), '', 'for good: it would be seen only later');
    await still.close();
  });

  test('an answer that is not of the gateway is not taken for one without rows', async () => {
    const behind = await site.browser.context.newPage();
    await behind.route('**/playground/find', (route) => route.fulfill({ contentType: 'text/html', body: '<p>Accept the terms of this network.' }));
    await behind.goto(`${site.service.url}/playground`);
    await behind.getByRole('button', { name: 'Run the search' }).click();
    await behind.getByText('The gateway could not be reached.').waitFor();
    assert.doesNotMatch(await behind.locator('#result').innerText(), /row|Request|200/);
    await behind.close();
  });

  test('the forms send no cookie, and the answers set none', async () => {
    await site.browser.context.addCookies([{ name: 'lds_session', value: 'x'.repeat(43), url: site.service.url }]);
    const sent = page.waitForRequest(/\/playground\/find$/);
    await search();
    assert.deepEqual(Object.keys(await (await sent).allHeaders()).filter((name) => ['cookie', 'authorization'].includes(name)), []);
    const { headers } = await site.service.call('POST', '/playground/find', { key: null, body: { type: 'contacts', limit: 1 }, headers: { 'x-forwarded-for': '203.0.113.8' } });
    assert.equal(headers.get('set-cookie'), null);
    assert.equal(headers.get('ratelimit-policy'), '"playground";q=20;w=86400');
    assert.match(headers.get('ratelimit')!, /^"playground";r=19;t=\d+$/);
  });
});
