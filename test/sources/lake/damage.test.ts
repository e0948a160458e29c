import assert from 'node:assert/strict';
import { copyFile, cp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { compactSource, eraseRows } from '../../../src/ingest/rewrite.ts';
import type { RewriteOrder } from '../../../src/ingest/rewriting.ts';
import { loadSegments } from '../../../src/pool/loader.ts';
import { DamagedLake, readCurrent, readLakes } from '../../../src/sources/lake/current.ts';
import { Lakes, type LakesState } from '../../../src/sources/lake/lakes.ts';
import { acquireLock } from '../../../src/sources/lake/lock.ts';
import { sealed, unsealed } from '../../../src/sources/lake/manifest.ts';
import { currentPath, lakeDir, lakePlaces, segmentFiles, snapshotPath, stagingDir } from '../../../src/sources/lake/paths.ts';
import { publish } from '../../../src/sources/lake/publish.ts';
import { sweepUnlessWriting } from '../../../src/sources/lake/sweep.ts';
import { testLake, type TestLake } from '../../ingest/lake.ts';
import { livingFor } from './dying.ts';
import { exists, stagedSegment } from './staged.ts';

type Kept = { readonly lake: TestLake; readonly dir: string; readonly rewrite: RewriteOrder };

/** A source that was published twice, first with Ann, then with Bob beside her. */
async function publishedTwice(): Promise<Kept> {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'id,name,email\n1,Ann,ann@b.co\n')]);
  await lake.ingest([await lake.file('b.csv', 'id,name,email\n2,Bob,bob@b.co\n')]);
  const { signal, stage, dataDir } = lake.order([]);
  return { lake, dir: lakeDir(lake.dataDir, 'contacts', 'crm'), rewrite: { dataDir, source: 'crm', extras: { contacts: [], companies: [] }, rowForm: null, signal, stage } };
}

async function filesIn(dir: string): Promise<string[]> {
  return (await readdir(dir, { recursive: true })).sort();
}

/** Whatever needs the rows of before is refused and leaves every file; a replacement goes through, and what follows it. */
async function refusesButReplacement({ lake, dir, rewrite }: Kept, about: string): Promise<void> {
  const before = await filesIn(dir);
  const more = await lake.file('c.csv', 'id,name,email\n3,Cy,cy@b.co\n');
  const ids = await lake.file('ids.txt', '1\n');
  const tries: readonly (() => Promise<unknown>)[] = [() => lake.ingest([more]), () => lake.ingest([more], { mode: 'append' }), () => eraseRows(rewrite, ids), () => compactSource(rewrite)];
  for (const tried of tries) await assert.rejects(tried(), DamagedLake, about);
  assert.deepEqual(await filesIn(dir), before, about);
  assert.equal((await lake.ingest([more], { mode: 'replace' })).rows, 1, about);
  await lake.ingest([await lake.file('d.csv', 'id,name,email\n4,Di,di@b.co\n')]);
  assert.deepEqual([...(await lake.rows()).keys()], ['crm:3', 'crm:4'], about);
}

const CURRENTS: Readonly<Record<string, string | null>> = { missing: null, empty: '', 'no number': '../../etc', 'of a snapshot that is not there': '7\n', 'of before any was published': '0\n' };

for (const [what, content] of Object.entries(CURRENTS)) {
  test(`a CURRENT that is ${what} loses no row: its number brings all back, and only a replacement does without`, async () => {
    const kept = await publishedTwice();
    const path = currentPath(kept.dir);
    const damage = (): Promise<void> => (content === null ? rm(path) : writeFile(path, content));
    await damage();
    await assert.rejects(
      readCurrent(kept.dir),
      (error) => error instanceof DamagedLake && (content === '7\n' || error.advice.startsWith(`write the number of its last snapshot, 2, into ${path}, or `)),
    );
    await sweepUnlessWriting(kept.dir, Date.now() + 24 * 3_600_000).catch(() => null);
    await writeFile(path, '2\n');
    assert.deepEqual([...(await kept.lake.rows()).keys()], ['crm:1', 'crm:2']);
    await damage();
    await refusesButReplacement(kept, what);
  });
}

test('a manifest that is torn, of another snapshot or of another source is told, never served', async () => {
  for (const what of ['torn', 'another']) {
    const kept = await publishedTwice();
    const path = snapshotPath(kept.dir, 2);
    if (what === 'torn') await writeFile(path, (await readFile(path)).subarray(0, 100));
    else await copyFile(snapshotPath(kept.dir, 1), path);
    await assert.rejects(readCurrent(kept.dir), DamagedLake, what);
    await refusesButReplacement(kept, what);
  }
  const { dir } = await publishedTwice();
  const copy = join(dirname(dir), 'copy');
  await cp(dir, copy, { recursive: true });
  await assert.rejects(readCurrent(copy), (error) => error instanceof DamagedLake && error.message.endsWith('it was published as crm of the contacts'));
  await rename(copy, join(dirname(dir), 'moved'));
  await symlink(dir, join(dirname(dir), 'crm2'));
  await assert.rejects(readCurrent(join(dirname(dir), 'crm2')), DamagedLake);
});

