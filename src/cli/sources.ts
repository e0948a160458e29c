import { newestMoment } from '../lib/moment.ts';
import { currentNumber, DamagedLake, readLakes } from '../sources/lake/current.ts';
import { wrongSizes } from '../sources/lake/file_sizes.ts';
import { rowsIn, type Manifest } from '../sources/lake/manifest.ts';
import type { LakePlace } from '../sources/lake/paths.ts';
import { segmentBytes } from '../sources/lake/publish.ts';
import { storageOf, type RowStorage } from '../sources/lake/row_storage.ts';
import { EXIT, IN_DATA_FOLDER, type Command, type CommandInput } from './command.ts';
import { worldlyIn } from './owner.ts';
import { table } from './table.ts';
import { noWords } from './words.ts';

type Listed = {
  readonly name: string; readonly dataset: string;
  readonly rows: number; readonly updated_at: string | null; readonly published_at: string;
  readonly bytes: number; readonly row_form: RowStorage; readonly demo: boolean;
};

export const sourcesCommand: Command = {
  help: `Usage: lds sources [--json]

Lists the lake sources in the data folder: name, dataset, rows, newest row, time of publication, size on disk, and
how rows are stored (text, compact or balanced). Says which source lacks a file, or has one of the wrong size.
lds doctor checks every byte.

  --json  print JSON

Example:
  LDS_DATA_DIR=/var/lib/lds lds sources

${IN_DATA_FOLDER}
Exits with 0 when no file is missing or of the wrong size, 1 when one is or the command failed,
2 for a mistake in the command or the configuration.
`,
  options: { json: { type: 'boolean' } },
  async run({ values, files, terminal, config }) {
    noWords(files);
    const { dataDir } = await config();
    const lakes = await readLakes(dataDir).catch((error: unknown) => inWords(config, error));
    const listed = await Promise.all(lakes.flatMap(({ place, found }) => (found instanceof Error ? [] : [listedLake(place, found)])));
    const wrong = (await Promise.all(lakes.map(({ place, found }) => (found instanceof Error ? unread(config, place, found) : wrongOf(place, found))))).flat();
    if (values.json === true) await terminal.out(`${JSON.stringify({ sources: listed })}\n`);
    else await terminal.out(lakes.length === 0 ? `no lake source yet in ${dataDir}: make one with lds ingest\n` : text(listed));
    for (const line of wrong) terminal.note(`${line}\n`);
    return wrong.length === 0 ? EXIT.done : EXIT.failed;
  },
};

async function inWords(config: CommandInput['config'], cause: unknown): Promise<never> {
  const told = await worldlyIn(config, cause);
  throw told === null ? cause : new Error(told, { cause });
}

async function unread(config: CommandInput['config'], { source }: LakePlace, error: Error): Promise<string[]> {
  if (error instanceof DamagedLake) return [`${error.message}; ${error.advice}`];
  return [`the source ${source} cannot be read: ${await worldlyIn(config, error) ?? error.message}`];
}

/** Nothing where it was published anew meanwhile: the files of before may be gone. */
async function wrongOf({ source, dir }: LakePlace, { snapshot, segments }: Manifest): Promise<string[]> {
  const wrong = (await Promise.all(segments.map((segment) => wrongSizes(dir, segment)))).flat();
  if (wrong.length === 0 || await currentNumber(dir) !== snapshot) return [];
  return [`the source ${source} is damaged: ${wrong.join('; ')}; lds doctor says what to do`];
}

async function listedLake({ dir }: LakePlace, manifest: Manifest): Promise<Listed> {
  const { dataset, source, segments, createdAt, demo } = manifest;
  const bytes = await Promise.all(segments.map((segment) => segmentBytes(dir, segment)));
  const updated = newestMoment(segments.map(({ updatedAt }) => updatedAt));
  return { name: source, dataset, rows: rowsIn(segments), updated_at: updated, published_at: createdAt, bytes: bytes.reduce((sum, size) => sum + size, 0), row_form: storageOf(manifest), demo };
}

function text(listed: readonly Listed[]): string {
  const rows = listed.map(({ name, dataset, rows, updated_at, published_at, bytes, row_form, demo }) => ({
    name: demo ? `${name} (demo)` : name, dataset, rows: rows.toLocaleString('en'), updated: updated_at, published: published_at, size: `${(bytes / 1_048_576).toFixed(1)} MiB`,
    stored: row_form,
  }));
  return table(['name', 'dataset', 'rows', 'updated', 'published', 'size', 'stored'], rows);
}
