import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row } from '../../../src/model/field.ts';
import { until } from '../../support/until.ts';
import { RunningService, type Json } from '../../system/service.ts';
import { storedBy, type Stored } from './people.ts';
import { OPENERS, type Opened } from './sources.ts';

const PEOPLE = 160;
const SHARE = 0.45;

/** A gateway over sources of every kind that share people, and what each of them shows when it is asked alone. */
export class World {
  readonly service: RunningService;
  readonly stored: ReadonlyMap<string, readonly Stored[]>;
  /** In the order of precedence. */
  rows: ReadonlyMap<string, readonly Row[]> = new Map();
  readonly admin: string;
  /** Who is suppressed. */
  isHidden: (row: Row) => boolean = () => false;
  readonly #opened: readonly Opened[];

  private constructor(service: RunningService, admin: string, stored: ReadonlyMap<string, readonly Stored[]>, opened: readonly Opened[]) {
    this.service = service;
    this.admin = admin;
    this.stored = stored;
    this.#opened = opened;
  }

  static async open(seed: number): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'lds-federated-'));
    const opened: Opened[] = [];
    try {
      return await World.#over(folder, seed, opened);
    } catch (error) {
      // A server that is left would keep the process, and the failure to itself until that is ended.
      for (const source of opened) await source.stop();
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  static async #over(folder: string, seed: number, opened: Opened[]): Promise<World> {
    const stored = new Map<string, readonly Stored[]>();
    const entries: string[] = [];
    for (const [name, open, isDeclared] of OPENERS) {
      const rows = storedBy(name, seed, PEOPLE, SHARE);
      const source = await open(name, rows, folder);
      if (source === null) continue;
      opened.push(source);
      if (isDeclared) entries.push(source.entry);
      stored.set(name, rows);
    }
    const config = join(folder, 'config.yaml');
    writeFileSync(config, `sources:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`);
    const service = await RunningService.start({ LDS_CONFIG: config, LDS_DEMO: '0', LDS_LOG_LEVEL: 'warn' }, folder);
    const world = new World(service, await service.createKey('operator@localhost', 'unlimited', 'admin'), stored, opened);
    // On a busy machine the service begins to serve before each of them was reached.
    await until(async () => ((await service.call('GET', '/v1/sources')).json.sources as Json[]).every(({ status }) => status !== 'down'), 60_000);
    await world.look();
    return world;
  }

  /** What each source shows, by itself. */
  async look(): Promise<void> {
    const rows = new Map<string, readonly Row[]>();
    for (const name of this.stored.keys()) {
      const { rows: shown, end } = await this.stream({ type: 'contacts', sources: { only: [name] } });
      assert.deepEqual([end.errors, end.partial], [[], false]);
      rows.set(name, shown);
    }
    this.rows = rows;
  }

  /** Each in another way, and some in no normal form. */
  async suppress(): Promise<void> {
    const known = [...this.rows.values()].flat();
    const emails = [...new Set(known.map(({ email }) => email).filter((email) => email !== null))].map(String).slice(0, 9);
    const pages = [...new Set(known.map(({ linkedin_url: url }) => url).filter((url) => url !== null))].map((url) => String(url).toLowerCase()).slice(0, 9);
    const terms = [
      { domain: 'GONE.example' }, { domain: 'oreilly.example' }, ...pages.map((url) => ({ linkedin_url: url.replace('https://www.', 'http://de.') })),
      ...emails.map((email, at) => (at % 2 === 0 ? { email: ` ${email.toUpperCase()}` } : { email_sha256: createHash('sha256').update(email.toLowerCase()).digest('hex') })),
    ];
    for (const term of terms) assert.equal((await this.service.call('POST', '/admin/suppressions', { key: this.admin, body: term })).status, 200);
    const within = (domain: unknown, suppressed: string): boolean => domain === suppressed || String(domain).endsWith(`.${suppressed}`);
    const domains = ({ email, company_domain: domain }: Row): unknown[] => [email === null ? null : String(email).split('@').at(-1), domain].filter((one) => one !== null);
    const hidden = new Set(emails.map((email) => email.toLowerCase()));
    this.isHidden = (row) => hidden.has(String(row.email).toLowerCase()) || pages.includes(String(row.linkedin_url).toLowerCase())
      || domains(row).some((one) => within(one, 'gone.example') || within(one, 'oreilly.example'));
  }

  async stream(body: object): Promise<{ rows: Row[]; end: Json }> {
    const lines = await this.service.lines({ timeout_ms: 60_000, ...body });
    return { rows: lines.filter((line) => line.id !== undefined) as Row[], end: lines.at(-1)['@end'] };
  }

  async page(body: object): Promise<Json> {
    const { status, json, text } = await this.service.find({ timeout_ms: 30_000, ...body });
    if (status !== 200) throw new Error(`${status} ${text}`);
    return json;
  }

  async close(): Promise<void> {
    await this.service.stop(true);
    for (const source of this.#opened) await source.stop();
    rmSync(this.service.folder, { recursive: true, force: true });
  }
}
