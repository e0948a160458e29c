import { dirname } from 'node:path';
import type { IngestSummary, Preview } from '../ingest/ingest.ts';
import type { FilePlan } from '../ingest/plan_file.ts';
import type { Note } from '../ingest/normal_table.ts';
import { neighbours } from '../lib/neighbours.ts';
import { counted, countedRows } from './counted.ts';
import { table } from './table.ts';

const SAMPLE_CHARACTERS = 28;
const REJECTS_SHOWN_MAX = 10;
const CELL_CHARACTERS_MAX = 100;

/** Of neighbours of which the same is made the first stands for all. */
export function plansText(plans: readonly FilePlan[]): string {
  const groups = neighbours(plans, ({ format, mapping, notes }) => JSON.stringify([format, mapping, notes]));
  return groups.map(([first, ...more]) => `${planText(first!)}${more.length === 0 ? '' : `and the same of ${alsoText(more.map(({ file }) => file))}\n`}`).join('');
}

function alsoText(files: readonly string[]): string {
  return files.length === 1 ? files[0]! : `${n(files.length)} files more, the last of them ${files.at(-1)!}`;
}

/** Which column becomes which field, what is left out, and three values of each. */
function planText({ file, format, mapping, samples, notes }: FilePlan): string {
  const rows = mapping.feeds.flatMap(({ field, columns, unsure, currency }) => [
    ...columns.map((column, place) => ({ column, field: `${field}${place > 0 ? ', where still empty' : ''}${unsure ? ', if every row has its own' : ''}` })),
    ...(currency === null ? [] : [{ column: currency, field: `${field}, its currency` }]),
  ]).map((row) => ({ ...row, values: samplesText(samples.get(row.column)) }));
  const left = mapping.unused.map((column) => ({ column, field: 'left out', values: samplesText(samples.get(column)) }));
  const columns = [...rows, ...left];
  return `${file} (${format})\n${columns.length === 0 ? '' : table(['column', 'field', 'values'], columns, CELL_CHARACTERS_MAX)}${notes.map((note) => `note: ${note}\n`).join('')}`;
}

export function summaryText(summary: IngestSummary, elapsedMs: number): string {
  const { added, replaced, kept, removed, rows, read, source, dataset, mode, published, repeats, unkeyed, rejected, rejects, notes } = summary;
  const refused = Object.values(rejected).reduce((sum, count) => sum + count, 0);
  const changes = [`${n(added)} new`, `${n(replaced)} replaced`, `${n(kept)} kept`, ...(removed > 0 ? [`${n(removed)} removed`] : [])];
  return [
    `${source}: ${countedRows(rows, dataset)}${published ? ' published' : mode === 'append' ? ', none new' : ', none changed'} (${mode}: ${changes.join(', ')})`,
    `read ${counted(read, 'record')} in ${(elapsedMs / 1_000).toFixed(1)} s, ${n(Math.round(read / Math.max(elapsedMs / 1_000, 0.001)))} rows/s`,
    ...(repeats > 0 ? [`${counted(repeats, 'row')} had the key of a later one, which stands`] : []),
    ...(unkeyed > 0 && added > 0 && kept > 0 ? [UNKEYED] : []),
    ...notesText(notes),
    ...(refused > 0 ? [`${n(refused)} rejected:`, ...Object.entries(rejected).map(([reason, count]) => `  ${n(count)}  ${reason}`)] : []),
    ...rejectsText(rejects.map(({ path }) => path)),
  ].map((line) => `${line}\n`).join('');
}

/** Of an export in many parts the folder says enough. */
function rejectsText(paths: readonly string[]): string[] {
  const shown = paths.slice(0, REJECTS_SHOWN_MAX).map((path) => `  see ${path}`);
  return paths.length > REJECTS_SHOWN_MAX ? [...shown, `  and ${n(paths.length - REJECTS_SHOWN_MAX)} more in ${dirname(paths[0]!)}`] : shown;
}

/** Whoever brings the next export of the same people is to know that they may be twice there now. */
const UNKEYED = 'note: rows came without a key: those that were changed since the last time now stand beside the old ones. Name a key (--map COLUMN=id), or bring the whole with --mode replace';

export function previewText({ rows, rejected, notes }: Preview): string {
  const shown = rows.map((row) => JSON.stringify(Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))));
  const refused = Object.entries(rejected).map(([reason, count]) => `would reject ${n(count)}: ${reason}`);
  return [...shown, ...notesText(notes), ...refused, 'dry run: nothing was published'].map((line) => `${line}\n`).join('');
}

function notesText(notes: readonly Note[]): string[] {
  return notes.map(({ field, rows, examples, derived }) => {
    const became = derived === true ? ', where another column tells it or it is empty' : ' and left empty there';
    return `note: ${field} was not understood in ${counted(rows, 'row')}${became} (${examples.map(brief).join(', ')})`;
  });
}

const n = (count: number): string => count.toLocaleString('en');
const brief = (text: string): string => (text.length > SAMPLE_CHARACTERS ? `${text.slice(0, SAMPLE_CHARACTERS - 1)}…` : text);
const samplesText = (values: readonly string[] | undefined): string => (values === undefined || values.length === 0 ? '(empty)' : values.map(brief).join(' | '));
