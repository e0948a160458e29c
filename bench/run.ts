import { parseArgs } from 'node:util';
import { contactFiles, DEFAULT_SEED } from './data/contacts.ts';
import { changesBench } from './macro/changes.ts';
import { deadlineBench } from './macro/deadline.ts';
import { diskBench } from './macro/disk.ts';
import { enumerationBench } from './macro/enumeration.ts';
import { facetsBench } from './macro/facets.ts';
import { findBench } from './macro/find.ts';
import { growthBench } from './macro/growth.ts';
import { hedgingBench } from './macro/hedging.ts';
import { ingestBench } from './macro/ingest.ts';
import { isolationBench } from './macro/isolation.ts';
import { largerBench } from './macro/larger.ts';
import { memoryBench } from './macro/memory.ts';
import { scaleoutBench } from './macro/scaleout.ts';
import { sourcesBench } from './macro/sources.ts';
import { startBench } from './macro/start.ts';
import { streamBench } from './macro/stream.ts';
import { suppressionBench } from './macro/suppression.ts';
import { wordsBench } from './macro/words.ts';
import { withOpened, type Bench, type BenchOptions } from './support/bench.ts';
import { asJson, asTable } from './support/report.ts';

const MACRO: Readonly<Record<string, Bench>> = {
  find: findBench, words: wordsBench, stream: streamBench, facets: facetsBench, sources: sourcesBench,
  ingest: ingestBench, changes: changesBench, start: startBench, memory: memoryBench, larger: largerBench, disk: diskBench, growth: growthBench,
  deadline: deadlineBench, isolation: isolationBench, hedging: hedgingBench, suppression: suppressionBench, enumeration: enumerationBench,
  scaleout: scaleoutBench,
};

const TOLD_EVERY_MS = 5_000;

const HELP = `npm run bench -- NAME... [options]

  differential  the lake against a plain loop and DuckDB, search by search: no figures, no difference
  simulation    the search over sources that go wrong, under a clock of its own: no figures, no row lost or missing in silence
  data          make the contacts that the others read, and say where they lie
  stages        what each stage of a find, a whole one, an admission, and a text of an ingest costs one thread
  email         email validation beside its peers: accuracy, speed, batches
${Object.entries(MACRO).map(([name, { summary }]) => `  ${name.padEnd(13)} ${summary}`).join('\n')}

  --rows N      contacts, 1000000 by default (20000 with --smoke)
  --seed S      of the contacts, or the first world of simulation, ${DEFAULT_SEED} by default
  --rounds N    turns that the contenders take, 5 by default (1 with --smoke)
  --seconds N   of one load in one turn, 5 by default (1 with --smoke)
  --searches N  different searches, 200000 by default (500 with --smoke); of differential 5000, over 20000 rows;
                of simulation: calls that met a fault, 100000
  --from N      of differential: the first search, to replay one that differs
  --alone       of find: without DuckDB, SQLite and ClickHouse, whose tables would take the memory in which the lake's files lie
  --smoke       small and short: shows that a bench works, its figures mean nothing
  --json        one JSON object a bench on stdout instead of a table

Data, lakes and peers' tables are kept in LDS_BENCH_DIR (by default a folder of the folder for temporary files): 10 million contacts take
about 50 GB there. Needs wrk and curl; find and stream need the native HTTP server, and where it does not load the others need LDS_HTTP=node;
scaleout needs the servers of the tests; the peer ClickHouse needs the package chdb; the peers of email are looked for below the folder
that LDS_BENCH_PEERS names, and its batches need BIND.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string' }, seed: { type: 'string' }, rounds: { type: 'string' }, seconds: { type: 'string' }, searches: { type: 'string' }, from: { type: 'string' },
    alone: { type: 'boolean', default: false }, smoke: { type: 'boolean', default: false }, json: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h' },
  },
});

const { smoke } = values;
const unknown = positionals.filter((name) => !['data', 'stages', 'email', 'differential', 'simulation', ...Object.keys(MACRO)].includes(name));
if (values.help === true || positionals.length === 0 || unknown.length > 0) {
  console.log(HELP);
  process.exitCode = values.help === true ? 0 : 2;
} else {
  for (const name of positionals) await runOne(name, optionsOf());
}

function wholeNumber(given: string | undefined, usual: number, least = 1): number {
  const value = given === undefined ? usual : Number(given);
  if (!Number.isSafeInteger(value) || value < least) throw new Error(`not a whole number from ${least} on: ${given}`);
  return value;
}

function optionsOf(): BenchOptions {
  const number = (given: string | undefined, usual: number, small: number): number => wholeNumber(given, smoke ? small : usual);
  return {
    smoke, alone: values.alone, rows: number(values.rows, 1_000_000, 20_000), seed: number(values.seed, DEFAULT_SEED, DEFAULT_SEED),
    rounds: number(values.rounds, 5, 1), seconds: number(values.seconds, 5, 1), searches: number(values.searches, 200_000, 500),
  };
}

async function differential(): Promise<void> {
  const { compareLake } = await import('../test/differential/differential.ts');
  const order = { rows: wholeNumber(values.rows, 20_000), seed: wholeNumber(values.seed, DEFAULT_SEED), searches: wholeNumber(values.searches, 5_000), from: wholeNumber(values.from, 0, 0) };
  console.log(JSON.stringify({ ...order, compared: await compareLake(order) }));
}

/** Says on stderr how far it is. */
async function simulation(): Promise<void> {
  const { simulateCalls } = await import('../test/simulation/simulate.ts');
  const calls = wholeNumber(values.searches, 100_000);
  const begunMs = performance.now();
  const seconds = (): number => Math.round((performance.now() - begunMs) / 1_000);
  let toldMs = begunMs;
  const done = await simulateCalls(wholeNumber(values.seed, DEFAULT_SEED), calls, ({ faulted, worlds }) => {
    if (performance.now() - toldMs < TOLD_EVERY_MS) return;
    toldMs = performance.now();
    console.error(`${faulted.toLocaleString('en')} of ${calls.toLocaleString('en')} calls that met a fault, ${worlds.toLocaleString('en')} worlds, ${seconds()} s`);
  });
  console.log(JSON.stringify({ ...done, seconds: seconds() }));
}

/** What runs code of the service in this process is loaded for itself alone: it is most of the service. */
async function runOne(name: string, options: BenchOptions): Promise<void> {
  if (name === 'stages') {
    await (await import('./micro/find_stages.ts')).findStages(smoke);
    await (await import('./micro/gateway.ts')).wholeRequest(smoke);
    await (await import('./micro/shared_caps.ts')).admissions(smoke);
    (await import('./micro/texts_draft.ts')).textsDrafts(smoke);
  } else if (name === 'email') await (await import('./email/email.ts')).email(smoke);
  else if (name === 'differential') await differential();
  else if (name === 'simulation') await simulation();
  else if (name === 'data') console.log(JSON.stringify(await contactFiles(options)));
  else {
    const { rows, seed, rounds } = options;
    const report = { bench: name, rows, seed, rounds, ...await withOpened((opened) => MACRO[name]!.run(options, opened)) };
    console.log(values.json ? asJson(report) : asTable(report));
  }
}
