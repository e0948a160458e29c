import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync, closeSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { hasEnded } from '../../bench/support/processes.ts';
import { KINDS } from '../support/http_kinds.ts';
import { ingest } from '../support/ingested.ts';
import { MAIN } from '../support/main.ts';
import { pause } from '../support/runners.ts';
import { atATry } from '../support/until.ts';
import { RunningService, type Json } from './service.ts';

/** A busy machine takes long to notice new files. */
const PATIENT_MS = 30_000;
const folders: string[] = [];
after(() => { for (const folder of folders) rmSync(folder, { recursive: true, force: true }); });

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'lds-operating-'));
  folders.push(made);
  return made;
}

let kept: RunningService | null = null;
after(() => kept?.stop());

/** One over the same data for all who ask no other, at first without any: begun anew by whoever comes after its end. */
async function running(): Promise<RunningService> {
  if (kept === null || hasEnded(kept.child)) kept = await RunningService.start({ LDS_DEMO: '0' }, kept?.folder);
  return kept;
}

function contacts(file: string, from: number, to: number, city = 'Lyon'): string {
  const rows = Array.from({ length: to - from }, (_, i) => `p${from + i},Ada Nr${from + i},ada${from + i}@firm${from + i}.com,FR,${city},Sales Manager`);
  writeFileSync(file, `id,full name,email,country,city,job title\n${rows.join('\n')}\n`);
  return file;
}

async function eventually<T>(look: () => Promise<T>, holds: (seen: T) => boolean, withinMs: number): Promise<T> {
  const untilMs = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (holds(seen) || Date.now() > untilMs) return seen;
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}

const total = async (service: RunningService, filters: unknown = {}): Promise<number> =>
  (await service.find({ type: 'contacts', filters, limit: 1 })).json.total as number;

