import type { z } from 'zod';
import { suggestion } from '../lib/nearest.ts';
import { DATASETS, type Dataset } from '../model/dataset.ts';
import { isObject } from '../model/json.ts';
import { vocabulary, type ExtraField } from '../model/vocabulary.ts';
import { LIMITS } from './limits.ts';
import { Extra, SOURCE_KINDS, SOURCES, type SourceConfig } from './sources.ts';

/** The `extras` and `sources` of the YAML file; what is wrong with them is added to `problems`. */
export function readExtras(given: unknown, problems: string[]): Record<Dataset, ExtraField[]> {
  const extras: Record<Dataset, ExtraField[]> = { contacts: [], companies: [] };
  if (given === undefined || given === null) return extras;
  if (!isObject(given)) problems.push('extras: expected a map of contacts and companies to lists of columns');
  else for (const [dataset, list] of Object.entries(given)) {
    const path = `extras.${dataset}`;
    if (dataset !== 'contacts' && dataset !== 'companies') problems.push(`${path}: not a dataset${suggestion(dataset, DATASETS)}`);
    else if (!Array.isArray(list)) problems.push(`${path}: expected a list of columns`);
    else extras[dataset] = extrasOfDataset(dataset, list, path, problems);
  }
  return extras;
}

function extrasOfDataset(dataset: Dataset, list: readonly unknown[], path: string, problems: string[]): ExtraField[] {
  const { fields, filters } = vocabulary(dataset);
  const taken = new Set([...fields, ...filters].map(({ name }) => name).concat('constructor', 'email_domain', 'rowid'));
  const extras: ExtraField[] = [];
  if (list.length > LIMITS.extrasMax) problems.push(`${path}: expected at most ${LIMITS.extrasMax} columns`);
  for (const [index, item] of list.entries()) {
    const parsed = Extra.safeParse(item);
    if (!parsed.success) problems.push(...issues(`${path}[${index}]`, parsed.error, Object.keys(Extra.shape)));
    else if (taken.has(parsed.data.name)) problems.push(`${path}[${index}].name: ${parsed.data.name} is taken`);
    else {
      taken.add(parsed.data.name);
      extras.push(parsed.data);
    }
  }
  return extras;
}

export function readSources(given: unknown, extras: Record<Dataset, ExtraField[]>, problems: string[]): SourceConfig[] {
  if (given === undefined || given === null) return [];
  if (!Array.isArray(given)) {
    problems.push('sources: expected a list');
    return [];
  }
  if (given.length > LIMITS.sourcesMax) problems.push(`sources: expected at most ${LIMITS.sourcesMax}`);
  const names = new Set<string>();
  return given.flatMap((item: unknown, index) => {
    const source = sourceOf(item, `sources[${index}]`, problems);
    if (source === null) return [];
    const path = `sources[${index}] (${source.name})`;
    if (names.has(source.name)) problems.push(`${path}.name: another source has it`);
    names.add(source.name);
    problems.push(...columnProblems(source, path, extras));
    return [source];
  });
}

/** Comparisons of texts: see `model/filter`. */
const COMPARED: ReadonlySet<string> = new Set(['country', 'folded', 'lower', 'domain', 'email', 'enum']);

function sourceOf(item: unknown, path: string, problems: string[]): SourceConfig | null {
  const given = isObject(item) ? item['kind'] : undefined;
  const kind = SOURCE_KINDS.find((known) => known === given);
  if (kind === undefined) {
    problems.push(isObject(item) ? `${path}.kind: expected one of ${SOURCE_KINDS.join(', ')}${typeof given === 'string' ? suggestion(given, SOURCE_KINDS) : ''}` : `${path}: expected a map`);
    return null;
  }
  const schema = SOURCES[kind];
  const parsed = schema.safeParse(item);
  if (parsed.success) return parsed.data;
  problems.push(...issues(path, parsed.error, Object.keys(schema.shape)));
  return null;
}

function columnProblems(source: SourceConfig, path: string, extras: Record<Dataset, ExtraField[]>): string[] {
  if (source.kind === 'lake') return [];
  const fields = vocabulary(source.dataset, extras[source.dataset]).fields.map(({ name }) => name).filter((name) => name !== 'source' && name !== 'sources');
  const filters = vocabulary(source.dataset, extras[source.dataset]).filters.filter(({ compares }) => COMPARED.has(compares)).map(({ name }) => name);
  const compared = 'compared' in source ? Object.keys(source.compared) : [];
  return [
    ...Object.keys(source.columns).filter((field) => !fields.includes(field))
      .map((field) => `${path}.columns: ${field} is not a field of ${source.dataset}${suggestion(field, fields)}`),
    ...compared.filter((filter) => !filters.includes(filter))
      .map((filter) => `${path}.compared: ${filter} is not a filter of ${source.dataset} that compares texts${suggestion(filter, filters)}`),
  ];
}

function issues(path: string, error: z.ZodError, known: readonly string[]): string[] {
  return error.issues.flatMap((issue) => {
    const at = `${path}${issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')}`;
    if (issue.code === 'invalid_key') return [`${at}: ${issue.issues[0]!.message}`];
    if (issue.code !== 'unrecognized_keys') return [`${at}: ${issue.message}`];
    return issue.keys.map((key) => `${at}.${key}: not a setting${suggestion(key, known)}`);
  });
}
