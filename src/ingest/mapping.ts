import { fold, words } from '../lib/fold.ts';
import type { Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import { IngestError } from './failure.ts';
import { leadColumns } from './lead_table.ts';
import { SYNONYMS } from './synonyms.ts';

/** `--map column=field`; a null field drops the column. */
export type Override = { readonly column: string; readonly field: string | null };

/** Which columns feed a field, the first that says something winning. `unsure` is a key only if it proves to be one. */
export type Feed = { readonly field: string; readonly columns: readonly string[]; readonly unsure: boolean };

export type Mapping = { readonly feeds: readonly Feed[]; readonly unused: readonly string[] };

type Guess = { readonly field: string; readonly place: number; readonly unsure: boolean };

/** Decides what each column of a file is. Overrides go before guesses, and take their field whole. */
export function mapColumns(columns: readonly string[], dataset: Dataset, extras: readonly ExtraField[], overrides: readonly Override[]): Mapping {
  const fields = leadColumns(dataset, extras).map(({ name }) => name);
  const ordered = new Map<string, { column: string; place: number; unsure: boolean }[]>();
  const feed = (field: string, column: string, place: number, unsure: boolean): void => {
    ordered.set(field, [...(ordered.get(field) ?? []), { column, place, unsure }]);
  };
  const given = overrides.map((override) => resolved(override, columns, fields));
  for (const [place, { column, field }] of given.entries()) if (field !== null) feed(field, column, place, false);
  const decided = new Set(given.map(({ column }) => column));
  const taken = new Set(ordered.keys());
  for (const column of columns) {
    if (decided.has(column)) continue;
    for (const guess of guesses(column, dataset, extras)) if (!taken.has(guess.field)) feed(guess.field, column, guess.place, guess.unsure);
  }
  const feeds = fields.flatMap((field): Feed[] => {
    const found = (ordered.get(field) ?? []).sort((a, b) => a.place - b.place);
    const sure = found.filter(({ unsure }) => !unsure);
    const chosen = sure.length > 0 ? sure : found.slice(0, 1);
    return chosen.length === 0 ? [] : [{ field, columns: chosen.map(({ column }) => column), unsure: sure.length === 0 }];
  });
  const used = new Set(feeds.flatMap(({ columns }) => columns));
  return { feeds, unused: columns.filter((column) => !used.has(column)) };
}

/** `Company Name`, `company_name`, `companyName` and `COMPANY-NAME` are one. Where a word ends is not asked: capitals do not tell it (`LinkedIn URL`). */
export function nameOf(column: string): string {
  return words(fold(column.replaceAll('_', ' '))).join('');
}

function guesses(column: string, dataset: Dataset, extras: readonly ExtraField[]): readonly Guess[] {
  const whole = nameOf(column);
  const extra = extras.find(({ name }) => name === column || nameOf(name) === whole);
  if (extra !== undefined) return [{ field: extra.name, place: 0, unsure: false }];
  const known = KNOWN[dataset].get(whole);
  if (known !== undefined) return known;
  const leaf = column.includes('.') ? KNOWN[dataset].get(nameOf(column.slice(column.lastIndexOf('.') + 1))) : undefined;
  return (leaf ?? []).filter(({ field }) => field !== 'id' && !field.endsWith('name')).map((guess) => ({ ...guess, place: guess.place + 1_000 }));
}

const KNOWN: Readonly<Record<Dataset, ReadonlyMap<string, readonly Guess[]>>> = { contacts: known('contacts'), companies: known('companies') };

function known(dataset: Dataset): ReadonlyMap<string, readonly Guess[]> {
  const guesses = new Map<string, Guess[]>();
  for (const [field, list] of Object.entries(SYNONYMS[dataset])) {
    const own = nameOf(field);
    const entries = list.split('|');
    for (const [place, entry] of (entries.some((known) => nameOf(known) === own) ? entries : [own, ...entries]).entries()) {
      const name = nameOf(entry);
      const before = guesses.get(name) ?? [];
      if (!before.some((guess) => guess.field === field)) guesses.set(name, [...before, { field, place, unsure: entry.endsWith('?') }]);
    }
  }
  return guesses;
}

function resolved({ column, field }: Override, columns: readonly string[], fields: readonly string[]): Override {
  const exact = columns.find((known) => known === column) ?? columns.find((known) => nameOf(known) === nameOf(column));
  if (exact === undefined) throw new IngestError(`--map names the column ${column}, which the file does not have; it has: ${columns.join(', ')}`, { usage: true });
  if (field !== null && !fields.includes(field)) throw new IngestError(`--map names the field ${field}, which there is not; the fields are: ${fields.join(', ')}`, { usage: true });
  return { column: exact, field };
}
