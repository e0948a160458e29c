import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { IngestError } from '../../src/ingest/failure.ts';
import { previewFiles } from '../../src/ingest/ingest.ts';
import { LIMITS } from '../../src/config/limits.ts';
import type { ExtraField } from '../../src/model/vocabulary.ts';
import { acquireLock } from '../../src/sources/lake/lock.ts';
import { lakeDir, segmentFiles } from '../../src/sources/lake/paths.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { testLake } from './lake.ts';

const people = (...rows: readonly string[]): string => `id,name,email,country\n${rows.join('\n')}\n`;

test('upsert replaces the rows of the same key and keeps the rest', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', people('1,Ann,ann@a.com,DE', '2,Bob,bob@a.com,US'))]);
  const summary = await lake.ingest([await lake.file('b.csv', people('2,Robert,bob@a.com,GB', '3,Cem,cem@a.com,'))]);
  assert.deepEqual([summary.added, summary.replaced, summary.kept, summary.rows, summary.snapshot], [1, 1, 1, 3, 2]);
  assert.deepEqual([...(await lake.rows()).values()].map((row) => [row.id, row.full_name]), [['crm:1', 'Ann'], ['crm:2', 'Robert'], ['crm:3', 'Cem']]);
});

test('small files are ingested on a small machine, lines and records', async (t) => {
  t.mock.method(process, 'constrainedMemory', () => 256 * 1_048_576);
  const lake = await testLake();
  const { rows } = await lake.ingest([await lake.file('a.csv', people('1,Ann,ann@a.com,DE')), await lake.file('b.ndjson', '{"id":"2","name":"Bob"}\n'), await lake.file('c.json', '[{"id":"3","name":"Cem"}]')]);
  assert.equal(rows, 3);
});

test('packed files and ones larger than the buffer are ingested on a small machine, the last line among them', async (t) => {
  t.mock.method(process, 'constrainedMemory', () => 256 * 1_048_576);
  const lake = await testLake();
  const notes = 'x'.repeat(4_096);
  const long = `id,name,notes\n${Array.from({ length: 34_000 }, (_, id) => `${id},Person ${id},${notes}`).join('\n')}`;
  const { rows } = await lake.ingest([await lake.file('a.csv', long), await lake.file('b.csv.gz', gzipSync(people('a,Ann,ann@a.com,DE')))]);
  assert.deepEqual([rows, (await lake.rows()).get('crm:33999')?.full_name], [34_001, 'Person 33999']);
});

test('append rejects the keys that are there, and replace leaves nothing of what was', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', people('1,Ann,ann@a.com,DE', '2,Bob,bob@a.com,US'))]);
  const file = await lake.file('b.csv', people('2,Robert,r@a.com,GB', '3,Cem,cem@a.com,TR'));
  const appended = await lake.ingest([file], { mode: 'append' });
  assert.deepEqual([appended.added, appended.kept, Object.values(appended.rejected)], [1, 2, [1]]);
  assert.match(await lake.read(appended.rejects[0]!.path), /^2,"the key is there already.*","\{""id"":""2"",""full_name"":""Robert"",""email"":""r@a\.com"",""country"":""GB""\}"/m);
  const replaced = await lake.ingest([file], { mode: 'replace' });
  assert.deepEqual([replaced.added, replaced.removed, replaced.rows], [2, 3, 2]);
});

test('a file of keys that are all there already is no error to append, as one that is brought again is', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', people('1,Ann,ann@a.com,DE', '2,Bob,bob@a.com,US', '3,,,'));
  await lake.ingest([file], { mode: 'append' });
  const again = await lake.ingest([file], { mode: 'append' });
  assert.deepEqual([again.added, again.kept, again.rows, Object.values(again.rejected), again.snapshot], [0, 2, 2, [2, 1], 1], 'nothing is published anew');
  const extras = [{ name: 'score', type: 'integer', description: '' }] as const;
  for (const [more, snapshot] of [[{ rowForm: 'balanced' }, 1], [{ rowForm: 'text' }, 2], [{ extras }, 3], [{ extras }, 3], [{}, 3]] as const) {
    assert.equal((await lake.ingest([file], { mode: 'append', ...more })).snapshot, snapshot, 'but as it is asked for otherwise');
  }
  assert.deepEqual([...(await lake.rows()).values()].map(({ full_name }) => full_name).sort(), ['Ann', 'Bob']);
  await assert.rejects(lake.ingest([await lake.file('b.csv', people('4,,,'))], { mode: 'append' }), /no row could be used; the reasons are in/);
});

