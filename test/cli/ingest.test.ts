import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat, symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ingestCommand } from '../../src/cli/ingest.ts';
import { compactCommand } from '../../src/cli/compact.ts';
import { eraseCommand } from '../../src/cli/erase.ts';
import { keysCommand } from '../../src/cli/keys.ts';
import { listsCommand } from '../../src/cli/lists.ts';
import { lineOf } from '../../src/cli/progress.ts';
import { writing } from '../../src/cli/rewriting.ts';
import { sourcesCommand } from '../../src/cli/sources.ts';
import { EXIT, UsageError, type Command, type CommandInput } from '../../src/cli/command.ts';
import type { Config } from '../../src/config/schema.ts';
import { worldly } from '../../src/ingest/failure.ts';
import { makeDemoLake } from '../../src/ingest/demo/demo.ts';
import { gonePath, lakeDir, segmentFiles } from '../../src/sources/lake/paths.ts';
import { readCurrent } from '../../src/sources/lake/current.ts';
import { testLake, type TestLake } from '../ingest/lake.ts';
import { layeredLake } from '../ingest/layered.ts';

async function call(lake: TestLake, command: Command, files: readonly string[], values: CommandInput['values'], signal = new AbortController().signal) {
  const said = { out: '', note: '' };
  const config = { dataDir: lake.dataDir, sources: [{ name: 'files', dataset: 'contacts', kind: 'parquet', path: 'x', columns: {} }], extras: { contacts: [], companies: [] } };
  const code = await command.run({
    files, values, config: async () => config as unknown as Config,
    terminal: { out: (text) => { said.out += text; }, note: (text) => { said.note += text; }, interactive: false, signal },
  });
  return { code, ...said };
}

const HOW = { dataset: 'contacts', source: 'crm' };

test('ingest prints the mapping first and the summary last, and sources lists what there is', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'Name,E-Mail,Shoe size\nAnn,ann@a.com,39\n,,\n');
  const none = await call(lake, ingestCommand, [await lake.file('none.csv', 'Name,E-Mail\n')], HOW);
  assert.deepEqual([none.code, none.note.includes('a new lake begins')], [EXIT.failed, false]);
  const { code, out, note } = await call(lake, ingestCommand, [file], HOW);
  assert.equal(code, EXIT.done);
  assert.match(note, /mode: upsert\n.*\(CSV, comma, utf-8\)\n.*column.*field.*values\n[- ]+\nName +full_name +Ann\nE-Mail +email +ann@a\.com\nShoe size +left out +39\n/s);
  assert.match(out, /crm: 1 contact published \(upsert: 1 new, 0 replaced, 0 kept\)\nread 2 records.*\n1 rejected:\n {2}1 {2}nothing identifies/);
  assert.ok(note.includes(`${lake.dataDir} held no sources: a new lake begins there. For a gateway with another data folder, set LDS_DATA_DIR or LDS_CONFIG`), note);
  const again = await call(lake, ingestCommand, [file], { ...HOW, mode: 'append' });
  assert.ok(!again.note.includes('held no sources'), again.note);
  assert.match(again.out, /^crm: 1 contact, none new \(append: 0 new, 0 replaced, 1 kept\)\n/);
  const listed = await call(lake, sourcesCommand, [], { json: true });
  const { sources } = JSON.parse(listed.out) as { sources: { name: string; rows: number; bytes: number }[] };
  assert.deepEqual([sources[0]!.name, sources[0]!.rows, sources[0]!.bytes > 0], ['crm', 1, true]);
  assert.match((await call(lake, sourcesCommand, [], {})).out, /crm +contacts +1/);
  const firms = await call(lake, ingestCommand, [await lake.file('firms.csv', 'Name,Domain\nAcme,acme.com\n')], { dataset: 'companies', source: 'firms' });
  assert.match(firms.out, /^firms: 1 company published /);
});

