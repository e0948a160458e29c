import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { openAccounts } from '../../src/accounts/open.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { ensureAccount, issueKey } from '../../src/accounts/issue.ts';
import { Find } from '../../src/find/find.ts';
import { makeCors } from '../../src/http/cors.ts';
import type { Exchange, Headers, RequestHead } from '../../src/http/exchange.ts';
import { makeGateway } from '../../src/http/gateway.ts';
import { findHandler } from '../../src/http/handlers/find.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { FIELDS } from '../../src/model/field.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import type { Catalog } from '../../src/plan/catalog.ts';
import type { BatchReply, ScanBatch, ScanReply } from '../../src/pool/protocol.ts';
import { TRAY_FRONT_BYTES } from '../../src/pool/tray_protocol.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { openStore } from '../../src/store/open.ts';
import { openInstruments } from '../../src/telemetry/instruments.ts';
import { openLog } from '../../src/telemetry/log.ts';

const ROWS = 25;
const BODY = Buffer.from('{"type":"contacts","filters":{"country":["US"],"seniority":["vp"],"has_email":["true"]},"limit":25}');

/** What a find costs the main thread from head to answer, less the server and the threads: requests in flight 32 at a time. */
export async function wholeRequest(smoke: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lds-bench-'));
  const store = await openStore({ dataDir: folder });
  const accounts = await openAccounts({ store, adminKey: null, onTrouble: () => {} });
  const log = openLog('info', new Writable({ write(_, __, done) { done(); } }));
  const instruments = openInstruments(() => 0);
  try {
    const account = await ensureAccount(store, 'bench@localhost', { plan: 'unlimited', status: 'active', nowMs: Date.now() });
    const { key } = await issueKey(store, account.id, { kind: 'external', name: 'bench', nowMs: Date.now() });
    const { catalog, reply, bytes } = oneSegment();
    const runner = {
      threads: 1, threadsAlive: 1, underWayMax: 1, close: () => Promise.resolve(),
      run: (_: number, batch: ScanBatch): Promise<BatchReply> => Promise.resolve({ thread: 1, epoch: batch.epoch, replies: batch.scans.map(() => reply) }),
    };
    const pool = new ScanPool(runner);
    const find = new Find(pool, { gateway: 'bench', scan: () => { throw new Error('the catalog has lakes alone'); } }, () => catalog, new Uint8Array(32));
    const gateway = makeGateway({
      routes: [{ method: 'POST', path: '/v1/find', access: 'key', usage: 'find', units: 1, handle: findHandler({ find, catalog: () => catalog, instruments }) }],
      accounts, cors: makeCors([]), log, instruments, phase: () => 'serving',
    });
    const head = headOf(key);
    const round = async (): Promise<void> => { await Promise.all(Array.from({ length: 32 }, () => new Promise<void>((done) => { void gateway(new NoSocket(head, bytes, done)); }))); };
    const untilMs = monotonicMs() + (smoke ? 50 : 1_000);
    while (monotonicMs() < untilMs) await round();
    const begun = process.cpuUsage();
    const endMs = monotonicMs() + (smoke ? 100 : 3_000);
    let requests = 0;
    for (; monotonicMs() < endMs; requests += 32) await round();
    const { user, system } = process.cpuUsage(begun);
    console.log(`  a whole find              ${((user + system) / requests).toFixed(1)} us of processor time`);
    await pool.close();
  } finally {
    await accounts.close();
    await store.close();
    instruments.close();
    await log.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `bytes`: of the rows of the reply. */
function oneSegment(): { catalog: Catalog; reply: ScanReply; bytes: number } {
  const row = Object.fromEntries(FIELDS.contacts.map(({ name, type }) => [name, type === 'strings' ? ['one', 'two'] : `some text of ${name} here`]));
  const line = Buffer.from(`${JSON.stringify(row)}\n`);
  const rowBytes = new Uint8Array(new SharedArrayBuffer(line.length * ROWS * 2));
  rowBytes.set(Buffer.concat(Array.from({ length: ROWS * 2 }, () => line)));
  // As a thread gives it: in a ring, with room around it.
  const rows = line.toString().trimEnd();
  const bytes = Buffer.alloc(TRAY_FRONT_BYTES + ROWS * line.length + LIMITS.trayRoomBytes);
  const end = TRAY_FRONT_BYTES + bytes.write(Array.from({ length: ROWS }, () => rows).join(), TRAY_FRONT_BYTES);
  const text = { bytes, start: TRAY_FRONT_BYTES, end, release: () => {} };
  const vocabularies = { contacts: vocabulary('contacts'), companies: vocabulary('companies') };
  return {
    bytes: ROWS * (line.length - 1),
    reply: {
      ok: true, rows: ROWS, table: new Float64Array(), bytes: null, stop: 'full', after: 2 * ROWS, text, tally: 'done', heldBy: null, matched: 12_345, facets: null, beside: null, tookMs: 0.05,
    },
    catalog: {
      version: 1, demo: false, vocabularies, retained: new Map(), restoring: new Set(),
      sources: [{
        name: 'crm', dataset: 'contacts', kind: 'lake', status: 'ok', trouble: null, snapshot: '1', readers: null, rows: 50, updatedAt: null, fill: {}, countries: {},
        segments: [{ id: '000001-0123456789', mount: 'contacts/crm/000001-0123456789', rows: 50, countries: { US: 50 }, rowBytes, stencils: null }],
        filters: { country: 'pushed', seniority: 'pushed', has_email: 'residual' }, fields: [], rowFields: vocabularies.contacts.fields.map(({ name }) => name),
      }],
    },
  };
}

function headOf(key: string): RequestHead {
  const headers = new Map([['host', '127.0.0.1:8080'], ['authorization', `Bearer ${key}`], ['content-length', String(BODY.length)]]);
  return { method: 'POST', path: '/v1/find', query: '', headers, remoteAddress: '127.0.0.1', get arrivedMs() { return monotonicMs(); } };
}

/** Takes an answer, which must hold the rows, and drops it. */
class NoSocket implements Exchange {
  readonly head: RequestHead;
  live = true;
  begun = false;
  readonly #rowBytes: number;
  readonly #done: () => void;

  constructor(head: RequestHead, rowBytes: number, done: () => void) {
    this.head = { ...head, arrivedMs: monotonicMs() };
    this.#rowBytes = rowBytes;
    this.#done = done;
  }

  onGone(): void {}
  readBody(): Promise<Uint8Array> { return Promise.resolve(BODY); }
  answer(status: number, _headers: Headers, body: Uint8Array | string): void {
    if (status !== 200) throw new Error(`answered ${status}: ${String(body)}`);
    if (body.length < this.#rowBytes) throw new Error(`answered ${body.length} bytes for ${this.#rowBytes} of rows`);
    this.live = false;
    this.#done();
  }

  begin(): void {}
  write(): Promise<void> { return Promise.resolve(); }
  writeLent(): Promise<void> { return Promise.resolve(); }
  end(): void {}
  cut(): void {}
}
