import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { createInvite } from '../../src/accounts/invite.ts';
import { ensureAccount, issueKey } from '../../src/accounts/issue.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { IngestOrder } from '../../src/ingest/ingest.ts';
import type { KeyKind, PlanName } from '../../src/model/account.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { putDemoLake } from './demo_lake.ts';
import type { Documented } from './documented.ts';
import { heard } from '../support/heard.ts';
import { endChildren, endWithProcess } from '../support/left_children.ts';
import { MAIN } from '../support/main.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';

/** Where one failed before it could stop its service, the file does not wait for that. */
after(endChildren);

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: Json };
// Tests reach into answers freely: what is not there fails the assertion that reads it.
export type Json = ReturnType<typeof JSON.parse>;

/** The service as its users meet it: a process of its own, and a key. */
export class RunningService {
  readonly folder: string;
  readonly url: string;
  readonly port: number;
  readonly env: NodeJS.ProcessEnv;
  readonly child: ChildProcess;
  printed = '';
  logged = '';
  key = '';
  /** What its answers are held against, once there is something. */
  documented: Documented | null = null;

  private constructor(folder: string, port: number, env: NodeJS.ProcessEnv, main: string) {
    this.folder = folder;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.env = { ...process.env, LDS_DATA_DIR: join(folder, 'data'), LDS_PORT: String(port), ...env };
    this.child = spawn(process.execPath, [main, 'serve'], { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] });
    endWithProcess(this.child);
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => { this.logged += text; });
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => { this.printed += text; });
  }

  /** `main`: what runs, where it is not the code that `lds` runs by. */
  static async start(env: NodeJS.ProcessEnv = {}, folder?: string, main: string = MAIN): Promise<RunningService> {
    const port = env.LDS_PORT === undefined ? await freePort() : Number(env.LDS_PORT);
    const service = new RunningService(folder ?? await mkdtemp(join(tmpdir(), 'lds-system-')), port, env, main);
    await service.#ready();
    service.key = await service.createKey('tests@localhost', 'unlimited');
    return service;
  }

  /** Over the demonstration lake, which stands there before. */
  static async overDemo(env: NodeJS.ProcessEnv = {}): Promise<RunningService> {
    const folder = await mkdtemp(join(tmpdir(), 'lds-system-'));
    await putDemoLake(join(folder, 'data'));
    return RunningService.start(env, folder);
  }

  async #ready(): Promise<void> {
    for (let tries = 0; tries < 1_200; tries += 1) {
      if (this.#hasEnded()) throw new Error(`the service ended with ${this.child.exitCode ?? this.child.signalCode}: ${this.printed}${this.logged}`);
      const answer = await fetch(`${this.url}/health`, { signal: AbortSignal.timeout(10_000) }).catch(() => null);
      if (answer?.status === 200) return;
      await new Promise((resolve) => { setTimeout(resolve, 50); });
    }
    throw new Error(`the service was not ready within a minute: ${this.printed}`);
  }

  #hasEnded(): boolean { return this.child.exitCode !== null || this.child.signalCode !== null; }

  /** Runs `lds` on the same data. */
  lds(...args: string[]): { code: number | null; out: string; notes: string } {
    const done = spawnSync(process.execPath, [MAIN, ...args], { env: this.env, encoding: 'utf8', timeout: 180_000 });
    return { code: done.status, out: done.stdout, notes: done.stderr };
  }

  /** As `lds ingest` takes contacts, but for what `more` says, without a process for it. */
  async ingest(source: string, file: string, more: Partial<IngestOrder> = {}): Promise<void> {
    // Only who ingests takes the time to load the engine that does.
    const { ingest } = await import('../support/ingested.ts');
    await ingest(join(this.folder, 'data'), source, file, more);
  }

  /** As `lds keys create` makes one, without a process for it. */
  createKey(email: string, plan: PlanName, kind: KeyKind = 'external'): Promise<string> {
    return this.#inStore(async (store) => {
      const nowMs = Date.now();
      const account = await ensureAccount(store, email, { plan, status: 'active', nowMs });
      return (await issueKey(store, account.id, { kind, name: '', nowMs })).key;
    });
  }

  /** As `lds invites create` makes one, likewise. */
  createInvite(): Promise<string> {
    return this.#inStore(async (store) => (await createInvite(store, { uses: 1, expiresDays: null, nowMs: Date.now() })).code);
  }

  async #inStore<T>(use: (store: Store) => Promise<T>): Promise<T> {
    const store = await openStore(loadConfig(this.env, (path) => readFileSync(path, 'utf8')));
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  }

  async call(method: string, path: string, { body, headers = {}, key = this.key }: { body?: unknown; headers?: Record<string, string>; key?: string | null } = {}): Promise<Answer> {
    await heard();
    const answer = await fetch(this.url + path, {
      method,
      headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' || body instanceof Uint8Array ? body as string : JSON.stringify(body) }),
    });
    const text = await answer.text();
    let json: unknown = null;
    try { json = JSON.parse(text); } catch { /* not every answer is JSON */ }
    const seen = { status: answer.status, headers: answer.headers, text, json: json as Json };
    this.documented?.check(method, path, seen);
    return seen;
  }

  find(body: unknown, options: { headers?: Record<string, string>; key?: string | null } = {}): Promise<Answer> {
    return this.call('POST', '/v1/find', { ...options, body });
  }

  /** A search as a stream of lines, read to its end. */
  async lines(body: unknown, key = this.key): Promise<Json[]> {
    const answer = await this.find(body, { headers: { accept: 'application/x-ndjson' }, key });
    return answer.text.trimEnd().split('\n').map((line) => JSON.parse(line) as Json);
  }

  /** What its log says of a request under its id, once it does. */
  async lineUnder(id: string): Promise<Json> {
    const line = (): string | undefined => this.logged.split('\n').slice(0, -1).find((one) => one.includes(id));
    await until(() => line() !== undefined, 10_000, `the line of ${id}`);
    return JSON.parse(line()!) as Json;
  }

  lineOf({ headers }: { readonly headers: Headers }): Promise<Json> {
    return this.lineUnder(headers.get('x-request-id')!);
  }

  async stop(keepFolder = false): Promise<number | null> {
    if (!this.#hasEnded()) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await ended;
    }
    if (!keepFolder) await rm(this.folder, { recursive: true, force: true });
    return this.child.exitCode;
  }
}
