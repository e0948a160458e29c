import { parseText } from '../../src/find/request/text.ts';
import type { Term } from '../../src/model/query.ts';
import type { Search } from '../support/searches.ts';

/** The same work on another engine: one search, with its exact total. `rows` are the JSON texts of the rows, in the order of the lake. */
export type PeerAnswer = { readonly total: number; readonly rows: readonly string[]; readonly facets: Facets | null };
export type Facets = Readonly<Record<string, readonly { readonly value: string; readonly count: number }[]>>;

export interface Peer {
  find(search: Search): Promise<PeerAnswer>;
  close(): void;
}

export const PEERS = ['duckdb', 'sqlite', 'clickhouse'] as const;
export type PeerName = (typeof PEERS)[number];

/** The filters that benches send, and what each is in a peer's table. */
const FILTER_COLUMNS: Readonly<Record<string, string>> = { country: 'country', industry: 'industry', seniority: 'seniority' };
export const FACET_VALUES = 20;

/** A search as conditions on the columns of `table.ts`. */
export type Conditions = { readonly columns: readonly { readonly column: string; readonly values: readonly string[] }[]; readonly hasEmail: boolean; readonly terms: readonly Term[] };

export function conditionsOf({ filters, query }: Search): Conditions {
  const terms = query === undefined ? [] : parseText(query);
  if (typeof terms === 'string') throw new Error(terms);
  const columns = Object.entries(filters).filter(([name]) => name !== 'has_email').map(([name, values]) => {
    const column = FILTER_COLUMNS[name];
    if (column === undefined) throw new Error(`no peer knows the filter ${name}`);
    return { column, values };
  });
  return { columns, hasEmail: filters['has_email'] !== undefined, terms };
}

/** A term as a part of the text that `table.ts` lays out: words between blanks, so that no word begins within another. */
export function partOfText({ kind, words }: Term): string {
  return kind === 'prefix' ? ` ${words[0]!}` : ` ${words.join(' ')} `;
}
