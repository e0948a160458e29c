import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contactsParquet } from '../../bench/data/contacts.ts';
import { MAIN, SOURCE, startService, type Service } from '../../bench/support/lake.ts';
import { capture } from '../../bench/support/processes.ts';
import type { Row } from '../../src/model/field.ts';
import { lakeDir } from '../../src/sources/lake/paths.ts';
import { corpusOf } from '../fuzz/corpus.ts';
import { ingestBitByBit, livingTruth } from './changed.ts';
import { Truth } from './truth.ts';

/** A running service over a lake, all of its rows as it serves them, and the Parquet they were made of. */
export type World = {
  readonly service: Service; readonly rows: readonly Row[]; readonly truth: Truth;
  /** The lines that are rows of a stream, segment by segment as pages have them: a stream brings those of each in their order, and of several as they are found. */
  linesOf(text: string): string[];
  close(): Promise<void>;
};

/** One row in so many is of odd texts rather than of ordinary ones. */
const ODD_ONE_IN = 4;
/** By the seed: all rows are ingested at once, as users do first, or bit by bit, so that one in so many leaves one behind that is gone: few, or many. */
const OUTDATED_ONE_IN = [0, 40, 4];

export async function openWorld(rows: number, seed: number): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'lds-differential-'));
  let service: Service | null = null;
  try {
    const odd = Math.floor(rows / ODD_ONE_IN);
    const ordinary = join(folder, 'ordinary.parquet');
    await contactsParquet({ rows: rows - odd, seed }, ordinary);
    const others = oddRows(seed, odd).map(withoutSource);
    const dataDir = join(folder, 'data');
    const env = { LDS_DATA_DIR: dataDir };
    const outdatedOneIn = OUTDATED_ONE_IN[seed % OUTDATED_ONE_IN.length]!;
    if (outdatedOneIn === 0) ingestAtOnce([ordinary, ndjsonOf(others, folder)], env);
    else await ingestBitByBit({ parquet: ordinary, others, folder }, { dataDir, source: SOURCE, outdatedOneIn });
    const key = capture(MAIN, ['keys', 'create', '--account', 'tests@localhost', '--plan', 'unlimited'], env);
    const running = service = await startService({ dataDir, key });
    const truth = await Truth.open(await livingTruth(lakeDir(dataDir, 'contacts', SOURCE)), folder);
    const close = async (): Promise<void> => {
      truth.close();
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    };
    const linesOf = (text: string): string[] => truth.inParts(rowLines(text));
    return { service, rows: await allRows(service, linesOf), truth, linesOf, close };
  } catch (error) {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A corpus has at most so many rows, and of some seeds none: as many of them as it takes. */
function oddRows(seed: number, count: number): Row[] {
  const rows: Row[] = [];
  for (let more = 0; rows.length < count; more += 1) rows.push(...corpusOf('contacts', seed + more * 1_000_003, count - rows.length));
  return rows.map((row, at) => ({ ...row, id: `${String(row.id)}-${at}` }));
}

function withoutSource({ source: _source, sources: _sources, ...row }: Row): Row {
  return row;
}

function ndjsonOf(rows: readonly Row[], folder: string): string {
  const path = join(folder, 'odd.ndjson');
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  return path;
}

function ingestAtOnce(files: readonly string[], env: Readonly<Record<string, string>>): void {
  capture(MAIN, ['ingest', ...files, '--dataset', 'contacts', '--source', SOURCE, '--json'], env);
}

/** Each call has a connection of its own: between two of them this process computes for longer than the service keeps an idle one. */
export function headersOf({ key }: Service, accept: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, accept, connection: 'close' };
}

async function allRows(service: Service, linesOf: World['linesOf']): Promise<Row[]> {
  const answer = await fetch(service.find, { method: 'POST', headers: headersOf(service, 'application/x-ndjson'), body: '{"type":"contacts"}' });
  return linesOf(await answer.text()).map((line) => JSON.parse(line) as Row);
}

/** The lines of a stream that are rows. Throws where it did not end well. */
function rowLines(text: string): string[] {
  const lines = text.trimEnd().split('\n');
  if (lines.at(-1)?.startsWith('{"@end":') !== true) throw new Error(`the stream was cut: ${lines.at(-1)?.slice(0, 200)}`);
  return lines.filter((line) => !line.startsWith('{"@'));
}
