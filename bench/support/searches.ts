import { fold, words } from '../../src/lib/fold.ts';
import { withDuck } from '../data/contacts.ts';
import { seeded } from './figures.ts';

/** A search as it is sent to the service and to the peers alike. */
export type Search = {
  readonly type: 'contacts';
  readonly query?: string;
  readonly filters: Readonly<Record<string, readonly string[]>>;
  readonly limit: number;
  readonly facets?: readonly string[];
};

/** What contacts hold, drawn from the contacts themselves: what is frequent there is asked for often. */
type Sample = { readonly country: string; readonly industry: string; readonly seniority: string; readonly job_title: string; readonly company_name: string };

const SAMPLE_ROWS = 20_000;
export const PAGE_ROWS = 25;

export async function sampleOf(truth: string, folder: string): Promise<Sample[]> {
  return withDuck(folder, async (connection) => {
    const columns = ['country', 'industry', 'seniority', 'job_title', 'company_name'];
    const found = await connection.runAndReadAll(
      `SELECT ${columns.join(', ')} FROM (FROM read_parquet('${truth}') WHERE job_title IS NOT NULL AND seniority IS NOT NULL)
      USING SAMPLE reservoir(${SAMPLE_ROWS} ROWS) REPEATABLE (1)`,
    );
    return found.getRowObjectsJS() as unknown as Sample[];
  });
}

/** A country, one to three industries or levels, and an email address; no two alike. */
export function findSearches(sample: readonly Sample[], count: number, seed: number): Search[] {
  return distinct(sample, count, seed, (pick) => {
    const values = Array.from({ length: 1 + Math.floor(pick.chance() * 3) }, () => pick.one());
    const filter: Record<string, readonly string[]> = pick.chance() < 0.5
      ? { industry: unique(values.map(({ industry }) => industry)) }
      : { seniority: unique(values.map(({ seniority }) => seniority)), ...(pick.chance() < 0.5 ? { industry: [pick.one().industry] } : {}) };
    return { type: 'contacts', filters: { country: [pick.one().country], ...filter, has_email: ['true'] }, limit: PAGE_ROWS };
  });
}

/** A level and an industry in all countries, some with an address; no two alike. */
export function wideSearches(sample: readonly Sample[], count: number, seed: number): Search[] {
  return distinct(sample, count, seed, (pick) => ({
    type: 'contacts',
    filters: { seniority: [pick.one().seniority], industry: [pick.one().industry], ...(pick.chance() < 0.5 ? { has_email: ['true'] } : {}) },
    limit: PAGE_ROWS,
  }));
}

/** A word in an industry, in all countries; no two alike. */
export function wideTextSearches(sample: readonly Sample[], count: number, seed: number): Search[] {
  return distinct(sample, count, seed, (pick) => {
    const text = words(fold(pick.one().job_title));
    return { type: 'contacts', query: text[Math.floor(pick.chance() * text.length)]!, filters: { industry: [pick.one().industry] }, limit: PAGE_ROWS };
  });
}

export type TextKind = 'word' | 'prefix' | 'phrase';

/** A text of one kind in a country; no two alike. */
export function textSearches(sample: readonly Sample[], count: number, seed: number, kind: TextKind): Search[] {
  return distinct(sample, count, seed, (pick) => {
    const row = pick.one();
    const text = words(fold(pick.chance() < 0.5 ? row.job_title : row.company_name));
    const at = Math.floor(pick.chance() * Math.max(1, text.length - 1));
    const query = kind === 'word' ? text[at]! : kind === 'prefix' ? `${text[at]!.slice(0, 3 + Math.floor(pick.chance() * 2))}*` : `"${text.slice(at, at + 2).join(' ')}"`;
    return { type: 'contacts', query, filters: { country: [pick.one().country] }, limit: PAGE_ROWS };
  });
}

type Pick = { chance(): number; one(): Sample };

/** How often in vain a new search is looked for before the rows count as exhausted. */
const VAIN_MAX = 20;

/** Fewer than wanted where the rows do not hold so many. */
function distinct(sample: readonly Sample[], count: number, seed: number, make: (pick: Pick) => Search): Search[] {
  const chance = seeded(seed);
  const pick: Pick = { chance, one: () => sample[Math.floor(chance() * sample.length)]! };
  const made = new Map<string, Search>();
  for (let tries = 0; made.size < count && tries < count * VAIN_MAX; tries += 1) {
    const search = make(pick);
    made.set(JSON.stringify(search), search);
  }
  return [...made.values()];
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