const PEOPLE = `id,name,email,email_status,phone,linkedin,country,city,skills,title,updated_at
1,"Zoë ""Q"" Ng",zoe@b.co,verified,+49 30 901820,https://linkedin.com/in/zoe,DE,Berlin,"sql; go",Head of Sales,2024-05-06T07:08:09Z
N/A-1,"=Ann, Lee",,,,,US,,,,
="00123",Bo,bo@b.co,risky,,,,,,VP Engineering,2021-01-02
7.0,,cy@b.co,,,,FR,"Saint-\u00c9tienne ",,CEO & Founder,
`;
const FIRMS = `name,domain,website,industry,keywords,country,employee_count,revenue_usd,founded_year,ticker,technologies,description
Acme Inc.,acme.com,https://www.acme.com/en,Software,"a;b c",US,512,12500000.5,1999,ACME,"php, java","Two
lines"
Müller & Söhne,mueller.de,,,,DE,,,,,,
`;

for (const [dataset, content] of [['contacts', PEOPLE], ['companies', FIRMS]] as const) {
  test(`a manifest of ${dataset} that is missing costs no row: the files that the advice names have all, under the same ids`, async () => {
    const lake = await testLake();
    await lake.ingest([await lake.file('a.csv', content)], { dataset });
    await lake.ingest([await lake.file('b.csv', 'id,name,country\n8,Di,NL\n')], { dataset });
    const before = await lake.rows(dataset);
    const dir = lakeDir(lake.dataDir, dataset, 'crm');
    await rm(snapshotPath(dir, 2));
    const advice = await readCurrent(dir).then(() => '', (error: DamagedLake) => error.advice);
    const [, own] = / lds ingest (\S+)\*\.parquet --dataset /.exec(advice) ?? [];
    assert.ok(own !== undefined, advice);
    const files = (await readdir(dirname(own))).filter((name) => name.startsWith(basename(own)) && name.endsWith('.parquet')).map((name) => join(dirname(own), name));
    await lake.ingest(files, { dataset, mode: 'replace' });
    assert.deepEqual(await lake.rows(dataset), before);
    assert.ok(before.size > 1);
  });
}

test('files of which one is missing are not named in the place of a manifest', async () => {
  const { dir } = await publishedTwice();
  const { segments: [segment] } = (await readCurrent(dir))!;
  await rm(snapshotPath(dir, 2));
  await rm(segmentFiles(dir, segment!.id).truth);
  await assert.rejects(readCurrent(dir), (error) => error instanceof DamagedLake && error.advice.includes(' lds ingest FILE '));
});

test('what a newer version published is told as that, not as no manifest', async () => {
  const { dir } = await publishedTwice();
  const later = { ...(await readCurrent(dir))!, shards: 2 };
  await writeFile(snapshotPath(dir, 2), sealed(later));
  await assert.rejects(readCurrent(dir), (error) => error instanceof DamagedLake && error.message.endsWith('000002.json was written by a newer version of the service')
    && error.advice.startsWith(`go back to that version, or ingest all its rows anew: lds ingest ${dir}/segments/000002-*.parquet `));
  await writeFile(snapshotPath(dir, 2), JSON.stringify(later));
  await assert.rejects(readCurrent(dir), /is no manifest/);
});

test('a manifest in which a bit flipped is told, or says the same', async () => {
  const { dir } = await publishedTwice();
  const [bytes, manifest] = [await readFile(snapshotPath(dir, 2)), await readCurrent(dir)];
  let told = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const flipped = Buffer.from(bytes);
    flipped[at]! ^= 1 << (at % 8);
    const found = unsealed(flipped.toString());
    if (found === null) told += 1;
    else assert.deepEqual(found, manifest, `byte ${at}`);
  }
  assert.ok(told > bytes.length / 2, `${told} of ${bytes.length}`);
});

test('a Parquet truth in which a bit flipped, or that is missing, is told before its rows become those of the next snapshot', async () => {
  for (const what of ['flipped', 'missing']) {
    const kept = await publishedTwice();
    const { truth } = segmentFiles(kept.dir, (await readCurrent(kept.dir))!.segments[0]!.id);
    const bytes = await readFile(truth);
    bytes[bytes.indexOf('Bob') + 1]! ^= 1;
    if (what === 'flipped') await writeFile(truth, bytes);
    else await rm(truth);
    await refusesButReplacement(kept, what);
  }
});

