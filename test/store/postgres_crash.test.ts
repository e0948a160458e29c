import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { pause } from '../support/runners.ts';
import { NO_POSTGRES, PostgresServer } from '../support/servers/postgres.ts';
import { checkLedger, type Entry } from './ledger.ts';

/** A process that writes for ever, and what it heard acknowledged. */
class Writer {
  readonly #child;
  #said = '';

  constructor(t: TestContext, databaseUrl: string) {
    this.#child = spawn(process.execPath, [join(import.meta.dirname, 'ledger_child.js'), '/nowhere', databaseUrl], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => this.#child.kill('SIGKILL'));
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => { this.#said += text; });
  }

  get entries(): Entry[] {
    return this.#said.split('\n').slice(0, -1).map((line) => line.split(' ') as unknown as Entry);
  }

  async more(lines: number): Promise<void> {
    for (const wanted = this.entries.length + lines; this.entries.length < wanted; await pause(5)) {
      assert.equal(this.#child.exitCode ?? this.#child.signalCode, null, 'the writer ended by itself');
    }
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await once(this.#child, 'close');
  }
}

test('kills of the gateways and of the server amid writes lose nothing that was acknowledged and leave nothing half-done', { skip: NO_POSTGRES }, async (t) => {
  // As in earnest: what is acknowledged waits for the disk.
  const server = await PostgresServer.start(['fsync=on']);
  t.after(() => server.stop());
  const entries: Entry[] = [];
  const check = async (writers: readonly Writer[]): Promise<void> => {
    // The server may still be at the last that a killed writer sent.
    while ((await server.query(`SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)).length > 0) await pause(10);
    const store = await openStore({ dataDir: '/nowhere', databaseUrl: server.url });
    await checkLedger(store, [...entries, ...writers.flatMap((writer) => writer.entries)]);
    await store.close();
  };
  for (let round = 0; round < 2; round += 1) {
    const writers = [new Writer(t, server.url), new Writer(t, server.url)];
    await Promise.all(writers.map((writer) => writer.more(5 + Math.floor(Math.random() * 20))));
    await server.crash();
    await server.resume();
    await Promise.all(writers.map((writer) => writer.more(5)));
    await Promise.all(writers.map((writer) => writer.kill()));
    await check(writers);
    entries.push(...writers.flatMap((writer) => writer.entries));
  }
  for (let kills = 0; kills < 4; kills += 1) {
    const writer = new Writer(t, server.url);
    await writer.more(1 + Math.floor(Math.random() * 12));
    await writer.kill();
    entries.push(...writer.entries);
    await check([]);
  }
});
