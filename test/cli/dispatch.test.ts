import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError, type Command, type Terminal } from '../../src/cli/command.ts';
import { COMMANDS, type CommandEntry } from '../../src/cli/commands.ts';
import { dispatch } from '../../src/cli/dispatch.ts';
import { ConfigError } from '../../src/config/config_error.ts';
import { loadConfig } from '../../src/config/load.ts';
import { AppError } from '../../src/model/errors.ts';
import { isInNodeRange, NODE_RANGE, VERSION } from '../../src/config/version.ts';

type Run = { code: number | null; out: string; notes: string; loaded: number };

async function lds(argv: readonly string[], run: Command['run'] = async () => 0, nodeVersion = process.versions.node): Promise<Run> {
  const result: Run = { code: -1, out: '', notes: '', loaded: 0 };
  const terminal: Terminal = {
    out: (text) => { result.out += text; },
    note: (text) => { result.notes += text; },
    interactive: false,
    signal: new AbortController().signal,
  };
  const command: Command = {
    help: 'Usage:\n  lds ingest FILE...\n\nLoads files.\n', options: { source: { type: 'string' }, json: { type: 'boolean' } }, run,
  };
  const commands: CommandEntry[] = [{ name: 'ingest', summary: 'load files', load: async () => { result.loaded += 1; return command; } }];
  result.code = await dispatch(argv, { commands, terminal, nodeVersion, config: async () => loadConfig({}, () => '') });
  return result;
}

test('lds alone, and with --help, lists the commands without loading any', async () => {
  for (const argv of [[], ['--help'], ['-h'], ['help']]) {
    const { code, out, loaded } = await lds(argv);
    assert.deepEqual([code, loaded], [0, 0]);
    assert.match(out, /ingest {2}load files/);
  }
});

test('--version prints the version alone', async () => {
  assert.deepEqual(await lds(['--version']), { code: 0, out: `${VERSION}\n`, notes: '', loaded: 0 });
});

test('on a Node that lacks what is used a command is not loaded, and says which is needed', async () => {
  for (const version of ['18.20.8', '20.18.0', '21.7.3', '22.1.0']) {
    const notes = `lds ingest: This is Node ${version}, and ${NODE_RANGE} is needed.\n`;
    assert.deepEqual(await lds(['ingest'], () => assert.fail('ran'), version), { code: 1, out: '', notes, loaded: 0 });
  }
  for (const version of ['20.18.1', '20.20.2', '22.2.0', '22.23.3', '24.0.0', '27.0.0-nightly20261101']) assert.equal(isInNodeRange(version), true, version);
});

test('--help of a command prints its help whatever else stands there', async () => {
  for (const argv of [['ingest', '--help'], ['ingest', '--nonsense', 'x', '-h']]) {
    const { code, out } = await lds(argv, () => assert.fail('ran'));
    assert.deepEqual([code, out], [0, 'Usage:\n  lds ingest FILE...\n\nLoads files.\n']);
  }
});

test('help COMMAND prints the help of that command', async () => {
  const { code, out } = await lds(['help', 'ingest'], () => assert.fail('ran'));
  assert.deepEqual([code, out], [0, 'Usage:\n  lds ingest FILE...\n\nLoads files.\n']);
  assert.equal((await lds(['help', 'ingets'])).code, 2);
});

test('an unknown command exits with 2 and suggests the nearest', async () => {
  assert.deepEqual(await lds(['ingets']), { code: 2, out: '', notes: 'lds: There is no command ingets. Did you mean ingest?\nTry lds --help.\n', loaded: 0 });
  assert.equal((await lds(['--verbose'])).code, 2);
  assert.match((await lds(['hlep'])).notes, /no command hlep\. Did you mean help\?/);
  assert.match((await lds(['version'])).notes, /no command version\. Did you mean --version\?/);
});

test('an unknown option exits with 2, suggests the nearest, and shows the usage', async () => {
  const { code, notes } = await lds(['ingest', '--sorce', 'crm'], () => assert.fail('ran'));
  assert.deepEqual([code, notes], [2, 'lds ingest: There is no option --sorce. Did you mean --source?\nUsage:\n  lds ingest FILE...\nTry lds ingest --help.\n']);
  assert.match((await lds(['ingest', '--helpp'])).notes, /no option --helpp\. Did you mean --help\?/);
  assert.match((await lds(['--hepl'])).notes, /no option --hepl\. Did you mean --help\?/);
  assert.match((await lds(['--verison'])).notes, /no option --verison\. Did you mean --version\?/);
});