describe('the operator\'s data', () => {
  it('is ingested, served without a restart, replaced row by row, and walked over to its end on the snapshot the walk began on', async () => {
    const service = await running();
    assert.deepEqual((await service.call('GET', '/v1/sources')).json.sources, []);
    assert.equal((await service.find({ type: 'contacts' })).json.total, 0);

    const first = service.lds('ingest', contacts(join(service.folder, 'a.csv'), 0, 500), '--dataset', 'contacts', '--source', 'crm');
    assert.equal(first.code, 0, first.notes);
    assert.equal(await eventually(() => total(service), (seen) => seen === 500, PATIENT_MS), 500);
    const page = (await service.find({ type: 'contacts', limit: 200 })).json;

    await service.ingest('crm', contacts(join(service.folder, 'b.csv'), 400, 600, 'Nantes'));
    assert.equal(await eventually(() => total(service), (seen) => seen === 600, PATIENT_MS), 600);
    assert.equal(await total(service, { city: ['nantes'] }), 200);

    const ids = page.results.map(({ id }: Json) => id as string);
    for (let cursor = page.next_cursor; cursor !== null;) {
      const { json, status } = await service.find({ type: 'contacts', limit: 200, cursor });
      assert.equal(status, 200);
      ids.push(...json.results.map(({ id }: Json) => id as string));
      cursor = json.next_cursor;
    }
    assert.equal(new Set(ids).size, 500, 'the walk sees the snapshot it began on');
    assert.equal(ids.length, 500);
  });

  it('keeps a cursor readable over a restart, for as long as the snapshot it was cut from is', async () => {
    const service = await running();
    await service.ingest('crm', contacts(join(service.folder, 'a.csv'), 0, 50), { mode: 'replace' });
    await eventually(() => total(service), (seen) => seen === 50, PATIENT_MS);
    const { next_cursor: cursor } = (await service.find({ type: 'contacts', limit: 20 })).json;
    await service.ingest('crm', contacts(join(service.folder, 'b.csv'), 100, 103), { mode: 'replace' });
    await service.stop(true);
    const again = await running();
    assert.equal(await total(again), 3);
    const { status, json } = await eventually(() => again.find({ type: 'contacts', limit: 100, cursor }), (answer) => answer.status !== 503, PATIENT_MS);
    assert.deepEqual([status, json.returned], [200, 30]);
  });

  it('survives a flipped byte and a cut file: the segment is refused and named in /health, the rest is served', async () => {
    const place = folder();
    for (const source of ['good', 'flipped', 'cut']) await ingest(join(place, 'data'), source, contacts(join(place, `${source}.csv`), 0, 50));
    const files = (source: string, ending: string): string => {
      const segments = join(place, 'data/lake/contacts', source, 'segments');
      return join(segments, readdirSync(segments).find((name) => name.endsWith(ending))!);
    };
    const flipped = files('flipped', '.rows');
    const file = openSync(flipped, 'r+');
    writeSync(file, Buffer.from('#'), 0, 1, Math.floor(statSync(flipped).size / 2));
    closeSync(file);
    writeFileSync(files('cut', '.index'), readFileSync(files('cut', '.index')).subarray(0, 1_000));

    const service = await RunningService.start({}, place);
    try {
      const { json } = await service.find({ type: 'contacts' });
      assert.equal(json.total, 50);
      assert.equal(json.partial, true);
      assert.equal(json.total_relation === 'gte' || json.total_relation === 'approx', true);
      assert.deepEqual(json.sources.map(({ source, status }: Json) => [source, status]), [['cut', 'skipped'], ['flipped', 'skipped'], ['good', 'complete']]);
      for (const source of ['cut', 'flipped']) {
        assert.ok(json.warnings.some((warning: string) => warning.startsWith(source)) && json.errors.some((error: string) => error.startsWith(source)));
      }
      const health = (await service.call('GET', '/health', { key: null })).json;
      assert.deepEqual([health.status, health.components.good.status, health.components.cut.status, health.components.flipped.status], ['degraded', 'ok', 'down', 'down']);
      const alone = await service.find({ type: 'contacts', sources: { only: ['cut', 'flipped'] } });
      assert.equal(alone.status, 502);
      assert.equal(alone.json.error, 'sources_unreachable');
      assert.ok(!alone.text.includes(place) && !JSON.stringify(health).includes(place));
    } finally {
      await service.stop();
    }
  });

  it('is told in the log where its rows cannot be read while it is served: of which segment, why, and once', async () => {
    const place = folder();
    const settings = join(place, 'disk.yaml');
    writeFileSync(settings, 'map_files: false\nrows_memory_mb: 0\n');
    await ingest(join(place, 'data'), 'crm', contacts(join(place, 'a.csv'), 0, 50));
    const service = await RunningService.start({ LDS_CONFIG: settings }, place);
    try {
      const segments = join(place, 'data/lake/contacts/crm/segments');
      const rows = readdirSync(segments).find((name) => name.endsWith('.rows'))!;
      assert.equal(await total(service), 50);
      truncateSync(join(segments, rows), 0);
      // One is answered with rows as they are stored, the other with some of their fields: each comes to them another way.
      for (const asked of [{}, { fields: ['email'] }, {}, { fields: ['email'] }]) {
        const { json, text } = await service.find({ type: 'contacts', ...asked });
        assert.deepEqual([json.partial, json.errors], [true, ['crm: the scan failed']]);
        assert.ok(!text.includes(place));
      }
    } finally {
      await service.stop();
    }
    const told = service.logged.split('\n').filter((line) => line.includes('a scan failed')).map((line) => JSON.parse(line) as Json);
    assert.deepEqual(told.map(({ level, source, code }: Json) => [level, source, code]), [[50, 'crm', 'scan_crashed']]);
    assert.match(told[0].segment, /^contacts\/crm\/\d+-/);
    assert.match(told[0].reason, /the file is shorter than it was/);
    assert.match(told[0].reason, /\n +at /);
  });

  it('is lost alone, and told in the log, where the text of its rows is made when they leave and one of them has rotted', async () => {
    const place = folder();
    for (const [source, from] of [['crm', 0], ['good', 100]] as const) {
      await ingest(join(place, 'data'), source, contacts(join(place, `${source}.csv`), from, from + 50), { rowForm: 'compact' });
    }
    const service = await RunningService.start({}, place);
    const search = { type: 'contacts', dedupe: false };
    const lost = ['crm: the scan failed'];
    try {
      assert.equal(await total(service), 100);
      const segments = join(place, 'data/lake/contacts/crm/segments');
      const rows = openSync(join(segments, readdirSync(segments).find((name) => name.endsWith('.rows'))!), 'r+');
      writeSync(rows, Buffer.from([0xff, 0xff]), 0, 2, 9);
      closeSync(rows);
      for (const fields of [{}, { fields: ['email'] }]) {
        const page = await service.find({ ...search, ...fields, limit: 1_000 });
        assert.deepEqual([page.status, page.json.returned, page.json.errors], [200, 50, lost], page.text);
        const alone = (await service.find({ ...search, ...fields, sources: { only: ['crm'] } })).json;
        assert.deepEqual([alone.returned, alone.total, alone.total_relation, alone.errors], [0, 50, 'gte', lost]);
        const lines = (await service.find({ ...search, ...fields }, { headers: { accept: 'application/x-ndjson' } })).text.trimEnd().split('\n').map((line) => JSON.parse(line) as Json);
        const { returned, errors, sources } = lines.at(-1)['@end'];
        assert.deepEqual([lines.filter(({ id }) => id !== undefined).length, returned, errors], [50, 50, lost]);
        assert.deepEqual(sources.map(({ source, status }: Json) => [source, status]), [['crm', 'failed'], ['good', 'complete']]);
      }
      const health = (): Promise<Json> => service.call('GET', '/health', { key: null }).then(({ json }) => json);
      assert.equal((await eventually(health, ({ status }) => status === 'degraded', PATIENT_MS)).components.crm.status, 'degraded');
    } finally {
      await service.stop();
    }
    const told = service.logged.split('\n').filter((line) => line.includes('a scan failed')).map((line) => JSON.parse(line) as Json);
    assert.deepEqual([...new Set(told.map(({ source, code }: Json) => `${source} ${code}`))], ['crm scan_crashed']);
    assert.match(told[0].reason, /does not stand as rows are stored/);
  });
});

