import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const PATIENCE_MS = 30_000;
const executablePath = PATHS.find((path) => existsSync(path));

/** Why tests that need a browser are left out; false where they are not. On CI a missing browser is a failure. */
export const withoutBrowser: string | false = executablePath !== undefined || process.env['CI'] === 'true' ? false : 'no Chromium here: apt-get install chromium';

/** Chromium with an empty profile, and what its pages complained of. */
export class Browser {
  readonly context: BrowserContext;
  /** Errors of pages, and what their policy kept from them. */
  readonly complaints: string[] = [];
  /** Everything that was asked for, by address. */
  readonly asked: string[] = [];
  readonly #profile: string;

  private constructor(context: BrowserContext, profile: string) {
    this.context = context;
    this.#profile = profile;
    context.setDefaultTimeout(PATIENCE_MS);
    context.on('console', (message) => { if (message.type() === 'error') this.complaints.push(message.text()); });
    context.on('weberror', (error) => { this.complaints.push(error.error().message); });
    context.on('request', (request) => { this.asked.push(request.url()); });
  }

  /** `textPx`: how large its owner has set text, where he has. */
  static async open({ textPx, ...settings }: { readonly javaScriptEnabled?: boolean; readonly textPx?: number } = {}): Promise<Browser> {
    if (executablePath === undefined) throw new Error(`There is no Chromium at ${PATHS.join(', ')}.`);
    const profile = await mkdtemp(join(tmpdir(), 'lds-browser-'));
    const context = await chromium.launchPersistentContext(profile, {
      executablePath, headless: true, ...settings,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
        ...(textPx === undefined ? [] : [`--blink-settings=defaultFontSize=${textPx}`])],
    });
    return new Browser(context, profile);
  }

  async close(): Promise<void> {
    await this.context.close();
    await rm(this.#profile, { recursive: true, force: true });
  }
}

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What a page has against it, by axe-core: rule, number of places, the first of them. */
export async function violations(page: Page): Promise<string[]> {
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(on: Document, options: object): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }> } };
    // Fetching stylesheets anew would break the page's own policy; where each rule holds nobody reads.
    const { violations } = await axe.run(document, { preload: false, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => `${id} x${nodes.length}: ${nodes[0]!.target.join(' ')}`);
  });
}