test('sources tells of each source that lacks a file, or has one that was cut, and exits with 1', async () => {
  const lake = await testLake();
  await call(lake, ingestCommand, [await lake.file('a.csv', 'name,email\nAnn,ann@a.com\n')], HOW);
  assert.deepEqual((({ code, note }) => [code, note])(await call(lake, sourcesCommand, [], {})), [EXIT.done, '']);
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const { index, rows, truth } = segmentFiles(dir, (await readCurrent(dir))!.segments[0]!.id);
  await truncate(rows, 7);
  for (const [file, also] of [[index, `${rows} has 7 bytes of `], [truth, `${truth} is missing; lds doctor says what to do\n`]] as const) {
    await rm(file);
    const { code, out, note } = await call(lake, sourcesCommand, [], {});
    assert.equal(code, EXIT.failed);
    assert.match(out, /crm +contacts +1/);
    assert.ok(note.startsWith(`the source crm is damaged: ${index} is missing; `) && note.includes(also), note);
  }
});

test('sources counts a list of replaced rows among the files of its source, and tells where it is missing or was cut', async () => {
  const { lake, dir, segments } = await layeredLake();
  const { out } = await call(lake, sourcesCommand, [], { json: true });
  const sizes = await Promise.all((await readdir(join(dir, 'segments'))).map(async (name) => [name, (await stat(join(dir, 'segments', name))).size] as const));
  const { sources: [crm] } = JSON.parse(out) as { sources: { rows: number; bytes: number }[] };
  assert.deepEqual([crm!.rows, crm!.bytes], [63, sizes.filter(([name]) => !name.startsWith('000002-') || !name.endsWith('.gone')).reduce((sum, [, bytes]) => sum + bytes, 0)]);
  const [one, other] = segments.flatMap(({ gone }) => (gone === undefined ? [] : [gonePath(dir, gone.id)]));
  await rm(one!);
  await truncate(other!, 1);
  const { code, note } = await call(lake, sourcesCommand, [], {});
  assert.deepEqual([code, note], [EXIT.failed, `the source crm is damaged: ${one} is missing; ${other} has 1 bytes of 4; lds doctor says what to do\n`]);
});

test('sources tells a file that cannot be looked at from one that is missing', async () => {
  const lake = await testLake();
  await call(lake, ingestCommand, [await lake.file('a.csv', 'name,email\nAnn,ann@a.com\n')], HOW);
  const dir = lakeDir(lake.dataDir, 'contacts', 'crm');
  const { truth } = segmentFiles(dir, (await readCurrent(dir))!.segments[0]!.id);
  await rm(truth);
  await symlink(truth, truth);
  const { code, note } = await call(lake, sourcesCommand, [], {});
  assert.deepEqual([code, note], [EXIT.failed, `the source crm is damaged: ${truth} cannot be read (ELOOP); lds doctor says what to do\n`]);
});

test('sources tells which source cannot be read, and why, and lists the others', async () => {
  const lake = await testLake();
  await call(lake, ingestCommand, [await lake.file('a.csv', 'name,email\nAnn,ann@a.com\n')], HOW);
  await symlink(await lake.file('b.csv', ''), lakeDir(lake.dataDir, 'contacts', 'other'));
  const { code, out, note } = await call(lake, sourcesCommand, [], {});
  assert.deepEqual([code, note], [EXIT.failed, 'the source other cannot be read: a file stands where a folder is to be: move it away, or set LDS_DATA_DIR to another\n']);
  assert.match(out, /crm +contacts +1/);
});

test('where a file stands in the place of the data folder, each command on lakes that are there says what to do about it', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'name,email\nAnn,ann@a.com\n');
  const wrong = { ...lake, dataDir: file };
  const said = 'a file stands where a folder is to be: move it away, or set LDS_DATA_DIR to another';
  await assert.rejects(call(wrong, sourcesCommand, [], {}), { message: said });
  for (const [command, files, values] of [[compactCommand, [], { source: 'crm' }], [eraseCommand, [], { source: 'crm', ids: file }]] as const) {
    const { code, note } = await call(wrong, command, files, values);
    assert.deepEqual([code, note.includes(said)], [EXIT.failed, true], note);
  }
});