describe('a start', () => {
  it('over the demonstration prints a key and a call that works as it stands, its body last and in single quotes; a later one names $LDS_KEY', async () => {
    const service = await RunningService.overDemo();
    // Told after the first call may have been answered.
    const callTold = async (by: RunningService): Promise<string> => {
      const told = await eventually(() => Promise.resolve(/^ *(curl .*'\{.*\}')$/m.exec(by.logged)), (found) => found !== null, PATIENT_MS);
      return told![1]!;
    };
    const answer = spawnSync('bash', ['-c', await callTold(service)], { encoding: 'utf8' });
    assert.ok((JSON.parse(answer.stdout) as Json).results.length > 0, answer.stdout + answer.stderr);
    assert.equal(await service.stop(true), 0);

    const again = await RunningService.start({}, service.folder);
    const key = /ldx_[0-9A-Za-z]{38}/.exec(service.logged)![0];
    const later = await callTold(again);
    assert.ok(!again.logged.includes('ldx_'));
    const second = spawnSync('bash', ['-c', later], { encoding: 'utf8', env: { ...process.env, LDS_KEY: key } });
    assert.ok((JSON.parse(second.stdout) as Json).results.length > 0, second.stdout);

    await again.ingest('own', contacts(join(service.folder, 'own.csv'), 0, 10));
    const names = async (): Promise<string[]> => (await again.call('GET', '/v1/sources')).json.sources.map(({ name }: Json) => name);
    assert.deepEqual(await eventually(names, (seen) => seen.length === 1, PATIENT_MS), ['own'], 'the demonstration leaves once a real source exists');
    await again.stop();
  });

  it('under a bad setting names every problem at once, exits 2 and starts nothing', () => {
    const done = spawnSync(process.execPath, [MAIN, 'serve'], {
      encoding: 'utf8', env: { ...process.env, LDS_DATA_DIR: join(folder(), 'data'), LDS_PORT: 'eighty', LDS_HTTP: 'apache', LDS_PROT: '1' },
    });
    assert.equal(done.status, 2);
    for (const name of ['LDS_PORT', 'LDS_HTTP', 'LDS_PROT']) assert.ok(done.stderr.includes(name), done.stderr);
  });

  it('on a port that is taken names the setting and exits 2', async () => {
    const { port } = await running();
    const done = spawnSync(process.execPath, [MAIN, 'serve'], {
      encoding: 'utf8', timeout: 60_000, env: { ...process.env, LDS_DEMO: '0', LDS_DATA_DIR: join(folder(), 'data'), LDS_PORT: String(port) },
    });
    assert.equal(done.status, 2, done.stderr);
    assert.match(done.stderr, /LDS_PORT/);
  });

  it('on an address of another machine, or over a data folder that cannot be one, names the setting and exits 2', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    // The folder is opened before any server, whose kinds are alike to it.
    const wrong = [...KINDS.map((kind) => ({ kind, name: 'LDS_HOST', value: '192.0.2.1' })), { kind: KINDS[0]!, name: 'LDS_DATA_DIR', value: join(file, 'data') }];
    for (const { kind, name, value } of wrong) {
      const done = spawnSync(process.execPath, [MAIN, 'serve'], {
        encoding: 'utf8', timeout: 60_000, env: { ...process.env, LDS_DEMO: '0', LDS_HTTP: kind, LDS_PORT: '0', LDS_DATA_DIR: join(folder(), 'data'), [name]: value },
      });
      assert.equal(done.status, 2, done.stderr);
      assert.match(done.stderr, new RegExp(name));
    }
  });
});

