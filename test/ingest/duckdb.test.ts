import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { limitsMemory, memoryGroup } from '../../bench/support/memory_group.ts';
import { Duck, engineMemoryBytes, type Columns } from '../../src/ingest/duckdb.ts';
import { count } from '../../src/ingest/merge.ts';
import { mapsFiles } from '../../src/segment/mapping.ts';
import { folderOf } from '../support/folder.ts';

/** More than an appender holds back before it writes. */
const ROWS = 450_000;

describe('the engine of an ingest', () => {
  it('writes a time alike wherever its machine stands', async (t) => {
    const folder = folderOf(t);
    const script = `
      const { Duck } = await import(${JSON.stringify(new URL('../../src/ingest/duckdb.js', import.meta.url).href)});
      const duck = await Duck.open(${JSON.stringify(folder)}, { folders: [], files: [] }, new AbortController().signal);
      console.log((await duck.rows("SELECT make_timestamptz(1704067200000000)::VARCHAR AS moment"))[0].moment);
      duck.close();`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env: { ...process.env, TZ: 'America/New_York' } });
    assert.equal(stdout, '2024-01-01 00:00:00+00\n');
  });
});

describe('the engine of an ingest in a container', () => {
  it('takes its share of what the container may have, and not of the machine', async (t) => {
    const folder = folderOf(t);
    t.mock.method(process, 'constrainedMemory', () => 1_073_741_824);
    const duck = await Duck.open(folder, { folders: [], files: [] }, new AbortController().signal);
    t.after(() => duck.close());
    assert.deepEqual(await duck.rows("SELECT current_setting('memory_limit') AS most, current_setting('block_allocator_memory') AS kept"), [{ most: '512.0 MiB', kept: '512.0 MiB' }]);
  });

  it('begins where it sees less memory than the share, as the kernel bounds it', { skip: !limitsMemory() && 'this process may bound no memory' }, async (t) => {
    const group = memoryGroup(256 * 1_048_576)!;
    const folder = folderOf(t);
    // As if the runtime did not know the bound.
    const script = `
      process.constrainedMemory = () => 0;
      const { Duck } = await import(${JSON.stringify(new URL('../../src/ingest/duckdb.js', import.meta.url).href)});
      const duck = await Duck.open(${JSON.stringify(folder)}, { folders: [], files: [] }, new AbortController().signal);
      console.log((await duck.rows('SELECT 42 AS n'))[0].n);
      duck.close();`;
    try {
      const { stdout } = await promisify(execFile)('sh', ['-c', 'echo $$ > "$1" && exec "$2" --input-type=module -e "$3"', 'sh', group.entrance, process.execPath, script]);
      assert.equal(stdout.trim(), '42');
    } finally {
      group.close();
    }
  });
});

const LARGE_PAGES = '/sys/kernel/mm/transparent_hugepage';
const saysOf = (what: string): string => readFileSync(join(LARGE_PAGES, what), 'utf8').trim();
const givesLargePages = mapsFiles() && existsSync(LARGE_PAGES) && !saysOf('enabled').includes('[never]') && Number(saysOf('hpage_pmd_size')) <= 2 ** 21;

describe('the memory of the engine of an ingest', () => {
  for (const bytes of [null, 1_073_741_823]) {
    it(`lies on large pages where the system gives them to whoever asks, with ${bytes ?? 'all'} bytes of memory`, { skip: !givesLargePages && 'the system gives no large pages' }, async (t) => {
      if (bytes !== null) t.mock.method(process, 'constrainedMemory', () => bytes);
      const duck = await Duck.open(folderOf(t), { folders: [], files: [] }, new AbortController().signal);
      t.after(() => duck.close());
      await duck.run("CREATE TABLE wide AS SELECT repeat('x', 100) || i AS text FROM range(600_000) numbers(i)");
      const pages = readFileSync('/proc/self/smaps', 'utf8').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m).filter((piece) => kilobytes(piece, 'Size') >= engineMemoryBytes() / 1_024);
      assert.ok(pages.some((piece) => kilobytes(piece, 'AnonHugePages') > 32 * 1_024), pages.join(''));
    });
  }
});

function kilobytes(piece: string, what: string): number {
  return Number(new RegExp(`^${what}: +(\\d+) kB$`, 'm').exec(piece)?.[1] ?? 0);
}

describe('the engine of an ingest', () => {
  let folder: string;
  let duck: Duck;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lds-duck-'));
    duck = await Duck.open(folder, { folders: [], files: [] }, new AbortController().signal);
    await duck.run(`CREATE TABLE texts AS SELECT 'number ' || i AS text FROM range(${ROWS}) numbers(i)`);
  });
  after(async () => {
    duck.close();
    await rm(folder, { recursive: true });
  });

  it('loses nothing of a result that is read while rows are appended', async () => {
    await duck.run('CREATE TABLE copied (text VARCHAR, list VARCHAR[])');
    await duck.append('copied', ['text', 'texts'], (async function* (): AsyncGenerator<Columns> {
      for await (const [texts] of duck.batches('SELECT DISTINCT text FROM texts')) yield [texts!, texts!.map((text) => [text as string])];
    })());
    assert.deepEqual(await duck.rows('SELECT count(*)::INTEGER AS rows, count(DISTINCT text)::INTEGER AS texts FROM copied'), [{ rows: ROWS, texts: ROWS }]);
  });

  it('numbers the rows of a table once and for all, however many are deleted', async () => {
    await duck.run('CREATE TABLE numbered AS SELECT i FROM range(4_000_000) numbers(i)');
    for (const end of [2_000_000, 3_900_000]) await duck.run(`DELETE FROM numbered WHERE i < ${end}`);
    assert.deepEqual(await duck.rows('SELECT count(*)::INTEGER AS rows, min(rowid)::INTEGER AS first FROM numbered WHERE rowid = i'), [{ rows: 100_000, first: 3_900_000 }]);
    await duck.run('DROP TABLE numbered');
  });

  it('counts more rows than a number of 32 bits holds', async () => {
    assert.equal(await count(duck, 'range(2_147_483_648)'), 2 ** 31);
  });

  it('says so where it fails amid a result, and takes no part of one for the whole', async () => {
    let rows = 0;
    await assert.rejects(async () => {
      for await (const [texts] of duck.batches("SELECT CASE WHEN i = 300000 THEN error('lost') ELSE i::VARCHAR END FROM range(400000) numbers(i)")) rows += texts!.length;
    }, /failed amid its rows/);
    assert.ok(rows > 0 && rows <= 300_000, `${rows} rows`);
    assert.deepEqual(await duck.rows('SELECT 1 AS one'), [{ one: 1 }]);
  });

  it('takes no other statement while a result is being read', async () => {
    for await (const _ of duck.batches('SELECT text FROM texts')) {
      await assert.rejects(duck.run('SELECT 1'), /being read/);
      await assert.rejects(duck.rows('SELECT 1'), /being read/);
      break;
    }
    assert.deepEqual(await duck.rows('SELECT 1 AS one'), [{ one: 1 }]);
  });
});
