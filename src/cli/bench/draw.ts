import type { SchemaDocument } from '../../find/schema.ts';
import { Chance } from '../../ingest/demo/chance.ts';
import type { Facets } from '../../model/answer.ts';
import type { Dataset } from '../../model/dataset.ts';

/** Filters that searches are drawn from, those first that callers use most. */
const DRAWN = {
  contacts: ['seniority', 'industry', 'department', 'city', 'job_title'],
  companies: ['industry', 'size', 'city', 'domain'],
} as const satisfies Record<Dataset, readonly string[]>;

/** Besides the country. */
const DRAWN_MAX = 2;
const SEED = 'bench';
const DRAWN_PERCENT = 50;

/** What of a gateway's schema is drawn from: filters whose values are counted first, and one that is true or left out. */
type Drawable = { readonly facets: readonly string[]; readonly presence: string | null };

/** Of the filters that some source of this gateway has, and that are not `given`. */
export function drawable(schema: SchemaDocument, type: Dataset, given: Readonly<Record<string, unknown>>): Drawable {
  const { filters } = schema.types[type];
  const free = (name: string): boolean => given[name] === undefined && filters.some((filter) => filter.name === name && filter.sources.length > 0);
  return {
    facets: ['country', ...DRAWN[type].filter(free).slice(0, DRAWN_MAX)].filter(free),
    presence: free('has_email') ? 'has_email' : null,
  };
}

type Drawing = {
  readonly type: Dataset;
  /** In every search. */
  readonly given: Readonly<Record<string, readonly string[]>>;
  readonly limit: number | undefined;
  readonly drawable: Drawable;
  /** What the data hold, by filter. */
  readonly facets: Facets;
  readonly count: number;
};

/**
 * The bodies of so many searches, the same every time for the same data: a country in each, each other filter in every second. A value is drawn as often
 * as rows have it. One search where there is nothing to draw.
 */
export function drawSearches({ type, given, limit, drawable: { facets: names, presence }, facets, count }: Drawing): string[] {
  const chance = new Chance(SEED, type);
  const valued = names.flatMap((name) => (facets[name] === undefined || facets[name].length === 0 ? [] : [{ name, values: facets[name] }]));
  const drawn = (): Record<string, readonly string[]> => {
    const filters: Record<string, readonly string[]> = { ...given };
    for (const { name, values } of valued) if (name === 'country' || chance.percent(DRAWN_PERCENT)) filters[name] = [weighted(chance, values)];
    if (presence !== null && chance.percent(DRAWN_PERCENT)) filters[presence] = ['true'];
    return filters;
  };
  const searches = valued.length === 0 && presence === null ? [{ ...given }] : Array.from({ length: count }, drawn);
  return searches.map((filters) => JSON.stringify({ type, filters, limit }));
}

function weighted(chance: Chance, values: Facets[string]): string {
  let left = chance.below(values.reduce((sum, { count }) => sum + count, 0));
  return (values.find(({ count }) => (left -= count) < 0) ?? values[0]!).value;
}
