import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compareText } from '../../../src/lib/text_order.ts';
import { matches } from '../../../src/filter/matches.ts';
import type { Dataset } from '../../../src/model/dataset.ts';
import type { Row } from '../../../src/model/field.ts';
import { identityOf } from '../../../src/model/identity.ts';
import type { Query } from '../../../src/model/query.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import { searchOf, WIDER } from '../../fuzz/corpus.ts';
import { queryOf } from '../../support/memory_lanes.ts';
import { comparableFacet, plainFacet } from '../../worker/scan/support.ts';
import type { Draw } from './draw.ts';
import type { Answer, Served } from './served.ts';

/** What was asked of a snapshot that may be replaced by now, and the lines that are still to come. */
export type Held = { readonly query: Query; readonly rest: readonly string[]; readonly total: number; readonly snapshot: number };

/** The living lines of a snapshot, segment by segment. */
type Snapshot = { readonly number: number; readonly parts: readonly (readonly string[])[] };

/** Of one walk. */
const PAGES_MAX = 12;

type Line = { readonly text: string; readonly row: Row; readonly part: number };

/** Holds searches over what is served to a plain loop. Gives a walk that was not gone to its end. */
export async function compareSearches(served: Served, dataset: Dataset, { number, parts }: Snapshot, draw: Draw, searches: number): Promise<Held[]> {
  const lines = parts.flatMap((part, at) => part.map((text): Line => ({ text, row: JSON.parse(text) as Row, part: at })));
  const words = vocabulary(dataset, WIDER);
  const asked = fc.sample(searchOf(dataset, lines.map(({ row }) => row)), { seed: draw.seed(), numRuns: searches });
  const held: Held[] = [];
  for (const search of [{ filters: [], terms: [] }, ...asked]) {
    const test = matches(search.filters, search.terms, words);
    const found = lines.filter(({ row }) => test(row));
    const identity = draw.chance(0.4);
    if (identity) found.sort((one, other) => compareIdentity(dataset, one, other));
    const pages = draw.one([1, 2, PAGES_MAX]);
    const facets = pages === PAGES_MAX ? [] : draw.some(words.filters, 0.15).map(({ name }) => name);
    const query = queryOf({ type: dataset, ...search, facets, limit: draw.one([2, 5, 25]), timeoutMs: 30_000, ...(identity ? { hops: [] } : {}) });
    const expected = found.map(({ text }) => text);
    held.push(...await compareWalk(served, query, { expected, rows: found.map(({ row }) => row), number, pages }));
    if (draw.chance(0.3)) assert.deepEqual((await served.stream({ type: dataset, ...search, dedupe: false })).toSorted(), expected.toSorted(), 'the stream has all matches');
  }
  return held;
}

/** In the order of identity; of one identity as its segments stand, then by the id. */
function compareIdentity(dataset: Dataset, one: Line, other: Line): number {
  const [a, b] = [identityOf(dataset, one.row), identityOf(dataset, other.row)];
  return a.class - b.class || compareText(a.key, b.key) || one.part - other.part || compareText(one.row.id as string, other.row.id as string);
}

type Expected = { readonly expected: readonly string[]; readonly rows: readonly Row[]; readonly number: number; readonly pages: number };

async function compareWalk(served: Served, query: Query, { expected, rows, number, pages }: Expected): Promise<Held[]> {
  let cursor: string | null = null;
  for (let at = 0, nth = 0; ; at += query.limit, nth += 1) {
    const answer: Answer = await served.page({ ...query, cursor });
    comparePage(answer, query, { expected: expected.slice(at), total: expected.length });
    compareFacets(answer, query, rows);
    cursor = answer.cursor;
    if (cursor === null) return [];
    if (nth + 1 >= pages) return [{ query: { ...query, cursor }, rest: expected.slice(at + query.limit), total: expected.length, snapshot: number }];
  }
}

/** Goes on with a walk that was begun on a snapshot that is replaced by now. */
export async function compareHeld(served: Served, { query, rest, total }: Held): Promise<void> {
  comparePage(await served.page(query), query, { expected: rest, total });
}

function comparePage({ lines, total, cursor }: Answer, { limit }: Query, wanted: { readonly expected: readonly string[]; readonly total: number }): void {
  assert.deepEqual(lines, wanted.expected.slice(0, limit), 'the page');
  assert.equal(total, wanted.total, 'the total');
  assert.ok(cursor !== null || wanted.expected.length <= limit, 'a cursor where rows are left');
  assert.ok(cursor === null || wanted.expected.length >= limit, 'no cursor behind a page that is not full');
}

function compareFacets({ facets }: Answer, { type, facets: asked }: Query, rows: readonly Row[]): void {
  for (const name of asked) {
    const spec = vocabulary(type, WIDER).filters.find((each) => each.name === name)!;
    const found = comparableFacet(spec, facets![name]!.map(({ value, count }) => [value, count] as const));
    const plain = plainFacet(spec, rows);
    if (found.size < plain.size) {
      for (const [value, count] of found) assert.equal(count, plain.get(value), `facet ${name} at ${value}`);
      assert.ok(found.size >= 10);
    } else assert.deepEqual(found, plain, `facet ${name}`);
  }
}