test('a key of which a spreadsheet kept the first digits alone joins no rows, and is told of', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', people('1.23457E+11,Ann,ann@a.com,DE', '1.23457E+11,Bob,bob@a.com,US', '"1,2E+11",Cem,cem@a.com,TR', '1.23456789012E+11,Dee,dee@a.com,GB', '1E11,Eve,eve@a.com,GB', '1e+05,Fay,fay@a.com,GB', '1.2345678901234568e+17,Gus,gus@a.com,GB', '1.23456789012346E+17,Hal,hal@a.com,GB'));
  const { rows, repeats, unkeyed, notes } = await lake.ingest([file]);
  assert.deepEqual([rows, repeats, unkeyed], [8, 0, 3]);
  assert.deepEqual(notes, [{ field: 'id', rows: 3, examples: ['1,2E+11', '1.23457E+11'] }]);
  const ids = new Map([...(await lake.rows()).values()].map(({ full_name, id }) => [full_name, id]));
  assert.deepEqual(['Dee', 'Eve', 'Fay', 'Gus', 'Hal'].map((who) => ids.get(who)), ['1.23456789012E+11', '1E11', '1e+05', '1.2345678901234568e+17', '1.23456789012346E+17'].map((key) => `crm:${key}`));
});

test('an id is stable across re-ingests, with a key of its own or without', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'name,email,updated\nAnn,ann@a.com,2024-01-01\nBob,,2024-01-01\n');
  await lake.ingest([file]);
  const first = [...(await lake.rows()).keys()];
  const again = await lake.ingest([await lake.file('b.csv', 'email,updated,name\nann@a.com,2025-01-01,Ann\n,2025-01-01,Bob\n')]);
  assert.deepEqual([...(await lake.rows()).keys()], first);
  assert.equal(again.replaced, 2);
});

test('an address that is compared in lower case is part of an id in lower case', async () => {
  const lake = await testLake();
  const url = 'https://www.linkedin.com/in/ACoAABcDeFgBkLmNoPqRsTuVwXyZ';
  await lake.ingest([await lake.file('a.csv', `name,linkedin\nAnn,${url.toLowerCase()}\n`)]);
  const { replaced, rows } = await lake.ingest([await lake.file('b.csv', `name,linkedin\nAnn,${url}\n`)]);
  assert.deepEqual([replaced, rows], [1, 1]);
  assert.deepEqual([...(await lake.rows()).values()].map((row) => row.linkedin_url), [url]);
});

test('rows with a key and rows without stand in one file, and each keeps its id beside new ones and alone', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', people('1,Ann,ann@a.com,DE', ',Bob,bob@a.com,United States', ',,,', 'crm:3,Cem,,TR'))]);
  const first = await lake.rows();
  const hashed = [...first.keys()].find((id) => /^crm:[0-9a-f]{24}$/.test(id))!;
  assert.deepEqual([...first.keys()].sort(), ['crm:1', 'crm:3', hashed].sort());
  assert.deepEqual([first.get(hashed)!.full_name, first.get(hashed)!.country], ['Bob', 'US']);
  const again = await lake.ingest([await lake.file('b.csv', people(',Bob,bob@a.com,US', '4,Dan,dan@a.com,AT'))]);
  assert.deepEqual([again.added, again.replaced, again.kept, again.rows], [1, 1, 2, 4]);
  assert.deepEqual([...(await lake.rows()).values()].map((row) => [row.id, row.full_name]), [['crm:4', 'Dan'], ['crm:1', 'Ann'], ['crm:3', 'Cem'], [hashed, 'Bob']]);
});

test('an extra may be called what the reading calls something of its own', async () => {
  const lake = await testLake();
  const extras = ['nth', 'own', 'bytes', 'place', 'rank', 'fault', 'text'].map((name) => ({ name, type: 'string', description: name }) as const);
  const file = await lake.file('a.csv', 'full name,country,nth,own,bytes,place,rank,fault,text\nAnn,Atlantis,1st,mine,8 kB,Rome,high,hers,a\nBob,DE,2nd,yours,9 kB,Bonn,low,his,b\n');
  await lake.ingest([file], { extras });
  const first = await lake.rows();
  assert.deepEqual(
    [...first.values()].map((row) => extras.map(({ name }) => row[name])).sort(),
    [['1st', 'mine', '8 kB', 'Rome', 'high', 'hers', 'a'], ['2nd', 'yours', '9 kB', 'Bonn', 'low', 'his', 'b']],
  );
  await lake.ingest([await lake.file('b.csv', 'full name,country,nth,own,bytes,place,rank,fault,text\nAnn,Atlantis,1st,mine,8 kB,Oslo,high,hers,a\n')], { extras });
  assert.equal((await lake.rows()).size, 3, 'a row that says another place is another row');
});

