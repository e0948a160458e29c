import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { ensureAccount, issueKey } from '../../src/accounts/issue.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openStore } from '../../src/store/open.ts';
import { putDemoLake } from './demo_lake.ts';
import type { Documented } from './documented.ts';
import { heard } from '../support/heard.ts';
import { endChildren, endWithProcess } from '../support/left_children.ts';
import { MAIN } from '../support/main.ts';
import { freePort } from '../support/ports.ts';

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
    service.key = await service.#ownKey();
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

  /** As `lds keys create` makes one, without a process for it. */
  async #ownKey(): Promise<string> {
    const store = await openStore(loadConfig(this.env, (path) => readFileSync(path, 'utf8')));
    const nowMs = Date.now();
    try {
      const account = await ensureAccount(store, 'tests@localhost', { plan: 'unlimited', status: 'active', nowMs });
      return (await issueKey(store, account.id, { kind: 'external', name: '', nowMs })).key;
    } finally {
      await store.close();
    }
  }

  #hasEnded(): boolean { return this.child.exitCode !== null || this.child.signalCode !== null; }

  /** Runs `lds` on the same data. */
  lds(...args: string[]): { code: number | null; out: string; notes: string } {
    const done = spawnSync(process.execPath, [MAIN, ...args], { env: this.env, encoding: 'utf8', timeout: 180_000 });
    return { code: done.status, out: done.stdout, notes: done.stderr };
  }

  createKey(account: string, plan: string, ...more: string[]): string {
    const { code, out, notes } = this.lds('keys', 'create', '--account', account, '--plan', plan, ...more);
    if (code !== 0) throw new Error(notes);
    return out.trim();
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
