import { copyFileSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contactFiles, withDuck, type ContactFiles } from '../data/contacts.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { costsInTurn, findCost, type FindCost, type Standing } from '../support/find_cost.ts';
import { keyOf, lakeOf, MAIN, SOURCE, startService, type BenchLake } from '../support/lake.ts';
import { capture } from '../support/processes.ts';
import { ratio, type Figures, type Report } from '../support/report.ts';
import { findSearches, sampleOf } from '../support/searches.ts';
import { timed, type Timed } from '../support/timed.ts';
import { postScript } from '../support/wrk.ts';

/** Changes to a lake of before, a process each, as users run them; and what finds cost where much has changed and nothing was compacted. */
export const changesBench: Bench = {
  summary: 'small changes to a lake, and exports of which little changed: against all rows ingested anew; finds beside what was replaced',
  run,
};

const FEW = 10;
const SEARCHES_SEED = 23;
/** Rows of the files that differ from those of the lake, as a condition on their hash. */
const ONE_IN_HUNDRED = 'hash(id) % 100 = 0';
const ONE_IN_FIFTY = 'hash(id) % 50 = 0';

const CHANGED = `REPLACE ('+1 212 555 01' || lpad((hash(id) % 100)::VARCHAR, 2, '0') AS phone)`;

/** The rows of a file of changes, of the contacts as `given`. */
const FILES = {
  few: `SELECT * ${CHANGED} FROM (SELECT * FROM given ORDER BY hash(id) LIMIT ${FEW})`,
  new: `SELECT * REPLACE ('new-' || id AS id) FROM (SELECT * FROM given ORDER BY hash(id) LIMIT ${FEW})`,
  same: 'SELECT * FROM given',
  hundredth: `SELECT * REPLACE (CASE WHEN ${ONE_IN_HUNDRED} THEN '+1 212 555 0123' ELSE phone END AS phone) FROM given`,
  fiftieth: `SELECT * ${CHANGED} FROM given WHERE ${ONE_IN_FIFTY}`,
} as const;
type ChangeFiles = Readonly<Record<keyof typeof FILES | 'ids', string>>;

const WORK: Readonly<Record<string, (files: ChangeFiles) => readonly string[]>> = {
  'all anew': ({ same }) => ['ingest', same, '--dataset', 'contacts', '--mode', 'replace'],
  'upsert of 10': ({ few }) => ['ingest', few, '--dataset', 'contacts'],
  'append of 10': ({ new: fresh }) => ['ingest', fresh, '--dataset', 'contacts', '--mode', 'append'],
  'export, one in 100 changed': ({ hundredth }) => ['ingest', hundredth, '--dataset', 'contacts'],
  'export, nothing changed': ({ same }) => ['ingest', same, '--dataset', 'contacts'],
  'erasure of 10': ({ ids }) => ['erase', '--ids', ids],
};

const STATES = ['as ingested', 'one in 50 replaced'] as const;
type State = (typeof STATES)[number];

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  const contacts = await contactFiles(options);
  const lake = await lakeOf(contacts);
  const files = await changeFiles(contacts);
  const rounds = Array.from({ length: options.rounds }, () => new Map(Object.entries(WORK).map(([name, work]) => [name, change(lake, contacts.folder, work(files))])));
  const of = (name: string, read: (one: Timed) => number): number[] => rounds.map((round) => read(round.get(name)!));
  const [whole, ...small] = Object.keys(WORK) as [string, ...string[]];
  const costs = await findCosts(options, opened, contacts.folder, lake, files);
  const costOf = (state: State, read: (one: FindCost) => number): number[] => costs.map((round) => read(round.get(state)!));
  return {
    figures: [
      ...[whole, ...small].flatMap((name): Figures[] => [
        { name, unit: 's', figures: of(name, ({ seconds }) => seconds) },
        { name: `${name}, processor time`, unit: 's', figures: of(name, ({ cpuSeconds }) => cpuSeconds) },
      ]),
      ...small.map((name) => ratio(`${name} / ${whole}`, of(name, ({ seconds }) => seconds), of(whole, ({ seconds }) => seconds))),
      ...STATES.map((state): Figures => ({ name: `find, ${state}: processor time of the service`, unit: 'us/find', figures: costOf(state, ({ cpuUs }) => cpuUs) })),
      ratio('find, one in 50 replaced / as ingested, processor time', costOf('one in 50 replaced', ({ cpuUs }) => cpuUs), costOf('as ingested', ({ cpuUs }) => cpuUs)),
    ],
    notes: ['finds: pages of 25 with an exact total; what is replaced stands in a segment beside the others'],
  };
}

