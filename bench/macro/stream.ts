import { contactFiles } from '../data/contacts.ts';
import { openSession } from '../peers/clickhouse.ts';
import { withDuck } from '../data/contacts.ts';
import type { Bench, BenchOptions, Opened } from '../support/bench.ts';
import { download, type Download } from '../support/curl.ts';
import { lakeOf, startService, SOURCE } from '../support/lake.ts';
import { assertNativeServer } from '../support/native_server.ts';
import { ratio, type Figures, type Report } from '../support/report.ts';
import { firstRowMs, grownBytes } from '../support/slow_reader.ts';
import { startServer } from '../support/targets.ts';
import { FIELDS } from '../../src/model/field.ts';

const ALL_FIELDS = { type: 'contacts', filters: { country: ['US'], has_email: ['true'] } };
const SEARCH = JSON.stringify(ALL_FIELDS);
const SOME_FIELDS = JSON.stringify({ ...ALL_FIELDS, fields: ['full_name', 'email', 'company_name', 'job_title'] });
const PIECE_BYTES = 1_048_576;
const FIRST_ROWS = 20;
const SLOW = { seconds: 10, bytesPerSecond: 4 * 1_048_576 };
const MIB = 1_048_576;

/** A long answer as lines. */
export const streamBench: Bench = {
  summary: 'all contacts of the US with an email address as NDJSON: against bare uWS streaming a constant, DuckDB COPY to JSON, ClickHouse JSONEachRow',
  run,
};

async function run(options: BenchOptions, opened: Opened): Promise<Report> {
  assertNativeServer('stream');
  const files = await contactFiles(options);
  const lake = await lakeOf(files);
  const service = opened.keep(await startService(lake), (one) => one.stop());
  const headers = { authorization: `Bearer ${lake.key}`, accept: 'application/x-ndjson' };
  const asking = (search: string): string[] => ['-H', `authorization: ${headers.authorization}`, '-H', `accept: ${headers.accept}`, '--data-binary', search];
  const post = asking(SEARCH);
  const { bytes } = download(service.find, service.pid, post);
  const bare = opened.keep(await startServer('bare_stream', [String(bytes), String(PIECE_BYTES)]), (one) => one.stop());

  const rounds: Round[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    rounds.push({
      ours: download(service.find, service.pid, post),
      cut: download(service.find, service.pid, asking(SOME_FIELDS)),
      bare: download(bare.find, bare.pid),
      duckdb: await duckdbBytesPerSecond(lake.truth, files.folder, bytes),
      clickhouse: await clickhouseBytesPerSecond(lake.truth, `${opened.folder}/clickhouse-${round}`, bytes),
      firstRowMs: await medianFirstRow(service.find, headers, options.smoke ? 3 : FIRST_ROWS),
    });
  }
  const slow = options.smoke ? { ...SLOW, seconds: 1 } : SLOW;
  const grown = await grownBytes(service.find, headers, SEARCH, { ...slow, pid: service.pid });
  return {
    figures: figuresOf(rounds, grown),
    notes: [`${(bytes / MIB).toFixed(0)} MiB; the engines write to nowhere what they make of their own files, on all cores; a slow reader takes ${SLOW.bytesPerSecond / MIB} MiB/s for ${slow.seconds} s`],
  };
}

type Round = { readonly ours: Download; readonly cut: Download; readonly bare: Download; readonly duckdb: number; readonly clickhouse: number; readonly firstRowMs: number };

function figuresOf(rounds: readonly Round[], grown: number): Figures[] {
  const of = (read: (round: Round) => number): number[] => rounds.map(read);
  const ours = of((round) => round.ours.bytesPerSecond);
  const figure = (name: string, unit: string, figures: number[]): Figures => ({ name, unit, figures });
  return [
    figure('lake', 'MiB/s', ours.map((speed) => speed / MIB)),
    figure('bare uWS', 'MiB/s', of((round) => round.bare.bytesPerSecond / MIB)),
    ratio('lake / bare uWS', ours, of((round) => round.bare.bytesPerSecond)),
    ratio('lake / DuckDB', ours, of((round) => round.duckdb)),
    ratio('lake / ClickHouse', ours, of((round) => round.clickhouse)),
    ratio('lake, six of 25 fields: time / whole rows', of((round) => round.cut.seconds), of((round) => round.ours.seconds)),
    ratio('lake, six of 25 fields: processor time / whole rows', of((round) => round.cut.cpuSeconds), of((round) => round.ours.cpuSeconds)),
    figure('lake: processor time of server and curl', 's/GiB', of(({ ours: one }) => (one.cpuSeconds * 1_024 * MIB) / one.bytes)),
    figure('bare uWS: processor time of server and curl', 's/GiB', of(({ bare }) => (bare.cpuSeconds * 1_024 * MIB) / bare.bytes)),
    figure('lake: first row after', 'ms', of((round) => round.firstRowMs)),
    figure('lake: memory grown by a slow reader', 'MiB', [grown / MIB]),
  ];
}

const COLUMNS = FIELDS.contacts.map(({ name }) => (name === 'source' ? `'${SOURCE}' AS source` : name === 'sources' ? `['${SOURCE}'] AS sources` : name)).join(', ');
const WHERE = "country = 'US' AND email IS NOT NULL";

/** The bytes are those of our own rows: the engines' differ by blanks alone. */
function duckdbBytesPerSecond(truth: string, folder: string, bytes: number): Promise<number> {
  return withDuck(folder, async (connection) => {
    await connection.run(`CREATE TABLE contacts AS SELECT ${COLUMNS} FROM read_parquet('${truth}') WHERE ${WHERE}`);
    const from = performance.now();
    await connection.run(`COPY contacts TO '/dev/null' (FORMAT json)`);
    return (bytes * 1_000) / (performance.now() - from);
  });
}

async function clickhouseBytesPerSecond(truth: string, folder: string, bytes: number): Promise<number> {
  const session = await openSession(folder);
  try {
    session.query('CREATE DATABASE bench ENGINE = Atomic');
    session.query(`CREATE TABLE bench.contacts ENGINE = MergeTree ORDER BY tuple() AS SELECT ${COLUMNS} FROM file('${truth}', Parquet) WHERE ${WHERE}`);
    const from = performance.now();
    session.query("SELECT * FROM bench.contacts INTO OUTFILE '/dev/null' APPEND FORMAT JSONEachRow");
    return (bytes * 1_000) / (performance.now() - from);
  } finally {
    session.close();
  }
}

async function medianFirstRow(url: string, headers: Readonly<Record<string, string>>, times: number): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < times; time += 1) took.push(await firstRowMs(url, headers, SEARCH));
  return took.sort((a, b) => a - b)[Math.floor(times / 2)]!;
}
