import assert from 'node:assert/strict';
import { seeded } from '../../../bench/support/figures.ts';
import type { Row } from '../../../src/model/field.ts';
import type { Json } from '../../system/service.ts';
import type { Chance } from './people.ts';
import { facetOf, folded, formOf, identityOf, matching, merged, SEARCHABLE, wordsOf, type Asked, type Merged, type Range, type Terms } from './truth.ts';
import type { World } from './world.ts';

const FILTERED = ['country', 'region', 'city', 'industry', 'seniority', 'department', 'job_title', 'company_name', 'company_domain', 'email', 'email_domain', 'linkedin_url', 'updated_at', 'id', 'has_email', 'has_phone', 'has_linkedin'];
const QUERIES = ['engineering', 'eng*', '"vp engineering"', 'sales -intern', 'straße', 'acme', 'umbrella inc', 'c', 'sql', '"head of"', 'muenchen', 'munchen'];
const FACETTED = FILTERED.filter((name) => name !== 'id');
const SIZES = [1, 3, 10, 40, 100];

/** A search of a seed, the same over the same rows. */
export function searchOf(world: World, seed: number): Asked {
  const chance = seeded(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!;
  const some = (list: readonly string[], count: number): string[] => [...new Set(Array.from({ length: count }, () => pick(list)))];
  const names = [...world.rows.keys()];
  const filters = Object.fromEntries(some(FILTERED, Math.floor(chance() * 3)).map((name) => [name, filterOf(world, name, chance)]));
  const narrows = Object.entries(filters).some(([name, asked]) => !name.startsWith('has_') && (Array.isArray(asked) || 'include' in asked || 'min' in asked || 'max' in asked));
  return {
    type: 'contacts',
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(narrows && chance() < 0.5 && { query: chance() < 0.4 ? pick(QUERIES) : queryOf(world, chance) }),
    ...(chance() < 0.3 && { dedupe: false }),
    ...(chance() < 0.6 && { sources: { only: some(names, 1 + Math.floor(chance() * 3)) } }),
    ...(chance() < 0.5 && { facets: some(FACETTED, 2) }),
    ...(chance() < 0.2 && { fields: some(['email', 'city', 'phone', 'skills', 'sources', 'job_title'], 3) }),
    ...(chance() < 0.2 && { count: 'none' as const }),
  };
}

/** Of words that some rows have. */
function queryOf(world: World, chance: Chance): string {
  const rows = [...world.rows.values()].flat();
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!;
  const term = (): string => {
    const held = SEARCHABLE.flatMap((field) => pick(rows)[field] ?? []).map((text) => wordsOf(String(text))).filter((words) => words.length > 0);
    const words = held.length === 0 ? ['nobody'] : pick(held);
    const word = [...pick(words)].slice(0, 40).join('');
    return pick([word, `${[...word].slice(0, 2).join('')}*`, `"${words.slice(0, 3).map((one) => [...one].slice(0, 25).join('')).join(' ')}"`]);
  };
  return `${term()}${chance() < 0.3 ? ` -${term()}` : ''}`;
}

const LISTED = new Set(['vp', 'manager', 'head', 'intern', 'director']);

function filterOf(world: World, name: string, chance: Chance): Terms | Range | readonly string[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!;
  if (name.startsWith('has_')) return pick([['true'], ['false'], ['true', 'false']]);
  if (name === 'updated_at') return pick([{ min: '2024-01-31T09:30:00Z' }, { max: '2024-01-31T09:30:00Z' }, { min: '1999-12-31', max: '2024-12-31T00:00:00Z' }]);
  const value = (): string => {
    const row = pick(pick([...world.rows.values()].filter((rows) => rows.length > 0)));
    const held = row[name === 'email_domain' ? 'email' : name];
    if (typeof held !== 'string' || (name === 'seniority' && !LISTED.has(held.toLowerCase()))) return name === 'country' ? 'US' : name === 'seniority' ? 'vp' : 'Berlin';
    const text = name === 'email_domain' ? held.slice(held.lastIndexOf('@') + 1) : held;
    if (name === 'seniority' || name === 'id' || chance() > 0.3) return text;
    // Not every capital folds as its letter does.
    return folded(text.toUpperCase()) === folded(text) ? text.toUpperCase() : text;
  };
  const values = (): string[] => Array.from({ length: 1 + Math.floor(chance() * 4) }, value);
  return pick([values(), { include: values() }, { exclude: values() }, { include: values(), exclude: values() }]);
}

/** Asks a search in every way, and holds the answers to what the contract says of the rows that the sources show. */
export async function compareSearch(world: World, asked: Asked, seed: number): Promise<number> {
  const limit = SIZES[seed % SIZES.length]!;
  const names = [...world.rows.keys()].filter((name) => asked.sources?.only.includes(name) ?? true);
  const found = new Map(names.map((name) => [name, matching(world.rows.get(name)!, asked)] as const));
  const bySource = new Map([...found].map(([name, rows]) => [name, rows.filter((row) => !world.isHidden(row))] as const).filter(([, rows]) => rows.length > 0));
  const all = [...bySource.values()].flat();
  const held = [...found.values()].flat();
  const dedupes = asked.dedupe !== false && names.length > 1;
  const expected = dedupes ? merged(bySource) : all.map((row): Merged => ({ row, sources: [String(row.source)], fills: {} }));

  const first = await world.page({ ...asked, limit });
  assert.deepEqual([first.errors, first.partial], [[], false]);
  const walked = await walk(world, asked, limit, first);
  compareRows(asked, walked, expected, dedupes);
  const isSeen = first.next_cursor === null;
  compareTotal(asked, first, { rows: expected.length, matches: all.length, held: held.length, isSeen });
  for (const name of asked.facets ?? []) compareFacet(name, first, { all, held: isSeen ? all : held }, names);
  for (const { source, matched } of first.sources as Json[]) {
    const [least, most] = [bySource.get(source)?.length ?? 0, found.get(source)!.length];
    if (asked.count !== 'none') assert.ok(matched >= least && matched <= (isSeen ? least : most), `${matched} matches of ${source}, which has ${least}`);
  }

  const { facets: _facets, ...streamed } = asked;
  const { rows, end } = await world.stream({ ...streamed, dedupe: dedupes });
  compareRows(asked, rows, expected, dedupes);
  assert.deepEqual([end.partial, end.returned, end.total, end.total_relation, end.next_cursor], [false, expected.length, expected.length, 'eq', null]);
  return expected.length;
}

async function walk(world: World, asked: Asked, limit: number, first: Json): Promise<Row[]> {
  const rows: Row[] = [...first.results as Row[]];
  // A walk may change its limit; one that is long is taken up in longer strides. Totals and facets are held to the truth on the first page.
  for (let cursor = first.next_cursor as string | null, size = limit; cursor !== null; size = Math.min(1_000, size * 2)) {
    const page = await world.page({ ...asked, facets: [], count: 'none', limit: size, cursor });
    assert.ok(page.results.length === size || page.next_cursor === null, 'a page that is short is the last');
    assert.deepEqual([page.errors, page.partial], [[], false]);
    rows.push(...page.results as Row[]);
    cursor = page.next_cursor;
  }
  return rows;
}

function compareRows(asked: Asked, found: readonly Row[], expected: readonly Merged[], dedupes: boolean): void {
  assert.deepEqual(found.map(({ id }) => id).toSorted(), expected.map(({ row }) => row.id).toSorted(), 'each row once, and no other');
  const byId = new Map(expected.map((one) => [one.row.id, one]));
  for (const row of found) compareRow(asked, row, byId.get(row.id)!);
  if (!dedupes) return;
  const places = found.map(({ id }) => identityOf(byId.get(id)!.row));
  for (let at = 1; at < places.length; at += 1) {
    const [a, b] = [places[at - 1]!, places[at]!];
    if (a[0] > b[0] || (a[0] === b[0] && Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1])) > 0)) assert.fail(`${a.join(' ')} comes before ${b.join(' ')}`);
  }
}

