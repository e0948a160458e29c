import type { Dataset } from './dataset.ts';
import { FIELDS, SEARCHABLE, type Field, type FieldType } from './field.ts';
import { FILTERS, type FilterSpec } from './filter.ts';

/** An extra column that the operator declared for a dataset: a nullable field at the end of the row, and a narrowing filter of the same name. */
export type ExtraField = { readonly name: string; readonly type: FieldType; readonly description: string };

/** What can be said about one dataset: the contract's fields and filters, then the operator's own. */
export type Vocabulary = {
  readonly dataset: Dataset;
  readonly fields: readonly Field[];
  readonly filters: readonly FilterSpec[];
  readonly searchable: readonly string[];
  readonly extras: readonly ExtraField[];
};

export function vocabulary(dataset: Dataset, extras: readonly ExtraField[] = []): Vocabulary {
  return {
    dataset,
    fields: [...FIELDS[dataset], ...extras.map((extra): Field => ({ ...extra, nullable: true }))],
    filters: [...FILTERS[dataset], ...extras.map(extraFilter)],
    searchable: SEARCHABLE[dataset],
    extras,
  };
}

/** An extra that a source has as one type while it is declared as another: values of the two cannot be compared. */
export type ChangedExtra = { readonly name: string; readonly had: FieldType; readonly declared: FieldType };

export function changedExtras(had: readonly ExtraField[], declared: readonly ExtraField[]): ChangedExtra[] {
  return had.flatMap(({ name, type }) => {
    const now = declared.find((extra) => extra.name === name);
    return now === undefined || now.type === type ? [] : [{ name, had: type, declared: now.type }];
  });
}

function extraFilter({ name, type, description }: ExtraField): FilterSpec {
  const base = { name, field: name, description };
  switch (type) {
    case 'string': case 'strings': return { ...base, compares: 'folded', example: ['value'] };
    case 'integer': return { ...base, compares: 'number', example: { min: 1 } };
    case 'timestamp': return { ...base, compares: 'date', example: { min: '2024-01-01' } };
    default: return type satisfies never;
  }
}
