import type { z } from 'zod';
import { suggestion } from '../lib/nearest.ts';
import { DATASETS, type Dataset } from '../model/dataset.ts';
import { isObject } from '../model/json.ts';
import { vocabulary, type ExtraField } from '../model/vocabulary.ts';
import { LIMITS } from './limits.ts';
import { COMMON, Extra, SOURCE_KINDS, SOURCES, type SourceConfig } from './sources.ts';

/** The `extras` of the YAML file. */
type Extras = {
  readonly columns: Record<Dataset, ExtraField[]>;
  /** Of those that are not as they should be: a source that names one has no fault of its own. */
  readonly amiss: Record<Dataset, Set<string>>;
};

/** What is wrong is added to `problems`, all of it at once. */
export function readExtras(given: unknown, problems: string[]): Extras {
  const extras: Extras = { columns: { contacts: [], companies: [] }, amiss: { contacts: new Set(), companies: new Set() } };
  if (given === undefined || given === null) return extras;
  if (!isObject(given)) problems.push('extras: expected a map of contacts and companies to lists of columns');
  else for (const [dataset, list] of Object.entries(given)) {
    const path = `extras.${dataset}`;
    if (!isDataset(dataset)) problems.push(`${path}: not a dataset${suggestion(dataset, DATASETS)}`);
    else if (!Array.isArray(list)) problems.push(`${path}: expected a list of columns`);
    else readColumns(dataset, list, extras, problems);
  }
  return extras;
}

function readColumns(dataset: Dataset, list: readonly unknown[], { columns, amiss }: Extras, problems: string[]): void {
  const { fields, filters } = vocabulary(dataset);
  const taken = new Set([...fields, ...filters].map(({ name }) => name).concat('constructor', 'email_domain', 'rowid'));
  if (list.length > LIMITS.extrasMax) problems.push(`extras.${dataset}: expected at most ${LIMITS.extrasMax} columns`);
  for (const [index, item] of list.entries()) {
    const path = `extras.${dataset}[${index}]`;
    const { data, error } = Extra.safeParse(item);
    problems.push(...issues(path, error, Object.keys(Extra.shape)));
    const name = validName(Extra.shape.name, item);
    if (name === null) continue;
    if (taken.has(name)) problems.push(`${path}.name: ${name} is taken`);
    else if (data !== undefined) columns[dataset].push(data);
    else amiss[dataset].add(name);
    taken.add(name);
  }
}

/** As of the extras. */
export function readSources(given: unknown, extras: Extras, problems: string[]): SourceConfig[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) {
    problems.push('sources: expected a list');
    return [];
  }
  if (given.length > LIMITS.sourcesMax) problems.push(`sources: expected at most ${LIMITS.sourcesMax}`);
  const names = new Set<string>();
  return given.flatMap((item: unknown, index) => {
    const path = `sources[${index}]`;
    if (!isObject(item)) {
      problems.push(`${path}: expected a map`);
      return [];
    }
    const source = sourceOf(item, path, problems);
    const name = validName(COMMON.shape.name, item);
    const named = name === null ? path : `${path} (${name})`;
    if (name !== null && names.has(name)) problems.push(`${named}.name: another source has it`);
    if (name !== null) names.add(name);
    problems.push(...columnProblems(item, named, extras));
    return source === null ? [] : [source];
  });
}

/** Null where it has none, or one of a wrong form, which is told beside. */
function validName(schema: z.ZodType<string>, item: unknown): string | null {
  return (isObject(item) ? schema.safeParse(item['name']).data : undefined) ?? null;
}

function isDataset(value: unknown): value is Dataset {
  return DATASETS.some((dataset) => dataset === value);
}

/** Comparisons of texts: see `model/filter`. */
const COMPARED: ReadonlySet<string> = new Set(['country', 'folded', 'lower', 'domain', 'email', 'enum']);

function sourceOf(item: Readonly<Record<string, unknown>>, path: string, problems: string[]): SourceConfig | null {
  const given = item['kind'];
  const kind = SOURCE_KINDS.find((known) => known === given);
  if (kind === undefined) {
    problems.push(`${path}.kind: expected one of ${SOURCE_KINDS.join(', ')}${typeof given === 'string' ? suggestion(given, SOURCE_KINDS) : ''}`);
    problems.push(...issues(path, COMMON.safeParse(item).error, []));
    return null;
  }
  const schema = SOURCES[kind];
  const { data, error } = schema.safeParse(item);
  problems.push(...issues(path, error, Object.keys(schema.shape)));
  return data ?? null;
}

/** Of columns that are no map is told beside. */
function columnProblems({ kind, dataset, columns, compared }: Readonly<Record<string, unknown>>, path: string, extras: Extras): string[] {
  if (kind === 'lake' || !isDataset(dataset)) return [];
  const known = vocabulary(dataset, extras.columns[dataset]);
  const fields = known.fields.map(({ name }) => name).filter((name) => name !== 'source' && name !== 'sources');
  const filters = known.filters.filter(({ compares }) => COMPARED.has(compares)).map(({ name }) => name);
  const strange = (given: unknown, names: readonly string[]): string[] => keysOf(given).filter((key) => !names.includes(key) && !extras.amiss[dataset].has(key));
  return [
    ...strange(columns, fields).map((field) => `${path}.columns: ${field} is not a field of ${dataset}${suggestion(field, fields)}`),
    ...strange(kind === 'http' ? undefined : compared, filters)
      .map((filter) => `${path}.compared: ${filter} is not a filter of ${dataset} that compares texts${suggestion(filter, filters)}`),
  ];
}

function keysOf(given: unknown): string[] {
  return isObject(given) ? Object.keys(given) : [];
}

function issues(path: string, error: z.ZodError | undefined, known: readonly string[]): string[] {
  return (error?.issues ?? []).flatMap((issue) => {
    const at = `${path}${issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')}`;
    if (issue.code === 'invalid_key') return [`${at}: ${issue.issues[0]!.message}`];
    if (issue.code !== 'unrecognized_keys') return [`${at}: ${issue.message}`];
    return issue.keys.map((key) => `${at}.${key}: not a setting${suggestion(key, known)}`);
  });
}