function compareRow({ fields }: Asked, found: Row, { row, sources, fills }: Merged): void {
  const names = Object.keys(row).filter((name) => fields === undefined || name === 'id' || name === 'source' || fields.includes(name));
  assert.deepEqual(Object.keys(found), names, 'the fields of the row');
  for (const name of names) {
    const right = name === 'sources' ? [sources] : row[name] === null ? fills[name] ?? [null] : [row[name]];
    if (!right.some((value) => JSON.stringify(value) === JSON.stringify(found[name]))) assert.fail(`${name} of ${String(row.id)} is ${JSON.stringify(found[name])}, not one of ${JSON.stringify(right)}`);
  }
}

/** `matches`: before duplicates are taken; `held`: and who is suppressed. */
function compareTotal({ count }: Asked, { total, total_relation: relation, returned }: Json, { rows, matches, held, isSeen }: { rows: number; matches: number; held: number; isSeen: boolean }): void {
  const told = `${total} ${relation} of ${rows}, of ${matches} with duplicates`;
  if (isSeen) assert.deepEqual([total, relation], [rows, 'eq'], told);
  else if (count === 'none') assert.deepEqual([total, relation], [returned, 'gte'], told);
  else if (relation === 'eq') assert.equal(total, rows, told);
  else assert.ok(relation === 'lte' && total >= matches && total <= held, told);
}

/** `held`: all that the engines may count, who is suppressed among them. */
function compareFacet(name: string, { facets, warnings }: Json, { all, held }: { all: readonly Row[]; held: readonly Row[] }, names: readonly string[]): void {
  const silent = new Set(names.filter((source) => (warnings as string[]).some((one) => one.startsWith(`${source} did not count the facet`) && new RegExp(`[ ,]${name}[:,]`).test(one))));
  const [least, most] = [all, held].map((rows) => facetOf(rows.filter(({ source }) => !silent.has(String(source))), name));
  const found = facets[name] as { value: string; count: number }[];
  if (all.length === held.length) assert.deepEqual(found.map(({ count }) => count), [...least!.values()].sort((a, b) => b - a).slice(0, 20), `the counts of facet ${name}`);
  for (const { value, count } of found) {
    const key = name.startsWith('has_') || name === 'updated_at' ? value : formOf(name, value);
    if (!(count >= (least!.get(key) ?? 0) && count <= (most!.get(key) ?? 0))) assert.fail(`facet ${name} at ${value} is ${count}, not ${least!.get(key)} to ${most!.get(key)}`);
  }
}
