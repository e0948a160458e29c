import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STORE_FILE } from '../config/folder.ts';
import { SOURCE_NAME, wantedName } from '../config/sources.ts';
import { encodingNamed, ENCODINGS } from '../ingest/encodings.ts';
import { ESCAPES } from '../ingest/escapes.ts';
import type { IngestOrder } from '../ingest/ingest.ts';
import type { Override } from '../ingest/mapping.ts';
import { MODES } from '../ingest/mode.ts';
import { DATASETS, type Dataset } from '../model/dataset.ts';
import { lakePlaces } from '../sources/lake/paths.ts';
import { ROW_STORAGES } from '../sources/lake/row_storage.ts';
import { IN_DATA_FOLDER, UsageError, type Command, type CommandInput } from './command.ts';
import { plansText, previewText, summaryText } from './ingest_text.ts';
import { terminalStage } from './progress.ts';
import { tell, writing } from './rewriting.ts';
import { tellOfNew } from './store.ts';
import { oneOf } from './words.ts';

export const ingestCommand: Command = {
  help: `Usage: lds ingest FILE... --dataset contacts|companies --source NAME [options]

Reads CSV, TSV, NDJSON, JSON and Parquet files (text also as .gz or .zst), normalises their rows and publishes them as
the lake source NAME. A running gateway picks it up by itself. If anything fails, nothing is published.

  --dataset D           contacts or companies
  --source NAME         1 to 64 of a-z, 0-9, _ and -; every row's id begins with it
  --map COLUMN=FIELD    the field of a column, if the guess is wrong; may be repeated; COLUMN= drops the column
  --mode M              upsert (default): rows with the same key are replaced, all others kept
                        append: rows with new keys are added, others rejected
                        replace: the files become the whole source
  --encoding E          utf-8, utf-16, latin-1 or another by name, such as windows-1250, if the guess is wrong
  --escape E            how a quote inside a quoted cell is written, if the guess is wrong: quote (""), backslash (\\", as
                        MySQL and Spark do), or none if cells are never quoted, as in TSV from Google Sheets
  --rows F              how rows are stored: text (fastest to stream), compact (down to half of the disk and page
                        cache), or balanced (default for a new source: text for the largest countries, compact
                        for the rest); without it a source stays as it is
  --dry-run             show the mapping, the first rows and what would be rejected; write nothing
  --json                print a summary as JSON on stdout

Examples:
  lds ingest people.csv --dataset contacts --source crm
  lds ingest export/*.parquet --dataset companies --source registry --mode replace --map "Org Nr=id"

${IN_DATA_FOLDER}
Exits with 0 when done, whether or not rows were rejected, 1 when it failed, 2 for a mistake in the command or the configuration.
`,
  options: {
    dataset: { type: 'string' }, source: { type: 'string' }, map: { type: 'string', multiple: true }, mode: { type: 'string' },
    encoding: { type: 'string' }, escape: { type: 'string' }, rows: { type: 'string' }, 'dry-run': { type: 'boolean' }, json: { type: 'boolean' },
  },
  run: (input) => writing('ingest', input, () => ingest(input)),
};

async function ingest(input: CommandInput): Promise<number> {
  const { values, files, terminal, config } = input;
  if (files.length === 0) throw new UsageError('name at least one file');
  const chosen = {
    files, dataset: datasetOf(values.dataset), source: sourceOf(values.source), mode: oneOf(values, 'mode', MODES) ?? 'upsert',
    overrides: ((values.map ?? []) as readonly string[]).map(overrideOf), encoding: encodingOf(values.encoding),
    escape: oneOf(values, 'escape', ESCAPES) ?? null, rowForm: oneOf(values, 'rows', ROW_STORAGES) ?? null,
  };
  const { dataDir, extras, sources } = await config();
  const other = sources.find(({ name, kind, dataset }) => name === chosen.source && (kind !== 'lake' || dataset !== chosen.dataset));
  if (other !== undefined) throw new UsageError(`the configuration has ${other.name} as a ${other.kind} source of ${other.dataset}: choose another name`);
  const order: IngestOrder = {
    ...chosen, dataDir, extras: extras[chosen.dataset], signal: terminal.signal, stage: terminalStage(terminal),
    onPlans: (plans) => terminal.note(plansText(plans)),
  };
  // Not before all that was said is in order: to load the engine takes longer than to say what is not.
  const { ingestFiles, previewFiles } = await import('../ingest/ingest.ts');
  const started = performance.now();
  if (values['dry-run'] === true) {
    const preview = await previewFiles(order, tmpdir());
    return tell(input, preview, previewText(preview));
  }
  terminal.note(`mode: ${chosen.mode}\n`);
  // Folders alone are what an ingest that failed left. Why they cannot be read the next step tells.
  const isNew = !existsSync(join(dataDir, STORE_FILE)) && (await lakePlaces(dataDir).catch(() => [])).length === 0;
  const summary = await ingestFiles(order);
  const elapsedMs = performance.now() - started;
  if (isNew) tellOfNew(dataDir, 'sources: a new lake begins there', input);
  return tell(input, { ...summary, elapsed_ms: Math.round(elapsedMs) }, summaryText(summary, elapsedMs));
}

type Value = CommandInput['values'][string];

function datasetOf(value: Value): Dataset {
  const found = DATASETS.find((dataset) => dataset === value);
  if (found === undefined) throw new UsageError('--dataset is to be contacts or companies');
  return found;
}

function sourceOf(value: Value): string {
  if (typeof value !== 'string' || !SOURCE_NAME.test(value)) throw new UsageError(`--source is to be ${wantedName(value)}`);
  return value;
}

function encodingOf(value: Value): string | null {
  if (typeof value !== 'string') return null;
  const found = encodingNamed(value);
  if (found === null) throw new UsageError(`--encoding is to be ${ENCODINGS.join(', ')}, or another that has a name, such as windows-1250 or gbk`);
  return found;
}

function overrideOf(text: string): Override {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new UsageError('--map is to be COLUMN=FIELD, or COLUMN= to drop the column');
  return { column: text.slice(0, at), field: text.slice(at + 1).trim() || null };
}