describe('an end', () => {
  it('on SIGTERM lets what runs finish, answers nothing new, and exits 0 within ten seconds', async () => {
    const service = await running();
    await service.ingest('crm', contacts(join(service.folder, 'a.csv'), 0, 20_000), { mode: 'replace' });
    await eventually(() => total(service), (seen) => seen === 20_000, PATIENT_MS);
    const stream = await fetch(`${service.url}/v1/find`, {
      method: 'POST', headers: { authorization: `Bearer ${service.key}`, accept: 'application/x-ndjson' }, body: '{"type":"contacts"}',
    });
    const begunMs = Date.now();
    service.child.kill('SIGTERM');
    const ended = once(service.child, 'exit');
    const lines = (await stream.text()).trimEnd().split('\n');
    assert.ok((JSON.parse(lines.at(-1)!) as Json)['@end'] !== undefined, lines.at(-1));
    const [code] = await ended as [number];
    assert.equal(code, 0);
    assert.ok(Date.now() - begunMs < 10_000);
    await assert.rejects(fetch(`${service.url}/health`));
  });

  it('by kill -9 loses at most a second of usage, and no key', async () => {
    let service = await running();
    await atATry(async () => {
      const key = await service.createKey('kept@localhost', 'standard');
      const used = async (): Promise<number> => {
        const { json, status } = await service.call('GET', '/v1/usage', { key });
        assert.equal(status, 200);
        return json.caps.daily.used;
      };
      const before = await used();
      for (let i = 0; i < 20; i += 1) await service.find({ type: 'contacts' }, { key });
      await pause(1_000);
      service.child.kill('SIGKILL');
      await once(service.child, 'exit');
      service = await running();
      return await used() === before + 20;
    }, 'all that was used a second ago is kept');
  });
});
