import type { RowForm } from '../segment/row_form.ts';
import { DamagedLake, readLakes } from '../sources/lake/current.ts';
import type { Manifest } from '../sources/lake/manifest.ts';
import type { LakePlace } from '../sources/lake/paths.ts';
import { segmentBytes } from '../sources/lake/publish.ts';
import { EXIT, type Command } from './command.ts';
import { table } from './table.ts';
import { noWords } from './words.ts';

type Listed = {
  readonly name: string; readonly dataset: string;
  readonly rows: number; readonly updated_at: string | null; readonly published_at: string;
  readonly bytes: number; readonly row_form: RowForm; readonly demo: boolean;
};

export const sourcesCommand: Command = {
  help: `Usage: lds sources [--json]

Lists the lake sources of the data folder: name, dataset, rows, newest row, time of publication, size on
disk, and whether rows are stored as text or compact. Of one that is damaged it says so, and exits with 1.
`,
  options: { json: { type: 'boolean' } },
  async run({ values, files, terminal, config }) {
    noWords(files);
    const { dataDir } = await config();
    const lakes = await readLakes(dataDir);
    const listed = await Promise.all(lakes.flatMap(({ place, found }) => (found instanceof DamagedLake ? [] : [listedLake(place, found)])));
    const damaged = lakes.flatMap(({ found }) => (found instanceof DamagedLake ? [found] : []));
    if (values.json === true) await terminal.out(`${JSON.stringify({ sources: listed })}\n`);
    else await terminal.out(lakes.length === 0 ? `no lake source yet in ${dataDir}: make one with lds ingest\n` : text(listed));
    for (const { message, advice } of damaged) terminal.note(`${message}; ${advice}\n`);
    return damaged.length === 0 ? EXIT.done : EXIT.failed;
  },
};

async function listedLake({ dir }: LakePlace, { dataset, source, segments, createdAt, rowForm = 'text', demo }: Manifest): Promise<Listed> {
  const bytes = await Promise.all(segments.map(({ id }) => segmentBytes(dir, id)));
  const updates = segments.flatMap(({ updatedAt }) => updatedAt ?? []).sort();
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  return { name: source, dataset, rows, updated_at: updates.at(-1) ?? null, published_at: createdAt, bytes: bytes.reduce((sum, size) => sum + size, 0), row_form: rowForm, demo };
}

function text(listed: readonly Listed[]): string {
  const rows = listed.map(({ name, dataset, rows, updated_at, published_at, bytes, row_form, demo }) => ({
    name: demo ? `${name} (demo)` : name, dataset, rows: rows.toLocaleString('en'), updated: updated_at, published: published_at, size: `${(bytes / 1_048_576).toFixed(1)} MiB`,
    stored: row_form,
  }));
  return table(['name', 'dataset', 'rows', 'updated', 'published', 'size', 'stored'], rows);
}