test('of rows with one key the last stands, and the others are counted', async () => {
  const lake = await testLake();
  const summary = await lake.ingest([await lake.file('a.csv', people('1,Ann,ann@a.com,DE', '1,Anna,anna@a.com,AT'))]);
  assert.equal(summary.repeats, 1);
  assert.equal((await lake.rows()).get('crm:1')!.full_name, 'Anna');
});

test('a column that only may be a key is one if every row has its own', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'symbol,name\nAAA,Acme\nBBB,Bolt\n')], { dataset: 'companies' });
  assert.deepEqual([...(await lake.rows('companies')).keys()], ['crm:AAA', 'crm:BBB']);
  await lake.ingest([await lake.file('b.csv', 'symbol,name\nAAA,Acme\nAAA,Bolt\n')], { dataset: 'companies', mode: 'replace' });
  assert.ok([...(await lake.rows('companies')).keys()].every((id) => /^crm:[0-9a-f]{24}$/.test(id)));
});

test('the operator can say what a column is, drop one, and name extras', async () => {
  const lake = await testLake();
  const extras = [{ name: 'score', type: 'integer', description: 'lead score' }, { name: 'tags', type: 'strings', description: 'tags' }] as const;
  const file = await lake.file('a.csv', 'who,name,email,Score,tags\nAnn,x,ann@a.com,"1,200",a;b\n');
  const overrides = [{ column: 'WHO', field: 'full_name' }, { column: 'email', field: null }];
  const { plans } = await lake.ingest([file], { overrides, extras });
  assert.deepEqual(plans[0]!.mapping.unused, ['name', 'email']);
  const [row] = [...(await lake.rows()).values()];
  assert.deepEqual([row!.full_name, row!.email, row!.score, row!.tags], ['Ann', null, 1200, ['a', 'b']]);
  await assert.rejects(lake.ingest([file], { overrides: [{ column: 'nobody', field: 'email' }] }), (error) => error instanceof IngestError && error.usage);
  await assert.rejects(lake.ingest([file], { overrides: [{ column: 'who', field: 'nothing' }] }), /the fields are: id, full_name/);
});

test('a field of the operator whose type changed is told of before anything is read, and may begin anew', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'id,name,score\n1,Ann,high\n');
  const typed = (type: 'string' | 'strings' | 'integer'): { readonly extras: readonly ExtraField[] } => ({ extras: [{ name: 'score', type, description: 'lead score' }] });
  await lake.ingest([file], typed('string'));
  const next = await lake.file('b.csv', 'id,name,score\n2,Bob,7\n');
  for (const mode of ['upsert', 'append'] as const) {
    await assert.rejects(
      lake.ingest([next], { ...typed('integer'), mode }),
      (error) => error instanceof IngestError && error.usage && /score .* type string.* integer.*--mode replace/.test(error.message),
    );
  }
  await lake.ingest([next], typed('string'));
  await lake.ingest([next], { ...typed('integer'), mode: 'replace' });
  assert.deepEqual([...(await lake.rows()).values()].map(({ score }) => score), [7]);
});

test('what rows have in a field of the operator stays through an ingest to which it is not declared, but for one that replaces all', async () => {
  const lake = await testLake();
  const extras = [{ name: 'score', type: 'integer', description: 'lead score' }] as const;
  await lake.ingest([await lake.file('a.csv', 'id,name,score\n1,Ann,7\n2,Bob,8\n')], { extras });
  const tags = [{ name: 'tags', type: 'strings', description: 'tags' }] as const;
  await lake.ingest([await lake.file('b.csv', 'id,name,score,tags\n2,Bob,9,a;b\n')], { extras: tags });
  await lake.ingest([await lake.file('c.csv', 'id,name\n3,Cy\n')], { mode: 'append' });
  assert.deepEqual([...(await lake.rows()).values()].map(({ id, score, tags: own }) => [id, score, own]), [['crm:1', 7, null], ['crm:2', 9, ['a', 'b']], ['crm:3', null, null]]);
  const many = Array.from({ length: 31 }, (_, at) => ({ name: `own_${at}`, type: 'string', description: 'own' }) as const);
  await assert.rejects(lake.ingest([await lake.file('d.csv', 'id,name\n4,Di\n')], { extras: many }), /not declared any more \(tags, score\).*more than 32/);
  await lake.ingest([await lake.file('c.csv', 'id,name\n3,Cy\n')], { mode: 'replace' });
  assert.deepEqual([...(await lake.rows()).values()].map((row) => 'score' in row), [false]);
});

