import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../src/config/limits.ts';
import { SETTINGS } from '../src/config/schema.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { cycle, filesIn, functionsOf, packageOf, readJson, readText, sourceFiles, target, type SourceFile } from './support/source_tree.ts';

const FILE_LINES_MAX = 320;
const FUNCTION_LINES_MAX = 65;
const LINE_CHARACTERS_MAX = 200;
const CODE_CHARACTERS_MAX = 160;

const src = sourceFiles('src');
const others = ['test', 'bench'].flatMap((folder) => (filesIn('.').some((path) => path.startsWith(`${folder}/`)) ? sourceFiles(folder) : []));
const all = [...src, ...others];

/** Fails with every offence at once, and what to do about them. */
function none(offences: readonly string[], remedy: string): void {
  assert.ok(offences.length === 0, `\n  ${offences.join('\n  ')}\n${remedy}`);
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function matches(files: readonly SourceFile[], pattern: RegExp, read: (file: SourceFile) => string): string[] {
  return files.flatMap((file) => Array.from(read(file).matchAll(pattern), (match) => `${file.path}:${lineOf(file.text, match.index)} ${match[0].trim()}`));
}

/** From the ground up. A room may import from the rows below its own, and from its own room; never from a neighbour or from above. */
const ROWS: readonly (readonly string[])[] = [
  ['lib'], ['model'], ['config'],
  ['segment', 'telemetry'], ['filter'],
  ['sources', 'store', 'encode'], ['plan'],
  ['pool/protocol'], ['worker'], ['pool'],
  ['federation'],
  ['find', 'validate', 'accounts', 'ingest'],
  ['http', 'web'],
  ['app'], ['cli'], ['main'],
];
const HIDDEN_FROM_HTTP = new Set(['plan', 'federation', 'pool', 'pool/protocol', 'worker', 'store', 'sources']);

function roomOf(path: string): string {
  if (path.startsWith('src/pool/') && path.endsWith('protocol.ts')) return 'pool/protocol';
  return path.split('/')[1]!.replace(/\.ts$/, '');
}

const rowOf = (room: string): number => ROWS.findIndex((row) => row.includes(room));

const crossings = src.flatMap((file) => file.imports.flatMap((edge) => {
  const to = target(file, edge);
  return to === null || !to.startsWith('src/') ? [] : [{ file: file.path, to, from: roomOf(file.path), into: roomOf(to) }];
}));

test('every room has its place', () => {
  none([...new Set(src.map(({ path }) => roomOf(path)))].filter((room) => rowOf(room) === -1), 'Add the room to ROWS in test/tidy.test.ts, and to the picture in the README.');
});

test('imports between rooms go down only', () => {
  none(
    crossings.filter(({ from, into }) => from !== into && rowOf(into) >= rowOf(from)).map(({ file, to }) => `${file} imports ${to}`),
    'Move what both need to a room below them, or hand it in from app.ts.');
});

test('http knows the use cases and nothing of how they are done', () => {
  none(
    crossings.filter(({ from, into }) => from === 'http' && HIDDEN_FROM_HTTP.has(into)).map(({ file, to }) => `${file} imports ${to}`),
    'Let the use case give what the handler needs.');
});

test('nothing in src imports tests or benchmarks, and no file imports itself by a detour', () => {
  none(src.flatMap((file) => file.imports.map((edge) => target(file, edge)).filter((to) => to !== null && !to.startsWith('src/'))).map(String), 'Move it into src.');
  none(cycle(src) ?? [], 'Each of these imports the next: move what the first and the last share to a file of its own.');
});

/** The table of docs/dependencies.md: package, version, licence, doors. */
const documented = new Map(Array.from(readText('docs/dependencies.md').matchAll(/^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|/gm), ([, name, version, , doors]) =>
  [name!, { version: version!.trim(), doors: Array.from(doors!.matchAll(/`([^`]+)`/g), ([, door]) => door!) }] as const));
const manifest = readJson('package.json') as { dependencies: Record<string, string>; devDependencies: Record<string, string>; allowScripts: Record<string, boolean> };
const declared = { ...manifest.dependencies, ...manifest.devDependencies };

test('each package comes in by its own door', () => {
  const wrong = all.flatMap((file) => file.imports.flatMap((edge) => {
    const name = packageOf(edge);
    const doors = name === null ? [] : ['test/', 'bench/', ...(documented.get(name)?.doors ?? [])];
    return name === null || doors.some((door) => (door.endsWith('/') ? file.path.startsWith(door) : file.path === door)) ? [] : [`${file.path} imports ${name}`];
  }));
  none(wrong, 'Go through the file that docs/dependencies.md names as its door, or name another one there with the reason.');
});

test('every dependency is exact, documented with its version, and imported from where the document says', () => {
  none(Object.entries(declared).filter(([, version]) => !/^(?:npm:[\w-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)).map(([name]) => name), 'Give an exact version in package.json.');
  none(
    Object.entries(declared).filter(([name, version]) => documented.get(name)?.version !== version).map(([name, version]) => `${name} ${version}`),
    'Bring its row in docs/dependencies.md up to date.',
  );
  none([...documented.keys()].filter((name) => declared[name] === undefined), 'Take its row out of docs/dependencies.md.');
  const imported = new Set(all.flatMap((file) => file.imports.map(packageOf)));
  none([...imported].filter((name) => name !== null && declared[name] === undefined).map(String), 'Declare it in package.json.');
  // What is loaded by its path or in a process of its own is named there.
  const names = (name: string, door: string): boolean => all.some(({ path, text }) => (door.endsWith('/') ? path.startsWith(door) : path === door) && text.includes(name));
  const idle = [...documented].flatMap(([name, { doors }]) => doors.filter((door) => !names(name, door)).map((door) => `${name} does not come in by ${door}`));
  none(idle, 'Take the door out of its row in docs/dependencies.md.');
  const tools = /^(?:typescript|oxlint|@types\/.*)$/;
  none(Object.keys(declared).filter((name) => !tools.test(name) && !all.some(({ text }) => text.includes(name))), 'Take it out of package.json.');
});

test('the lock file names no download address, every package that can be installed here has its hash, and those for other platforms are named, too', () => {
  type Locked = {
    resolved?: string; integrity?: string; hasInstallScript?: boolean; optional?: boolean;
    os?: string[]; cpu?: string[]; libc?: string[]; optionalDependencies?: Record<string, string>;
  };
  const { packages } = readJson('package-lock.json') as { packages: Record<string, Locked> };
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  none(entries.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path), 'Run npm with --omit-lockfile-registry-resolved.');
  const elsewhere = ({ optional, os, cpu, libc }: Locked): boolean => optional === true && os !== undefined && !(os.includes('linux') && cpu!.includes('x64') && !(libc ?? []).includes('musl'));
  none(entries.filter(([, entry]) => entry.integrity === undefined && !elsewhere(entry)).map(([path]) => path), 'Install it from the registry again.');
  const unnamed = entries.flatMap(([, { optionalDependencies = {} }]) => Object.keys(optionalDependencies)).filter((name) => packages[`node_modules/${name}`] === undefined);
  none(unnamed, 'Name it in the lock file as docs/dependencies.md says, or `npm ci` refuses.');
  const scripted = entries.filter(([, entry]) => entry.hasInstallScript === true).map(([path]) => path.split('node_modules/').at(-1)!);
  none(scripted.filter((name) => manifest.allowScripts[name] === undefined), 'Decide in allowScripts of package.json whether its install script may run, and say why in docs/dependencies.md.');
});

test('every bound stands once, bounds something, and is read from the one object of all', () => {
  const parts = src.filter(({ path }) => /^src\/config\/\w+_limits\.ts$/.test(path));
  const names = parts.flatMap(({ text }) => Array.from(text.matchAll(/^ {2}(\w+): /gm), ([, name]) => name!));
  none(names.filter((name, at) => names.indexOf(name) !== at), 'Give each bound one place, or the two a name each.');
  none(Object.keys(LIMITS).filter((name) => !names.includes(name)), 'Move it into the part of its room.');
  const readers = src.filter(({ path }) => !parts.some((part) => part.path === path) && path !== 'src/config/limits.ts');
  const read = new Set(readers.flatMap(({ text }) => text.match(/\w+/g) ?? []));
  none(names.filter((name) => !read.has(name)), 'Nothing is bounded by it: take it out.');
  none(readers.flatMap((file) => file.imports.filter(({ from }) => from.endsWith('_limits.ts')).map(({ from }) => `${file.path} imports ${from}`)), 'Import LIMITS.');
});

test('files and functions are short', () => {
  none(all.filter(({ text }) => text.split('\n').length > FILE_LINES_MAX).map(({ path }) => path), `Split it: no file is over ${FILE_LINES_MAX} lines.`);
  none(
    src.flatMap((file) => functionsOf(file).filter(({ lines }) => lines > FUNCTION_LINES_MAX).map(({ line, lines }) => `${file.path}:${line} has ${lines} lines`)),
    `Split it: no function is over ${FUNCTION_LINES_MAX} lines.`);
});

test('a line of code, its texts and patterns aside, can be read at a glance', () => {
  const long = ({ path, text, code }: SourceFile): string[] => {
    const codes = code.split('\n');
    return text.split('\n').flatMap((line, at) =>
      (line.length > LINE_CHARACTERS_MAX && codes[at]!.replace(/\s+/g, ' ').length > CODE_CHARACTERS_MAX ? [`${path}:${at + 1}`] : []));
  };
  none(all.flatMap(long), `Break it where a reader rests: no line has over ${LINE_CHARACTERS_MAX} characters, ${CODE_CHARACTERS_MAX} of them code.`);
});

test('the compiler and the linter refuse what the house does not want', () => {
  const { compilerOptions } = readJson('tsconfig.json') as { compilerOptions: Record<string, unknown> };
  for (const option of ['strict', 'erasableSyntaxOnly', 'verbatimModuleSyntax', 'noUnusedLocals', 'noUnusedParameters']) assert.equal(compilerOptions[option], true, option);
  const { rules } = readJson('.oxlintrc.json') as { rules: Record<string, unknown> };
  for (const rule of ['typescript/no-explicit-any', 'import/no-default-export', 'import/no-cycle']) assert.equal(rules[rule], 'error', rule);
  none(matches(all, /@ts-(?:ignore|nocheck|expect-error)|(?:oxlint|eslint)-disable\S*/g, ({ text }) => text.replace(/\/@ts-.*/g, '')), 'Mend what it hides.');
});

test('nothing is left to do, and nothing is exported twice', () => {
  none(matches(all, /\/\/.*\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b.*/g, ({ text }) => text), 'Do it, or take it out.');
  none(matches(src, /^export (?:\*|\{[^}]*\} from).*/gm, ({ code }) => code), 'Import from the file that has it.');
  none(matches(src, /\bclass \w*(?:Manager|Helper|Utils?|Service)\b/g, ({ code }) => code), 'Name it by what it is.');
  none(src.map(({ path }) => path).filter((path) => /manager|helper|utils|service|common|misc/i.test(path)), 'Name it by what it holds.');
});

test('what a file exports, another imports', () => {
  const edges = all.flatMap((file) => file.imports.map((edge) => ({ to: target(file, edge), names: edge.names })));
  const whole = new Set(edges.filter(({ names }) => names === null).map(({ to }) => to));
  const taken = new Set(edges.flatMap(({ to, names }) => names?.map((name) => `${to} ${name}`) ?? []));
  // What a thread begins with is named where the thread is begun.
  const isNamed = (name: string): boolean => all.some(({ text }) => text.includes(`name: '${name}'`));
  const exported = all.filter(({ path }) => !whole.has(path)).flatMap(({ path, code }) =>
    Array.from(code.matchAll(/^export (?:async )?(?:function\*?|const|(?:abstract )?class|type|interface) (\w+)/gm), ([, name]) => ({ path, name: name! })));
  assert.ok(exported.length > 1_000, `${exported.length} exports`);
  none(exported.filter(({ path, name }) => !taken.has(`${path} ${name}`) && !isNamed(name)).map(({ path, name }) => `${path} exports ${name}`), 'Keep it in its file.');
});

test('only main ends the process, and a thread that is done itself', () => {
  none(matches(src.filter(({ path }) => path !== 'src/main.ts' && path !== 'src/lib/end_thread.ts'), /process\.(?:exit|abort|reallyExit)\b(?!Code)/g, ({ code }) => code), 'Throw, or return an exit code.');
});

test('a thread that comes to its end ends itself, for Node may wait for ever in its place', () => {
  const bodies = src.filter(({ code }) => /\bimport \{[^}]*\bworkerData\b/.test(code));
  assert.ok(bodies.length > 0);
  none(bodies.filter(({ code }) => !/\bendThread\(\);/.test(code)).map(({ path }) => path), 'Use src/lib/end_thread.ts, which tells why.');
});

test('no deadline is joined to another signal in a way that Node 20 forgets', () => {
  none(matches(src, /AbortSignal\.any\([^;]*AbortSignal\.timeout/g, ({ code }) => code), 'Use src/lib/under_deadline.ts, which tells why.');
});

test('the rooms that decide look at no clock, no chance and no surroundings', () => {
  const pure = src.filter(({ path }) => ['model', 'filter', 'plan'].includes(roomOf(path)));
  none(
    matches(pure, /\b(?:Date\.now\(|new Date\(\)|Math\.random\(|performance\.|process\.|setTimeout\(|setInterval\(|fetch\()/g, ({ code }) => code),
    'Hand it in as an argument.');
  none(pure.flatMap((file) => file.imports.filter(({ from }) => /^node:(?:fs|net|http|https|dns|child_process|worker_threads|timers)/.test(from)).map(({ from }) => `${file.path} imports ${from}`)), 'Reading and writing belong to a room that does.');
});

test('the project names no machine, no account and no registry', () => {
  const texts = filesIn('.').filter((path) => /\.(?:ts|json|md|yaml|yml|html|css|js|sh|txt)$|^\.ci\//.test(path));
  const homes = /(?<![\w.~-])\/(?:home|root|Users|work)\/\w+/g;
  const registries = /\bregistry\.(?:npmjs|yarnpkg)\.\w+/g;
  const found = texts.flatMap((path) => {
    const text = readText(path);
    return [homes, registries].flatMap((pattern) => Array.from(text.matchAll(pattern), (match) => `${path}:${lineOf(text, match.index)} ${match[0]}`));
  });
  none(found, 'Say it without.');
});

test('every setting, command and bound is told where an operator looks for it', () => {
  const operations = readText('docs/operations.md');
  const names = Object.entries(SETTINGS).flatMap(([key, { env }]) => [key, ...(env === null ? [] : [env])]);
  none(names.filter((name) => !operations.includes(`\`${name}\``)), 'Tell about it in docs/operations.md.');
  none(COMMANDS.filter(({ name }) => !operations.includes(`\`lds ${name}`)).map(({ name }) => name), 'Tell about it in docs/operations.md.');
});

test('the rules see what they are to see', () => {
  assert.ok(src.length > 50 && crossings.length > 100, `${src.length} files, ${crossings.length} crossings`);
  const spans = src.flatMap(functionsOf).map(({ lines }) => lines);
  assert.ok(spans.length > src.length && Math.max(...spans) > 20, `${spans.length} functions, the longest of ${Math.max(...spans)} lines`);
});