test('of a data folder that cannot be made, whatever would make it says which and why in one sentence', { skip: !existsSync('/proc/self') && 'needs /proc' }, async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'name,email\nAnn,ann@a.com\n');
  const names = await lake.file('names.txt', 'acme.com\n');
  const link = join(lake.dataDir, 'link');
  await symlink(link, link);
  for (const [path, reason] of [
    ['/proc/none', 'no folder can be made there (ENOENT)'], [join(file, 'data'), 'a file stands where a folder is to be (ENOTDIR)'], [link, 'a link leads to itself (ELOOP)'],
  ] as const) {
    const wrong = { ...lake, dataDir: path };
    const problems = [`data_dir (LDS_DATA_DIR): ${path} cannot be used: ${reason}`];
    await assert.rejects(call(wrong, ingestCommand, [file], HOW), { problems });
    await assert.rejects(call(wrong, listsCommand, ['update', names], {}), { problems });
    await assert.rejects(call(wrong, keysCommand, ['list'], {}), { problems });
    await assert.rejects(makeDemoLake({ dataDir: path, stage: () => Promise.reject(new Error('too far')), signal: new AbortController().signal }), { problems });
  }
});

test('what the system does not let an ingest do is told with what to do about it', () => {
  const told = ['EROFS', 'EDQUOT', 'EMFILE', 'EIO', 'ENOSPC', 'EACCES'].map((code) => worldly(Object.assign(new Error(`${code}: open`), { code })));
  for (const [at, advice] of [/mount it for writing/, /raise it/, /ulimit -n/, /disk/, /free some space/, /who owns/].entries()) assert.match(told[at]!, advice);
});

test('a data folder that is missing is made for its owner alone, whatever makes it', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'name,email\nAnn,ann@a.com\n');
  const names = await lake.file('names.txt', 'acme.com\n');
  const made = async (work: (dataDir: string) => Promise<unknown>): Promise<number> => {
    const dataDir = await mkdtemp(join(lake.dataDir, 'in-'));
    await work(join(dataDir, 'data'));
    return (await stat(join(dataDir, 'data'))).mode & 0o777;
  };
  const stop = new AbortController();
  const stage = (): Promise<never> => Promise.reject(new Error('far enough'));
  assert.deepEqual([
    await made((dataDir) => call({ ...lake, dataDir }, ingestCommand, [file], HOW)),
    await made((dataDir) => call({ ...lake, dataDir }, listsCommand, ['update', names], {})),
    await made((dataDir) => assert.rejects(makeDemoLake({ dataDir, stage, signal: stop.signal }), /far enough/)),
  ], [0o700, 0o700, 0o700]);
});

test('a file of ids that may not be read is told by its name, as a mistake in the command', async () => {
  const terminal = { out: () => {}, note: () => {}, interactive: false, signal: new AbortController().signal };
  const message = 'ids.txt cannot be read: permission denied';
  await assert.rejects(writing('erase', { terminal, config: () => Promise.reject(new Error('not asked')) }, () => Promise.reject(new UsageError(message))), { name: 'UsageError', message });
});

test('a command that is stopped says so, and that nothing became of it', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'name,email\nAnn,ann@a.com\n');
  const { code, note } = await call(lake, ingestCommand, [file], HOW, AbortSignal.abort(new DOMException('stopped by SIGINT', 'AbortError')));
  assert.deepEqual([code, note.split('\n').at(-2)], [EXIT.failed, 'lds ingest: stopped; what was published before stands']);
});

test('ingest --json gives a script one object, and --dry-run publishes nothing', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'name,email\nAnn,ann@a.com\n');
  const preview = await call(lake, ingestCommand, [file], { ...HOW, 'dry-run': true, json: true });
  assert.equal((JSON.parse(preview.out) as { rows: { email: string }[] }).rows[0]!.email, 'ann@a.com');
  assert.match((await call(lake, sourcesCommand, [], {})).out, /no lake source yet/);
  const summary = JSON.parse((await call(lake, ingestCommand, [file], { ...HOW, json: true })).out) as Record<string, unknown>;
  assert.deepEqual([summary.rows, summary.added, summary.mode, summary.warnings], [1, 1, 'upsert', []]);
  const latin = await lake.file('b.csv', Buffer.from('name,email\nJosé,jose@a.com\n', 'latin1'));
  const { out, note } = await call(lake, ingestCommand, [latin], { ...HOW, json: true });
  const said = (JSON.parse(out) as { warnings: string[] }).warnings;
  assert.ok(said.length === 1 && said[0]!.includes('is read as Latin-1') && note.includes(`note: ${said[0]!}`), 'what a person is told of a file, a script is too');
});