test('what is said in one field fills what is not said in another', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'id,first name,last name,job title,seniority\n1,Jane,Doe,VP Engineering,\n2,明,王,Praktikant Vertrieb,\n3,Ann,Ö,VP Sales,Manager\n')]);
  const rows = await lake.rows();
  assert.deepEqual([...rows.values()].map((row) => [row.full_name, row.seniority, row.department]), [['Jane Doe', 'vp', 'Engineering'], ['王明', 'intern', 'Sales'], ['Ann Ö', 'manager', 'Sales']]);
});

test('an e-mail address that cannot be one is left empty and counted, the row stays', async () => {
  const lake = await testLake();
  const { rows, notes } = await lake.ingest([await lake.file('a.csv', people('1,Ann,ann at a.com,DE', '2,Bob,bob@a.com,Atlantis'))]);
  assert.equal(rows, 2);
  assert.deepEqual(notes, [{ field: 'country', rows: 1, examples: ['Atlantis'] }, { field: 'email', rows: 1, examples: ['ann at a.com'] }]);
});

test('a postal code that a program took for a number has no point', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', 'id,name,zip\n1,Ann,94105.0\n2,Bo,94105.00\n3,Cy,SW1A 1.0\n')]);
  const rows = await lake.rows();
  assert.deepEqual([1, 2, 3].map((id) => rows.get(`crm:${id}`)!.postal_code), ['94105', '94105.00', 'SW1A 1.0']);
});

test('values that are too long are cut, keys that are too long rejected', async () => {
  const lake = await testLake();
  const long = 'x'.repeat(5_000);
  const summary = await lake.ingest([await lake.file('a.csv', `id,name,city,department\n1,Ann,${long},${long}\n${'9'.repeat(300)},Bob,,\n`)]);
  const { city, department } = (await lake.rows()).get('crm:1')!;
  assert.deepEqual([city, department], [long.slice(0, LIMITS.textCharactersMax), long.slice(0, LIMITS.textCharactersMax)]);
  const reason = `the key is longer than ${LIMITS.idCharactersMax} characters`;
  assert.deepEqual(Object.keys(summary.rejected), [reason]);
  const [most, more] = ['k', 'crm:k'].map((key) => `${key}${'9'.repeat(LIMITS.idCharactersMax - 1)}`) as [string, string];
  for (const key of [most, more]) {
    const { rejected } = await lake.ingest([await lake.file('b.csv', `id,name\n${key},Ann\n${key}0,Bob\n`)], { mode: 'replace' });
    assert.deepEqual([[...(await lake.rows()).keys()], rejected], [[`crm:${most}`], { [reason]: 1 }]);
  }
});

test('a preview rejects what the ingest would, what cannot be read too, and shows none of it', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'name,email\nAnn,ann@a.com\nBob,bob@b.com,extra\nCyd\n,\n');
  const preview = await previewFiles(lake.order([file]), join(lake.dataDir, 'temp'));
  assert.deepEqual(preview.rejected, (await lake.ingest([file])).rejected);
  assert.equal(Object.values(preview.rejected).reduce((sum, n) => sum + n, 0), 3);
  assert.deepEqual(preview.rows.map(({ full_name: name }) => name), ['Ann']);
});

test('a preview of a long file tells what the first thousand records hold', async () => {
  const lake = await testLake();
  const people = Array.from({ length: 60_000 }, (_, at) => `"A\n${at}",a${at}@a.com${at % 500 === 7 ? ',extra' : ''}\n`).join('');
  const preview = await previewFiles(lake.order([await lake.file('a.csv', `name,email\n${people}`)]), join(lake.dataDir, 'temp'));
  assert.deepEqual(Object.values(preview.rejected), [2]);
});