test('a manifest of before that is damaged is in nobody\'s way', async () => {
  const { lake, dir } = await publishedTwice();
  await writeFile(snapshotPath(dir, 1), '{');
  assert.equal((await lake.ingest([await lake.file('c.csv', 'id,name,email\n3,Cy,cy@b.co\n')])).rows, 3);
});

test('what is damaged of one source, and files that are none, are in the way of no other', async () => {
  const { lake, dir, rewrite } = await publishedTwice();
  await lake.ingest([await lake.file('c.csv', 'id,name,email\n3,Cy,cy@b.co\n')], { source: 'other' });
  await writeFile(currentPath(dir), '');
  await writeFile(join(dirname(dir), 'notes'), 'no source');
  assert.deepEqual((await lakePlaces(lake.dataDir)).map(({ source }) => source), ['crm', 'other']);
  assert.deepEqual((await readLakes(lake.dataDir)).map(({ place, found }) => [place.source, found instanceof DamagedLake]), [['crm', true], ['other', false]]);
  assert.equal((await eraseRows({ ...rewrite, source: 'other' }, await lake.file('ids.txt', '3\n'))).erased, 1);
});

async function served(dataDir: string): Promise<(readonly [string, number | undefined, string | null])[]> {
  let state: LakesState = { lakes: [], retained: [], held: [], restoring: [] };
  const lakes = new Lakes(dataDir, loadSegments, { memoryBytes: 0, mapped: true }, (next) => { state = next; });
  await lakes.open();
  await lakes.close();
  return state.lakes.map(({ name, snapshot, trouble }) => [name, snapshot?.manifest.snapshot, trouble] as const);
}

test('a gateway serves no files that were put in the place of others, and says where what is published was lost', async () => {
  const { lake, dir } = await publishedTwice();
  assert.deepEqual(await served(lake.dataDir), [['crm', 2, null]]);
  const [older, newer] = await Promise.all([1, 2].map(async (snapshot) => {
    const { segments } = JSON.parse(await readFile(snapshotPath(dir, snapshot), 'utf8')) as { segments: { id: string }[] };
    return segmentFiles(dir, segments[0]!.id);
  }));
  const bytes = await readFile(newer!.index);
  for (const part of ['index', 'rows'] as const) await copyFile(older![part], newer![part]);
  assert.deepEqual(await served(lake.dataDir), [['crm', undefined, 'a segment was refused: exchanged']]);
  await writeFile(newer!.index, bytes);
  assert.deepEqual(await served(lake.dataDir), [['crm', undefined, 'a segment was refused: rows_length']]);
  await rm(currentPath(dir));
  assert.deepEqual(await served(lake.dataDir), [['crm', undefined, 'its manifest cannot be read']]);
  assert.ok(await exists(older!.truth), 'a gateway that does not know what is published sweeps nothing');
});

test('a first writer killed before any one of its calls to the file system leaves no source or a whole one, and its place to the next', async () => {
  const told = { none: 0, whole: 0 };
  const { dataDir } = await testLake();
  for (let lived: number | 'died' = 'died', callsMax = 0; lived === 'died'; callsMax += 1) {
    const source = `first-${callsMax}`;
    const dir = lakeDir(dataDir, 'contacts', source);
    const staged = await stagedSegment(dir, 'early');
    const publication = { dataset: 'contacts' as const, source, demo: false, extras: [] };
    lived = await livingFor(callsMax, async () => {
      const lock = await acquireLock(dir);
      await publish(dir, { ...publication, segments: [staged] });
      await lock.release();
    });
    const current = await readCurrent(dir);
    assert.deepEqual(current?.segments.map(({ id }) => id), current === null ? undefined : ['early'], `killed before call ${callsMax}`);
    told[current === null ? 'none' : 'whole'] += 1;
    for (const name of await readdir(dir)) if (name.startsWith('LOCK-')) await rename(join(dir, name), join(dir, `LOCK-${process.pid}-1`));
    await sweepUnlessWriting(dir, Date.now());
    assert.equal((await exists(segmentFiles(dir, 'early').truth)), current !== null);
    await publish(dir, { ...publication, segments: [await stagedSegment(dir, 'late')] });
    assert.deepEqual((await readCurrent(dir))!.segments.map(({ id }) => id), ['late']);
    assert.deepEqual(await readdir(stagingDir(dir)), []);
  }
  assert.ok(told.none > 10 && told.whole > 2, JSON.stringify(told));
});
