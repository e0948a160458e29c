import { LIMITS } from '../config/limits.ts';
import { COUNTRY_CODES } from '../model/country.ts';
import type { Dataset } from '../model/dataset.ts';
import type { Field } from '../model/field.ts';
import type { FilterSpec } from '../model/filter.ts';
import type { Vocabulary } from '../model/vocabulary.ts';

export type FilterDescription = {
  readonly name: string;
  readonly kind: 'narrowing' | 'presence';
  readonly values: 'strings' | 'boolean' | 'range';
  readonly description: string;
  /** What may stand as the filter's value. */
  readonly example: unknown;
  readonly enum?: readonly string[];
  /** Names of the sources that have the column. */
  readonly sources: readonly string[];
};

type TypeDescription = { readonly filters: readonly FilterDescription[]; readonly fields: readonly Field[]; readonly searchable: readonly string[] };

/** A reason that a validation of an email address may give. */
type EmailReason = { readonly code: string; readonly status: string | null; readonly description: string };

export type EmailDescription = { readonly stages: readonly string[]; readonly codes: readonly EmailReason[] };

export type SchemaDocument = {
  readonly version: string;
  readonly types: Readonly<Record<Dataset, TypeDescription>>;
  readonly limits: Readonly<Record<string, number>>;
  readonly email: EmailDescription;
};

/** What of the catalog is described: its vocabularies, and who has which column. */
type Described = {
  readonly vocabularies: Readonly<Record<Dataset, Vocabulary>>;
  readonly sources: readonly (Filtering & { readonly name: string; readonly dataset: Dataset })[];
};

type Filtering = { readonly filters: Readonly<Record<string, string>> };

const VERSION = 'v1';

/** The document of `GET /v1/schema`. `emailsMax`: addresses in one call, as the operator has it. */
export function schemaDocument(described: Described, email: EmailDescription, emailsMax: number): SchemaDocument {
  return { version: VERSION, types: describeTypes(described), limits: { ...PUBLIC_LIMITS, validate_emails: emailsMax }, email };
}

export function describeTypes({ vocabularies, sources }: Described): SchemaDocument['types'] {
  const describe = (dataset: Dataset): TypeDescription => {
    const own = sources.filter((source) => source.dataset === dataset);
    const having = (name: string): string[] => own.filter((source) => canFilter(source, name)).map((source) => source.name);
    const { filters, fields, searchable } = vocabularies[dataset];
    return {
      filters: filters.map((spec) => describeFilter(spec, having(spec.name))),
      fields: fields.map(({ name, type, nullable, description }) => ({ name, type, nullable, description })),
      searchable,
    };
  };
  return { contacts: describe('contacts'), companies: describe('companies') };
}

/** Whether the source has the column of a filter. */
export function canFilter({ filters }: Filtering, name: string): boolean {
  return (filters[name] ?? 'unsupported') !== 'unsupported';
}

function describeFilter({ name, compares, description, example, values }: FilterSpec, sources: readonly string[]): FilterDescription {
  const closed = compares === 'country' ? COUNTRY_CODES : values;
  return {
    name,
    kind: compares === 'presence' ? 'presence' : 'narrowing',
    values: compares === 'presence' ? 'boolean' : compares === 'number' || compares === 'date' ? 'range' : 'strings',
    description,
    example,
    ...(closed && { enum: closed }),
    sources,
  };
}

/** Those bounds that a caller can meet. */
const PUBLIC_LIMITS = {
  body_bytes: LIMITS.bodyBytesMax,
  json_depth: LIMITS.jsonDepthMax,
  query_characters: LIMITS.queryCharactersMax,
  query_words: LIMITS.queryWordsMax,
  filter_values: LIMITS.filterValuesMax,
  filter_value_characters: LIMITS.filterValueCharactersMax,
  limit_default: LIMITS.pageRowsDefault,
  limit_max: LIMITS.pageRowsMax,
  limit_max_csv: LIMITS.csvPageRowsMax,
  timeout_ms_min: LIMITS.timeoutMsMin,
  timeout_ms_default: LIMITS.pageTimeoutMsDefault,
  timeout_ms_max: LIMITS.pageTimeoutMsMax,
  stream_timeout_ms_default: LIMITS.streamTimeoutMsDefault,
  stream_timeout_ms_max: LIMITS.streamTimeoutMsMax,
  facets: LIMITS.facetsMax,
  facet_values: LIMITS.facetValuesMax,
  client_ref_characters: LIMITS.clientRefCharactersMax,
  cursor_seconds: LIMITS.snapshotRetainMs / 1_000,
  validate_timeout_ms_min: LIMITS.validateTimeoutMsMin,
  validate_timeout_ms_default: LIMITS.validateTimeoutMsDefault,
  validate_timeout_ms_max: LIMITS.validateTimeoutMsMax,
} as const;