test('a preview shows rows whose first is longer than what is looked at', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', `id,name,notes\n1,Ann,${'x'.repeat(LIMITS.ingestHeadBytes)}\n2,Bob,y\n`);
  const preview = await previewFiles(lake.order([file]), join(lake.dataDir, 'temp'));
  assert.deepEqual([preview.rows.map(({ id }) => id), preview.rejected], [['crm:1', 'crm:2'], {}]);
});

test('a line that is no JSON object stands in the rejects as it came', async () => {
  const lake = await testLake();
  const other = await lake.file('other.ndjson', '{"email":"x@y.com"}\n');
  const file = await lake.file('a.ndjson', '{"email":"ann@a.com"}\n{"email":\n[1,2]\n');
  const { rejects } = await lake.ingest([other, file]);
  assert.deepEqual((await lake.read(rejects[0]!.path)).trim().split('\r\n'), ['line,reason,content', '2,"not valid JSON","{""email"":"', '3,"not a JSON object","[1,2]"']);
});

test('a preview shows rows and mapping, and touches nothing', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', people('1,Ann,ann@a.com,DE', '2,,,DE'));
  const preview = await previewFiles(lake.order([file]), join(lake.dataDir, 'temp'));
  assert.equal(preview.rows[0]!.full_name, 'Ann');
  assert.equal(Object.values(preview.rejected)[0], 1);
  assert.deepEqual((await readdir(lake.dataDir)).sort(), ['a.csv', 'temp']);
  assert.deepEqual(await readdir(join(lake.dataDir, 'temp')), []);
});

test('a run that fails or is stopped leaves the published snapshot and no other file', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', people('1,Ann,ann@a.com,DE'))]);
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const before = await readdir(dir, { recursive: true });
  const stopped = new AbortController();
  const file = await lake.file('b.csv', people('2,Bob,bob@a.com,US'));
  await assert.rejects(lake.ingest([file], { signal: stopped.signal, stage: async (name, _extent, work) => { if (name === 'sorting') stopped.abort(); return work(() => undefined); } }));
  await assert.rejects(lake.ingest([file], { stage: async (name, _extent, work) => { if (name === 'indexing') throw new Error('no space left on device'); return work(() => undefined); } }));
  assert.deepEqual(await readdir(dir, { recursive: true }), before);
  assert.equal((await readCurrent(dir))!.snapshot, 1);
});

test('a first run that fails leaves no folder of the source, but one that was there before', async () => {
  const lake = await testLake();
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const file = await lake.file('a.csv', people('1,Ann,ann@a.com,DE'));
  const full = { stage: async <T>(name: string, _extent: unknown, work: (done: () => void) => Promise<T>): Promise<T> => {
    if (name === 'indexing') throw new Error('no space left on device');
    return work(() => undefined);
  } };
  await assert.rejects(lake.ingest([`${file}.not`]), /no such file/);
  await assert.rejects(lake.ingest([file], full), /no space left/);
  assert.deepEqual(await readdir(join(lake.dataDir, 'lake', 'contacts')), []);
  await mkdir(dir);
  await assert.rejects(lake.ingest([file], full), /no space left/);
  assert.deepEqual(await readdir(join(lake.dataDir, 'lake', 'contacts')), ['crm']);
});

test('a second writer of a source is refused, and a name is for one dataset', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', people('1,Ann,ann@a.com,DE'));
  const lock = await acquireLock(lakeDir(lake.dataDir, 'contacts', 'crm'));
  await assert.rejects(lake.ingest([file]), /another writer is at work/);
  await lock.release();
  await lake.ingest([file]);
  await assert.rejects(lake.ingest([file], { dataset: 'companies' }), /holds contacts/);
});

test('the Parquet truth holds the rows in serving order with their rank', async () => {
  const lake = await testLake();
  await lake.ingest([await lake.file('a.csv', people('1,Ann,zoe@a.com,DE', '2,Bob,bob@a.com,', '3,Cem,,DE', '4,Ü,ann@a.com,AT', '5,😀,,DE'))]);
  assert.deepEqual([...(await lake.rows()).keys()], ['crm:4', 'crm:1', 'crm:3', 'crm:5', 'crm:2']);
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const [segment] = (await readCurrent(dir))!.segments;
  assert.ok((await lake.read(segmentFiles(dir, segment!.id).truth)).startsWith('PAR1'));
});
