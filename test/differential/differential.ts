import assert from 'node:assert/strict';
import { readQuery } from '../../src/find/request/read_query.ts';
import { lexicon } from '../../src/find/request/lexicon.ts';
import { matches } from '../../src/filter/matches.ts';
import { SOURCE, type Service } from '../../bench/support/lake.ts';
import { LIMITS } from '../../src/config/limits.ts';
import type { Row } from '../../src/model/field.ts';
import type { Query } from '../../src/model/query.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { comparableFacet, plainFacet } from '../worker/scan/support.ts';
import { compareForms } from './forms.ts';
import { Searches, type Body } from './searches.ts';
import { headersOf, openWorld, type World } from './world.ts';

const WORDS = { contacts: vocabulary('contacts'), companies: vocabulary('companies') };
const LEXICONS = { contacts: lexicon(WORDS.contacts), companies: lexicon(WORDS.companies) };
const SOURCES = { contacts: new Set([SOURCE]), companies: new Set<string>() };

/** What is compared is what is found, and not how fast a busy machine finds it. */
const PATIENCE_MS = LIMITS.pageTimeoutMsMax;
const REASON_CHARS_MAX = 1_500;

type Order = {
  readonly rows: number; readonly seed: number; readonly searches: number;
  /** The number of the first search: a failing one alone is `from` it, one search. */
  readonly from: number;
};
type Compared = { readonly searches: number; readonly matched: number; readonly streamed: number; readonly byEngine: number; readonly rowsOfEngine: number };

/**
 * Holds the running service to a plain loop over all of its rows, and to DuckDB over the Parquet they were made of, for searches of a
 * seed: totals, pages, next pages, facets, and the full row set as a stream. Throws at the first difference, with what replays it.
 */
export async function compareLake({ rows, seed, searches, from }: Order): Promise<Compared> {
  const world = await openWorld(rows, seed);
  const made = new Searches(seed, world.rows);
  const compared = { searches: 0, matched: 0, streamed: 0, byEngine: 0, rowsOfEngine: world.rows.length - world.truth.left };
  try {
    await compareTruth(world);
    for (let nth = from; nth < from + searches; nth += 1) {
      const body = made.at(nth);
      try {
        const { matched, byEngine } = await compareOne(world, body, nth);
        compared.searches += 1;
        compared.matched += matched;
        compared.streamed += matched;
        compared.byEngine += byEngine;
      } catch (error) {
        throw new Error(told({ rows, seed, from: nth, searches: 1 }, body, error as Error), { cause: error });
      }
    }
  } finally {
    await world.close();
  }
  return compared;
}

/** What replays it and what differs come first: a search may be of tens of thousands of characters, and what is told of a failure is cut. */
function told({ rows, seed, from }: Order, body: Body, { message, cause }: Error): string {
  const why = `${message.slice(0, REASON_CHARS_MAX)}${cause === undefined ? '' : ` (${String(cause).slice(0, REASON_CHARS_MAX)})`}`;
  return `search ${from} differs, replay: npm run bench -- differential --rows ${rows} --seed ${seed} --from ${from} --searches 1\n${why}\nof ${JSON.stringify(body)}`;
}

/** No row is lost or changed between the Parquet and the stream of everything. */
async function compareTruth({ rows, truth }: World): Promise<void> {
  const comparable = rows.filter((row) => truth.compares(row)).map(({ id }) => id);
  assert.deepEqual(await truth.find([], []), comparable, 'the rows of the lake are those of its Parquet, in its order');
}

async function compareOne(world: World, body: Body, nth: number): Promise<{ matched: number; byEngine: number }> {
  const { service, rows, truth } = world;
  const query = readQuery(body as never, 'page', LEXICONS, SOURCES);
  const expected = rows.filter(matches(query.filters, query.terms, WORDS.contacts));
  await comparePages(service, body, query, expected);
  assert.deepEqual(await streamedIds(world, body), expected.map(({ id }) => id), 'the stream has all matches in their order');
  await compareForms(world, body, { all: expected, limit: query.limit }, nth);
  const comparable = expected.filter((row) => truth.compares(row)).map(({ id }) => id);
  assert.deepEqual(await truth.find(query.filters, query.terms), comparable, `DuckDB finds what the plain loop finds, in search ${nth}`);
  return { matched: expected.length, byEngine: comparable.length };
}

type Found = {
  readonly errors: readonly string[]; readonly results: Row[];
  readonly total: number; readonly total_relation: string; readonly next_cursor: string | null;
  readonly facets: Record<string, { value: string; count: number }[]> | null;
};

async function comparePages(service: Service, body: Body, query: Query, expected: readonly Row[]): Promise<void> {
  const first = await page(service, body);
  assert.deepEqual(first.errors, [], 'the answer is whole');
  assert.deepEqual([first.total, first.total_relation], [expected.length, 'eq'], 'the total');
  assert.deepEqual(first.results, expected.slice(0, query.limit), 'the first page');
  assert.ok(first.next_cursor !== null || expected.length <= query.limit, 'a cursor where rows are left');
  for (const name of query.facets) compareFacet(name, first.facets![name]!, expected);
  if (first.next_cursor === null) return;
  const second = await page(service, { ...body, cursor: first.next_cursor });
  assert.deepEqual(second.results, expected.slice(query.limit, 2 * query.limit), 'the second page');
  // A scan whose time was over with the last row had no time to see that it was the last.
  assert.ok(expected.length > query.limit || second.next_cursor === null, 'no cursor after an empty page');
}

function compareFacet(name: string, found: readonly { value: string; count: number }[], expected: readonly Row[]): void {
  const spec = WORDS.contacts.filters.find((each) => each.name === name)!;
  const plain = plainFacet(spec, expected);
  const most = [...plain.values()].sort((a, b) => b - a).slice(0, LIMITS.facetValuesMax);
  assert.deepEqual(found.map(({ count }) => count), most, `the counts of facet ${name}`);
  for (const [value, count] of comparableFacet(spec, found.map(({ value, count }) => [value, count] as const))) assert.equal(count, plain.get(value), `facet ${name} at ${value}`);
}

async function page(service: Service, body: object): Promise<Found> {
  const text = await ask(service, { timeout_ms: PATIENCE_MS, ...body }, 'application/json');
  return JSON.parse(text) as Found;
}

async function streamedIds({ service, linesOf }: World, { type, query, filters }: Body): Promise<string[]> {
  const text = await ask(service, { type, query, filters }, 'application/x-ndjson');
  return linesOf(text).map((line) => (JSON.parse(line) as { id: string }).id);
}

async function ask(service: Service, body: object, accept: string): Promise<string> {
  const answer = await fetch(service.find, { method: 'POST', headers: headersOf(service, accept), body: JSON.stringify(body) });
  const text = await answer.text();
  assert.equal(answer.status, 200, text.slice(0, 1_000));
  return text;
}
