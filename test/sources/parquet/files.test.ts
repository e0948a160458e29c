import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../../src/config/limits.ts';
import { isWellFormed } from '../../../src/lib/well_formed.ts';
import { Connections } from '../../../src/sources/parquet/connect.ts';
import { ownHolder } from '../../../src/sources/holder.ts';
import { makeSpill } from '../../../src/sources/parquet/spill.ts';
import { name } from '../../../src/sources/sql/defined_columns.ts';
import { literal } from '../../../src/sources/parquet/dialect.ts';
import { whereabouts } from '../../../src/sources/parquet/find_files.ts';
import type { ForeignSource, FoundRow, SourceFailure } from '../../../src/sources/source.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';
import { walkedOf } from '../../contract/sources/odd_texts.ts';
import { HOSTILE } from '../../contract/sources/people.ts';
import { pause } from '../../support/runners.ts';
import { until } from '../../support/until.ts';
import { failsAs } from '../fails_as.ts';
import { ALL, ids, NEVER, read, WrittenFiles } from './written_files.ts';

describe('a source of parquet files', () => {
  const files = new WrittenFiles();
  /** Files that came or went are seen once the last look at them is old enough; to describe the source takes a fresh one. */
  const settled = async (source: ForeignSource): Promise<unknown> => source.describe(NEVER).catch(() => null);

  it('lowers of a key of identity what every source does, the letters of ASCII, and of an address all but what would be another letter', async () => {
    const people = ['ANN@X.org', 'Ö1@BÜCHER.de', 'info@İ.com', null, null, null];
    const pages = [null, null, null, 'https://x.org/ÖZ', 'https://x.org/K\u212A', 'https://x.org/Iİ'];
    await files.writer.run(`COPY (SELECT unnest([${people.map((email) => (email === null ? 'NULL' : literal(email))).join()}]) AS email, unnest([${pages.map((page) => (page === null ? 'NULL' : literal(page))).join()}]) AS linkedin_url) TO '${join(files.folder, 'a.parquet')}' (FORMAT parquet)`);
    const rows = await read(files.openAt('a.parquet'), { order: 'identity' });
    assert.deepEqual(rows.map(({ keyClass, key }) => [keyClass, key]), [
      [0, 'ann@x.org'], [0, 'info@i\u0307.com'], [0, 'ö1@bücher.de'], [1, 'https://x.org/iİ'], [1, 'https://x.org/k\u212A'], [1, 'https://x.org/Öz'],
    ]);
    for (const { key, keyClass, json } of rows) if (keyClass === 0) assert.equal(readRow(json)['email'], key);
  });

  it('is unreachable while there is no file, and is there as soon as there is one', async () => {
    const source = files.openAt('*.parquet');
    await assert.rejects(source.describe(NEVER), failsAs('unreachable'));
    await assert.rejects(read(source), failsAs('unreachable'));
    await files.write('a.parquet', 0, 10);
    assert.equal((await source.describe(NEVER)).trouble, null);
    assert.equal((await read(source)).length, 10);
  });

  it('gives what it can of files that are torn, and then says that some are missing', async () => {
    await files.write('a.parquet', 0, 10);
    await files.write('b.parquet', 10, 20);
    await writeFile(join(files.folder, 'c.parquet'), 'no parquet at all');
    await writeFile(join(files.folder, 'd.parquet'), '');
    const source = files.openAt('*.parquet');
    assert.equal((await source.describe(NEVER)).trouble, '2 of 4 files cannot be read');
    const got: string[] = [];
    await assert.rejects((async () => { for await (const batch of source.rows(ALL, NEVER)) got.push(...ids(batch)); })(), failsAs('incomplete'));
    assert.equal(got.length, 20);
    await assert.rejects(source.count(ALL, NEVER), failsAs('incomplete'));
    await assert.rejects(source.facet('country', ALL, NEVER), failsAs('incomplete'));
    await Promise.all(['c.parquet', 'd.parquet'].map((file) => rm(join(files.folder, file))));
    await settled(source);
    assert.deepEqual([(await read(source)).length, (await source.count(ALL, NEVER)).sure, (await source.describe(NEVER)).trouble], [20, 20, null]);
    await truncate(join(files.folder, 'b.parquet'), 200);
    await settled(source);
    await assert.rejects(read(source), failsAs('incomplete'));
    await rm(join(files.folder, 'a.parquet'));
    await settled(source);
    await assert.rejects(read(source), failsAs('malformed'));
  });

  it('goes on where it was while other files come and go', async () => {
    for (const file of [0, 1, 2, 3, 4, 5]) await files.write(`f${file}.parquet`, file * 100, file * 100 + 100);
    const source = files.openAt('*.parquet');
    const whole = ids(await read(source));
    const page = (await read(source, { rowsWanted: 150 })).slice(0, 150);
    const gone = (await readdir(files.folder)).find((file) => !page.some(({ json }) => json.includes(`"files:${Number(file[1]) * 100}"`)))!;
    await rm(join(files.folder, gone));
    await files.write('new.parquet', 900, 1_000);
    await settled(source);
    const { phase, key } = page.at(-1)!;
    const rest = ids(await read(source, { from: { phase, key, seen: 1 } })).slice(1);
    const walked = [...ids(page), ...rest];
    assert.equal(new Set(walked).size, walked.length);
    const lost = new Set(Array.from({ length: 100 }, (_, i) => `files:${Number(gone[1]) * 100 + i}`));
    assert.deepEqual(whole.filter((id) => !lost.has(id) && !walked.includes(id)), []);
    assert.ok(!page.some(({ key: text }) => text.includes('parquet')));
  });

  it('takes up columns that appear in new files', async () => {
    await files.write('a.parquet', 0, 10);
    const source = files.openAt('.');
    assert.ok(!(await source.describe(NEVER)).fields.includes('city'));
    await files.write('b.parquet', 10, 20, `, 'Köln' AS city`);
    await settled(source);
    assert.equal((await read(source, { filters: [{ kind: 'terms', name: 'city', include: ['koln'], exclude: [] }] })).length, 10);
  });

  it('describes files that changed once for all who search, and goes on with it when they have left', async () => {
    await files.write('a.parquet', 0, 10);
    const source = files.openAt('*.parquet');
    await source.describe(NEVER);
    const { all } = Connections.prototype;
    const left = new AbortController();
    let descriptions = 0;
    Connections.prototype.all = async function (this: Connections, ...asked) {
      if (asked[0].includes('DESCRIBE')) {
        descriptions += 1;
        left.abort();
      }
      return all.apply(this, asked);
    };
    try {
      await files.write('b.parquet', 10, 20, ", 'Bonn' AS city");
      // The list of files is kept for a moment: the first who finds it too old has left before they are described.
      await until(() => read(source, {}, left.signal).then(() => false, () => true));
      const filters = [{ kind: 'terms' as const, name: 'city', include: ['bonn'], exclude: [] }];
      const found = await Promise.all(Array.from({ length: 5 }, () => read(source, { filters })));
      assert.deepEqual([found.map((rows) => rows.length), descriptions], [Array(5).fill(10), 1]);
    } finally {
      Connections.prototype.all = all;
    }
  });

  it('is walked whole where files have other columns, types and spellings of names than others', async () => {
    for (const [file, select] of [
      ['a', "1 AS id, 'A@x.org' AS \"Email\", 'DE' AS country"], ['b', "2.5 AS id, 'Rome' AS city"], ['c', "3 AS id, 'vp' AS job_title, 'c@x.org' AS email"], ['d', "4 AS \"ID\", 'd@x.org' AS EMAIL"],
    ] as const) await files.writer.run(`COPY (SELECT ${select} FROM range(5)) TO '${join(files.folder, `${file}.parquet`)}' (FORMAT parquet)`);
    const source = files.openAt('.');
    const shown = (rows: readonly FoundRow[]): string[] => rows.map(({ json }) => json.toString());
    const whole = await read(source);
    assert.equal(whole.filter(({ json }) => json.includes('@x.org"')).length, 15);
    assert.equal(new Set(ids(whole)).size, 4);
    for (const order of ['stored', 'identity'] as const) assert.deepEqual(shown(await walkedOf(source, order)), shown(await read(source, { order })), order);
  });

  it('says that parts of the folders are no columns where not all files have them, and means it on every page', async () => {
    for (const country of ['US', 'DE']) await mkdir(join(files.folder, `country=${country}`));
    for (const [at, file] of ['country=US/a', 'country=DE/b', 'country=DE/c', 'd'].entries()) await files.write(`${file}.parquet`, at * 10, at * 10 + 10);
    const source = files.openAt('.');
    assert.match((await source.describe(NEVER)).trouble!, /not all in folders of the same names/);
    const countryOf = ({ json }: FoundRow): unknown => readRow(json)['country'];
    for (const order of ['stored', 'identity'] as const) assert.deepEqual((await walkedOf(source, order)).map(countryOf), (await read(source, { order })).map(countryOf), order);
    await rm(join(files.folder, 'd.parquet'));
    assert.equal((await source.describe(NEVER)).trouble, null);
    assert.deepEqual((await read(source)).map(countryOf).toSorted(), [...Array<string>(20).fill('DE'), ...Array<string>(10).fill('US')]);
  });

  it('reads what a link leads to, and files that replace others under its eyes', async () => {
    await mkdir(join(files.folder, 'real'));
    await symlink(join(files.folder, 'real'), join(files.folder, 'link'));
    await files.write('real/a.parquet', 0, 5_000);
    const source = files.openAt('link/*.parquet');
    for (let round = 0; round < 8; round += 1) {
      await files.write('next', round, round + 5_000);
      const reading = Promise.all([read(source), read(source, { order: 'identity', rowsWanted: 20 })]).catch((error: unknown) => error);
      await rename(join(files.folder, 'next'), join(files.folder, 'real/a.parquet'));
      const outcome = await reading;
      if (outcome instanceof Error) assert.ok(failsAs('broken')(outcome) || failsAs('malformed')(outcome), String(outcome));
      else assert.equal((outcome as FoundRow[][])[0]!.length, 5_000);
    }
    await settled(source);
    assert.ok(ids(await read(source)).includes('files:5006'));
  });

  it('opens no file of a part that is filtered away', async () => {
    for (const country of ['US', 'DE']) {
      await mkdir(join(files.folder, `country=${country}`));
      await files.writer.run(`COPY (SELECT i AS id FROM range(100) t(i)) TO '${join(files.folder, `country=${country}`, 'a.parquet')}'`);
    }
    const source = files.openAt('**/*.parquet');
    await source.describe(NEVER);
    assert.equal((await read(source)).length, 200);
    const us = join(files.folder, 'country=US', 'a.parquet');
    const bytes = await readFile(us);
    bytes.fill(0xff, 4, 400);
    await writeFile(us, bytes);
    await settled(source);
    const filters = [{ kind: 'terms' as const, name: 'country', include: ['DE'], exclude: [] }];
    assert.equal((await read(source, { filters })).length, 100);
    assert.equal((await source.count({ filters, terms: [] }, NEVER)).sure, 100);
    await assert.rejects(read(source), (error: SourceFailure) => error.code === 'malformed' || error.code === 'broken');
  });

  it('stops a statement that runs when the signal strikes, and goes on with the next', async () => {
    const connections = new Connections({ folders: [], files: [], memoryMb: 64, threads: 1 });
    const begunMs = performance.now();
    for (let round = 0; round < 5; round += 1) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 20 + round);
      await assert.rejects(connections.all('SELECT sum(length(md5((a.range * b.range)::VARCHAR))) FROM range(100000) a, range(100000) b', 'short', controller.signal), failsAs('broken'));
    }
    assert.ok(performance.now() - begunMs < 20_000);
    assert.deepEqual(await connections.all(`SELECT 'on'`, 'long', NEVER), [['on']]);
    const running = connections.all('SELECT sum(length(md5((a.range * b.range)::VARCHAR))) FROM range(100000) a, range(100000) b', 'short', NEVER);
    const stopped = assert.rejects(running, failsAs('broken'));
    await pause(20);
    await connections.close();
    await stopped;
  });

  it('leaves nothing behind of a stream whose reader left', async () => {
    await files.write('a.parquet', 0, 50_000);
    const source = files.openAt('a.parquet');
    for (let round = 0; round < 10; round += 1) {
      for await (const _ of source.rows(ALL, NEVER)) break;
    }
    assert.equal((await source.count(ALL, NEVER)).sure, 50_000);
  });

  it('reaches no other file, loads no extension, and takes no other setting', async () => {
    await files.write('a.parquet', 0, 10);
    await writeFile(join(files.folder, 'secret.txt'), 'secret');
    const { pattern, folder: below } = whereabouts(join(files.folder, 'a.parquet'));
    const connections = new Connections({ folders: [below], files: [pattern], memoryMb: 64, threads: 1 });
    for (const statement of [
      `SELECT * FROM read_text('${join(files.folder, 'secret.txt')}')`, `SELECT * FROM glob('${files.folder}/*')`, `COPY (SELECT 1) TO '${files.folder}/out.csv'`, `ATTACH '${files.folder}/x.db'`,
      'INSTALL httpfs', 'LOAD httpfs', `SET memory_limit = '99GB'`, 'SET enable_external_access = true', 'SELECT 1; SELECT 2', `SELECT * FROM 'https://example.org/x.parquet'`,
    ]) await assert.rejects(connections.all(statement, 'short', NEVER), statement);
    assert.deepEqual(await connections.all(`SELECT count(*)::INTEGER FROM read_parquet('${pattern}')`, 'short', NEVER), [[10]]);
    assert.ok(!existsSync(join(files.folder, 'out.csv')) && !existsSync(join(files.folder, 'x.db')));
    await connections.close();
  });

  it('reads every literal as the very text it was made of, and every name as one', async () => {
    const connections = new Connections({ folders: [], files: [], memoryMb: 64, threads: 1 });
    const text = fc.oneof(
      fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom('\\', "'", '"', '`', '\n', '{', '}', '$1', '--', '/*', '*/', 'x', ' ')).map((parts) => parts.join('')))
      .filter(isWellFormed);
    await fc.assert(fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (texts) => {
      const [row] = await connections.all(`SELECT ${texts.map((each, i) => `hex(${literal(each)}) AS ${name(`${i}${each.replaceAll('\0', '')}`)}`).join(', ')}`, 'short', NEVER);
      assert.deepEqual(row, texts.map((each) => Buffer.from(each).toString('hex').toUpperCase()));
    }), { numRuns: 60 });
    await connections.close();
  });

  it('spills what does not fit its memory where no other user may look, and takes away what it spilt', async () => {
    const spills = async (): Promise<string[]> => (await readdir(tmpdir())).filter((entry) => entry.startsWith(`lds-parquet-${process.pid}-`));
    const before = await spills();
    const connections = new Connections({ folders: [], files: [], memoryMb: 64, threads: 1 });
    const modes: number[] = [];
    let rows = 0;
    for await (const [column] of connections.batches(`SELECT md5(i::VARCHAR) || repeat('x', 200) AS k FROM range(400000) t(i) ORDER BY k`, 'long', NEVER)) {
      if (rows === 0) for (const folder of (await spills()).filter((one) => !before.includes(one))) modes.push((await stat(join(tmpdir(), folder))).mode & 0o777);
      rows += column!.length;
    }
    assert.deepEqual(modes, [0o700]);
    assert.equal(rows, 400_000);
    await connections.close();
    assert.deepEqual(await spills(), before);
  });

  it('takes away what a process spilt that was killed, and leaves alone what lives or is elsewhere', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const own = await ownHolder();
    const where = own.split('-')[2]!;
    const folderOf = (holder: string): string => join(tmpdir(), `lds-parquet-${holder}-00000000`);
    const [dead, later, live] = [`${pid}-1-${where}`, `${process.pid}-1-${where}`, own].map(folderOf) as [string, string, string];
    // As of a container that shares the folder, and of one that was killed and started again.
    const [elsewhere, before] = [`${pid}-1-${'0'.repeat(16)}`, `${pid}-1-${'1'.repeat(16)}`].map(folderOf) as [string, string];
    const spills = [dead, later, live, elsewhere, before];
    try {
      for (const spill of spills) {
        await mkdir(spill);
        await writeFile(join(spill, 'duckdb_temp_storage-0.tmp'), 'rows');
      }
      const longAgo = new Date(Date.now() - 2 * LIMITS.lockTrustMs);
      for (const spill of [live, before]) await utimes(spill, longAgo, longAgo);
      const connections = new Connections({ folders: [], files: [], memoryMb: 64, threads: 1 });
      await connections.all('SELECT 1', 'short', NEVER);
      await connections.close();
      assert.deepEqual(spills.map((spill) => existsSync(spill)), [false, false, true, true, false]);
    } finally {
      for (const spill of spills) await rm(spill, { recursive: true, force: true });
    }
  });

  it('takes away what died elsewhere a moment before it began, as soon as that shows', async (t) => {
    const before = join(tmpdir(), `lds-parquet-1-1-${'2'.repeat(16)}-00000000`);
    await mkdir(before);
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const spill = await makeSpill();
    try {
      assert.ok(existsSync(before));
      const longAgo = new Date(Date.now() - 2 * LIMITS.lockTrustMs);
      await utimes(before, longAgo, longAgo);
      t.mock.timers.tick(2 * LIMITS.lockTrustMs);
      while (existsSync(before)) await new Promise((resolve) => { setImmediate(resolve); });
      assert.ok(existsSync(spill.folder));
    } finally {
      await spill.release();
      await rm(before, { recursive: true, force: true });
    }
    assert.ok(!existsSync(spill.folder));
  });
});