test('an option without its value exits with 2', async () => {
  assert.equal((await lds(['ingest', '--source'], () => assert.fail('ran'))).code, 2);
  assert.equal((await lds(['ingest', '--json=1'], () => assert.fail('ran'))).code, 2);
});

test('an option that takes one value is not given twice: nobody learns which of them counts', async () => {
  const { code, notes } = await lds(['ingest', '--source', 'crm', '--source=web'], () => assert.fail('ran'));
  assert.deepEqual([code, notes.split('\n')[0]], [2, 'lds ingest: --source is given more than once, and takes one value.']);
  assert.equal((await lds(['ingest', '--json', '--json', '--', '--source', '--source'])).code, 0);
});

test('a command gets its options, its files and what stands after --', async () => {
  const { code } = await lds(['ingest', 'a.csv', '--source', 'crm', '--', '--help'], async ({ values, files }) => {
    assert.deepEqual([values['source'], files], ['crm', ['a.csv', '--help']]);
    return 7;
  });
  assert.equal(code, 7);
});

test('a mistake that only the command sees exits with 2 and shows the usage', async () => {
  const { code, notes } = await lds(['ingest'], async () => { throw new UsageError('a FILE is needed'); });
  assert.deepEqual([code, notes.split('\n')[0], notes.includes('lds ingest FILE...')], [2, 'lds ingest: a FILE is needed', true]);
});

test('a bad configuration exits with 2 and tells every problem', async () => {
  const { code, notes } = await lds(['ingest'], async () => { throw new ConfigError(['LDS_PORT: no', 'host: no']); });
  assert.deepEqual([code, notes], [2, 'lds ingest: The configuration is not right:\n  LDS_PORT: no\n  host: no\n']);
});

test('any other failure exits with 1 and one line', async () => {
  const { code, notes } = await lds(['ingest'], async () => { throw new Error('the disk is full'); });
  assert.deepEqual([code, notes], [1, 'lds ingest: the disk is full\n']);
});

test('a thread that the system does not start is told with what to do', async () => {
  const { code, notes } = await lds(['ingest'], async () => { throw new Error('EAGAIN'); });
  assert.deepEqual([code, /no more threads \(EAGAIN\): raise .*ulimit -u/.test(notes)], [1, true]);
});

test('a store that cannot be used is told in one line with what lies behind it', async () => {
  const behind = new Error('database disk image is malformed');
  const { code, notes } = await lds(['ingest'], async () => { throw new AppError('store_unavailable', 'The account store cannot be used.', { cause: behind }); });
  assert.deepEqual([code, notes], [1, 'lds ingest: The account store cannot be used. It says: database disk image is malformed.\n']);
});

for (const entry of COMMANDS) {
  test(`the help of ${entry.name} begins with its usage, names its options, and tells exit codes, variables and an example`, async () => {
    const command = await entry.load();
    assert.match(command.help.trim(), new RegExp(`^Usage:\\s+lds ${entry.name}\\b`));
    for (const option of Object.keys(command.options)) assert.ok(command.help.includes(`--${option}`), `--${option} is not in the help`);
    for (const fact of [/^Examples?:\n {2}.*\blds /m, /\bexits with 0\b/i, /\bLDS_[A-Z]/]) assert.match(command.help, fact);
    if (command.help.includes('LDS_DATA_DIR') && entry.name !== 'doctor') assert.match(command.help, /\b2 (?:for|under)\b[^.]*\bconfiguration\b/);
    assert.ok(command.help.split('\n').every((line) => line.length <= 140));
  });
}

for (const entry of COMMANDS.filter(({ name }) => ['serve', 'sources', 'doctor', 'compact', 'erase', 'keys', 'invites'].includes(name))) {
  test(`${entry.name} refuses a word that means nothing to it`, async () => {
    const { options, run } = await entry.load();
    const command: Command = { help: '', options, run };
    const notes: string[] = [];
    const terminal: Terminal = { out: () => assert.fail('went on'), note: (text) => { notes.push(text); }, interactive: false, signal: new AbortController().signal };
    const commands: CommandEntry[] = [{ ...entry, load: async () => command }];
    assert.equal(await dispatch([entry.name, '9090'], { commands, terminal, config: async () => assert.fail('went on') }), 2, notes.join(''));
  });
}
