import { canFilter } from '../../find/schema.ts';
import type { CatalogView } from '../../find/sources.ts';
import type { Dataset } from '../../model/dataset.ts';

/** What a form or an example begins with: a search that is taken, finds rows where the data have any, and costs little. `countries`: '' where no row has one. */
export type Beginning = { readonly type: Dataset; readonly countries: Readonly<Record<Dataset, string>>; readonly words: string };

type Known = { readonly sources: readonly Pick<CatalogView['sources'][number], 'dataset' | 'filters' | 'countries'>[] };

export function beginningOf({ sources }: Known): Beginning {
  const of = (type: Dataset): Known['sources'] => sources.filter(({ dataset }) => dataset === type);
  const countries = { contacts: countryOfMost(of('contacts')), companies: countryOfMost(of('companies')) };
  const type = of('contacts').length === 0 && of('companies').length > 0 ? 'companies' : 'contacts';
  // Words without a narrowing filter are refused.
  return { type, countries, words: countries[type] === '' ? '' : 'manager' };
}

/** Where a source can be asked for countries, and has not told yet which it has, one that most have. */
function countryOfMost(sources: Known['sources']): string {
  const rows = new Map<string, number>();
  for (const { countries } of sources) for (const [code, count] of Object.entries(countries)) rows.set(code, (rows.get(code) ?? 0) + count);
  const [most] = [...rows].sort(([, a], [, b]) => b - a)[0] ?? [];
  return most ?? (sources.some((source) => canFilter(source, 'country')) ? 'US' : '');
}

/** The narrowing filter of a search that begins so; nothing where no row has a country. */
export function filtersOf({ type, countries }: Beginning): { readonly filters?: { readonly country: readonly string[] } } {
  const country = countries[type];
  return country === '' ? {} : { filters: { country: [country] } };
}
