import type { Dataset } from '../../model/dataset.ts';
import type { FilterSpec } from '../../model/filter.ts';

/** A request that works on every deployment: it names no source. */
export type FindExample = { readonly type: Dataset } & Readonly<Record<string, unknown>>;

const COUNTRY = { country: ['US'] };
const TEXT: Readonly<Record<Dataset, string>> = { contacts: 'vp engineering', companies: 'software' };

/** For a fault that is found before the caller's type is known. */
export const FIND_EXAMPLE: FindExample = { type: 'contacts', filters: COUNTRY, limit: 25 };

/** A request with the part that was at fault put right. */
export function findExample(type: Dataset, part: Readonly<Record<string, unknown>> = {}): FindExample {
  return { type, filters: COUNTRY, limit: 25, ...part };
}

export function filterExample(type: Dataset, spec: FilterSpec): FindExample {
  return { type, filters: { [spec.name]: spec.example }, limit: 25 };
}

export function textExample(type: Dataset): FindExample {
  return { type, query: TEXT[type], filters: COUNTRY, limit: 25 };
}