test('whoever brings changed rows without a key is told that the old ones stay, and how to name a key', async () => {
  const lake = await testLake();
  const [before, after] = [await lake.file('a.csv', 'Name,Email,Phone\nAnn,ann@a.com,+12125550123\nBob,bob@a.com,\n'), await lake.file('b.csv', 'Name,Email,Phone\nAnn,ann@a.com,+12125550124\nBob,bob@a.com,\n')];
  assert.doesNotMatch((await call(lake, ingestCommand, [before], HOW)).out, /without a key/);
  assert.match((await call(lake, ingestCommand, [after], HOW)).out, /3 contacts published.*note: rows came without a key.*--map COLUMN=id/s);
  assert.doesNotMatch((await call(lake, ingestCommand, [after], HOW)).out, /without a key/, 'where nothing is new nothing is twice');
  const keyed = { dataset: 'contacts', source: 'keyed', map: ['Email=id', 'Email=email'] };
  for (const file of [before, after]) assert.doesNotMatch((await call(lake, ingestCommand, [file], keyed)).out, /without a key/);
  const rows = await lake.rows('contacts', 'keyed');
  assert.deepEqual([rows.size, rows.get('keyed:ann@a.com')!.email, rows.get('keyed:ann@a.com')!.phone], [2, 'ann@a.com', '+12125550124']);
});

test('a wrong command line is refused before any file is read, a bad file with exit code 1', async () => {
  const lake = await testLake();
  const wrong: readonly [readonly string[], CommandInput['values'], RegExp][] = [
    [[], HOW, /name at least one file/], [['a'], { ...HOW, dataset: 'people' }, /contacts or companies/], [['a'], { ...HOW, source: 'Ü' }, /--source is to be/],
    [['a'], { ...HOW, mode: 'merge' }, /upsert, append, replace/], [['a'], { ...HOW, map: ['name'] }, /COLUMN=FIELD/], [['a'], { ...HOW, encoding: 'ebcdic' }, /utf-8, utf-16, latin-1/],
    [['a'], { ...HOW, source: 'files' }, /has files as a parquet source/],
  ];
  for (const [files, values, message] of wrong) await assert.rejects(call(lake, ingestCommand, files, values), (error) => error instanceof UsageError && message.test(error.message), message.source);
  const { code, note } = await call(lake, ingestCommand, [join(lake.dataDir, 'none.csv')], HOW);
  assert.equal(code, EXIT.failed);
  assert.match(note, /none\.csv: no such file; what was published before stands/);
});

test('progress is a bar where the extent is known, and the time where it is not', () => {
  assert.equal(lineOf('indexing', 1_000, 500, 2_000), 'indexing [############------------]  50 % 2.0 s, 250 rows/s');
  assert.equal(lineOf('reading', { fraction: () => null }, 0, 1_500), 'reading 1.5 s');
});

test('how rows are stored is told to an ingest, and a word that is none is refused', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'name,email\nAnn,ann@a.com\n');
  assert.equal((await call(lake, ingestCommand, [file], { ...HOW, rows: 'compact' })).code, EXIT.done);
  assert.equal((await readCurrent(lakeDir(lake.dataDir, 'contacts', 'crm')))!.rowForm, 'compact');
  assert.match((await call(lake, sourcesCommand, [], {})).out, /stored\n.*\ncrm .* compact/);
  const rewritten = await call(lake, compactCommand, [], { source: 'crm', rows: 'text' });
  assert.deepEqual([rewritten.code, rewritten.out], [EXIT.done, 'crm: 1 row rewritten\n']);
  assert.equal((await readCurrent(lakeDir(lake.dataDir, 'contacts', 'crm')))!.rowForm, 'text');
  await assert.rejects(call(lake, ingestCommand, [file], { ...HOW, rows: 'small' }), (error: Error) => error instanceof UsageError && /--rows takes one of: balanced, text, compact/.test(error.message));
});

test('what was not understood is said to be empty only where no other column tells it', async () => {
  const lake = await testLake();
  const file = await lake.file('a.csv', 'id,name,email,title,seniority,country\n1,Ann Lee,ann@a.com,VP Sales,Boss,Atlantis\n');
  const { out } = await call(lake, ingestCommand, [file], { ...HOW, 'dry-run': true });
  assert.match(out, /"seniority":"vp"/);
  assert.match(out, /^note: seniority was not understood in 1 row, where another column tells it or it is empty \(Boss\)$/m);
  assert.match(out, /^note: country was not understood in 1 row and left empty there \(Atlantis\)$/m);
});