/** The files of changes to the contacts, made once. */
async function changeFiles({ folder, parquet }: ContactFiles): Promise<ChangeFiles> {
  const made = join(folder, 'changes');
  const path = (name: string, ending = 'parquet'): string => join(made, `${name}.${ending}`);
  const ids = path('ids', 'txt');
  if (!existsSync(ids)) {
    mkdirSync(made, { recursive: true });
    await withDuck(folder, async (connection) => {
      await connection.run(`CREATE VIEW given AS SELECT * FROM read_parquet('${parquet}')`);
      for (const [name, rows] of Object.entries(FILES)) await connection.run(`COPY (${rows}) TO '${path(name)}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`);
      await connection.run(`COPY (SELECT id FROM given ORDER BY hash(id) LIMIT ${FEW}) TO '${ids}.part' (FORMAT csv, HEADER false)`);
    });
    renameSync(`${ids}.part`, ids);
  }
  return { ...Object.fromEntries(Object.keys(FILES).map((name) => [name, path(name)])) as Record<keyof typeof FILES, string>, ids };
}

function change(lake: BenchLake, folder: string, words: readonly string[]): Timed {
  const dataDir = join(folder, 'changed');
  linkLake(lake, dataDir);
  try {
    return timed(() => lds(dataDir, words));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function lds(dataDir: string, words: readonly string[]): void {
  capture(MAIN, [...words, '--source', SOURCE, '--json'], { LDS_DATA_DIR: dataDir });
}

/** The same lake in a folder of its own: what is sealed is linked, for it is never written to. */
function linkLake({ dataDir: from }: BenchLake, to: string): void {
  rmSync(to, { recursive: true, force: true });
  for (const name of readdirSync(join(from, 'lake'), { recursive: true, encoding: 'utf8', withFileTypes: false }).sort()) {
    if (!/\/(?:CURRENT|segments\/.+|snapshots\/.+)$/.test(name)) continue;
    const path = join(to, 'lake', name);
    mkdirSync(dirname(path), { recursive: true });
    if (name.includes('/segments/')) linkSync(join(from, 'lake', name), path);
    else copyFileSync(join(from, 'lake', name), path);
  }
}

async function findCosts(options: BenchOptions, opened: Opened, folder: string, lake: BenchLake, { fiftieth }: ChangeFiles): Promise<Map<State, FindCost>[]> {
  const changed = join(folder, 'replaced');
  opened.keep(changed, (dataDir) => rmSync(dataDir, { recursive: true, force: true }));
  linkLake(lake, changed);
  lds(changed, ['ingest', fiftieth, '--dataset', 'contacts']);
  const sample = await sampleOf(lake.truth, opened.folder);
  const bodies = findSearches(sample, options.searches, SEARCHES_SEED).map((search) => JSON.stringify(search));
  const standing: Standing<State>[] = [];
  for (const [at, one] of [lake, { dataDir: changed, key: keyOf(changed) }].entries()) {
    const service = opened.keep(await startService(one), (running) => running.stop());
    const script = postScript({ folder: opened.folder, name: `changes-${at}`, bodies, headers: { authorization: `Bearer ${one.key}` }, smoke: options.smoke });
    standing.push({ state: STATES[at]!, service, script });
  }
  if (!options.smoke) for (const one of standing) findCost(one, 2);
  return Array.from({ length: options.rounds }, (_, round) => costsInTurn(standing, round, options.seconds));
}
