import assert from 'node:assert/strict';
import { openCursor } from '../../src/find/cursor.ts';
import type { Report } from '../../src/federation/outcome.ts';
import type { Query, RowOrder } from '../../src/model/query.ts';
import type { Position } from '../../src/plan/plan.ts';
import { readPlace } from '../../src/sources/place.ts';
import type { MemoryRow } from '../support/memory_lanes.ts';
import { passedAt, type Held } from './rows.ts';
import { MacKey } from '../../src/lib/mac.ts';
import { CURSOR_SECRET } from './world.ts';

/** How many rows of each source have been passed; all of them where a walk is over. */
export type Passed = ReadonlyMap<string, number>;

/** What an answer gave, page or stream alike. */
export type Given = { readonly ids: readonly string[]; readonly report: Report; readonly nextCursor: string | null };

export function passedNowhere(held: readonly Held[]): Passed {
  return new Map(held.map(({ name }) => [name, 0]));
}

export function passedBy(held: readonly Held[], query: Query, cursor: string | null): Passed {
  if (cursor === null) return new Map(held.map(({ name, stored }) => [name, stored.length]));
  const state = openCursor(new MacKey(CURSOR_SECRET), cursor, query);
  return new Map(held.map((one) => [one.name, passedOf(one, state)]));
}

function passedOf(held: Held, { order, lanes }: Position): number {
  const lane = lanes.find(({ source }) => source === held.name);
  if (lane === undefined) throw new Error(`${held.name} is not in the cursor`);
  const passed = typeof lane.after === 'number' ? lane.after + 1 : passedAt(held, order, readPlace(lane.after));
  if (lane.done) assert.equal(passed, held.stored.length, `${held.name} is done in the cursor, and is not`);
  return passed;
}

/** The rows that are left, as a plain loop gives them: of one identity the first source's stand. */
function leftOf(held: readonly Held[], order: RowOrder, from: Passed): MemoryRow[] {
  const left = held.map((one) => one[order].slice(from.get(one.name)!));
  if (order === 'stored') return left.flat();
  const first = new Map<string, number>();
  for (const [at, rows] of left.entries()) for (const row of rows) if (!first.has(identityOf(row))) first.set(identityOf(row), at);
  return left.flatMap((rows, at) => rows.filter((row) => first.get(identityOf(row)) === at)).sort((a, b) => compareIdentity(a, b));
}

/** Sorting is stable: rows of one identity stay in the order of their source. */
function compareIdentity(a: MemoryRow, b: MemoryRow): number {
  return a.keyClass - b.keyClass || Buffer.compare(Buffer.from(a.key), Buffer.from(b.key));
}

function identityOf({ keyClass, key }: MemoryRow): string { return `${keyClass} ${key}`; }

/** What befell the sources of a call, which of them gave a row, and whether it began the walk. */
type Circumstances = { readonly struck: ReadonlySet<string>; readonly gave: ReadonlySet<string>; readonly down: ReadonlySet<string>; readonly fromStart: boolean };

/** Nothing is missing that is not told, and nothing is told without cause. */
export function assertHonest({ report, nextCursor, ids }: Given, query: Query, { struck, gave, down, fromStart }: Circumstances): void {
  const lost = report.outcomes.filter(({ status }) => status !== 'complete');
  const heldBack = isHeldBack(report, query, (source) => struck.has(source) && gave.has(source));
  for (const { source, status, reason } of lost) {
    assert.ok(struck.has(source) || (status === 'skipped' && down.has(source)) || (heldBack && reason === TIMED_OUT), `${source} is told to be ${status} without cause`);
  }
  for (const { status, reason } of report.outcomes) assert.equal(status === 'complete', reason === null);
  assert.equal(report.partial, lost.length > 0);
  assert.deepEqual(report.errors.map((error) => error.split(':')[0]), lost.map(({ source }) => source));
  for (const { source } of lost) assert.equal(report.warnings.filter((warning) => warning.startsWith(`${source} `)).length, 1);
  for (const text of [...report.errors, ...report.warnings]) assert.doesNotMatch(text, /canary|a bug|gone/);
  if (lost.some(({ reason }) => !reason!.startsWith('counting'))) {
    assert.ok(['gte', 'approx'].includes(report.relation), report.relation);
    assert.notEqual(nextCursor, null, 'an answer that lacks rows can be gone on from');
  }
  if (!report.partial && nextCursor === null && fromStart) assert.deepEqual([report.total, report.relation], [ids.length, 'eq']);
}

const TIMED_OUT = 'timed out';

/**
 * A deduped stream ends for all where the deadline strikes amid the rows of one: whatever of the others came meanwhile waits for that one's. So may what it gave itself, where
 * that is of an identity that it may have more of.
 */
function isHeldBack({ outcomes }: Report, { dedupe, delivery }: Query, isCut: (source: string) => boolean): boolean {
  return dedupe && delivery === 'stream' && outcomes.some(({ source, reason }) => reason === TIMED_OUT && isCut(source));
}

/** The rows are those that were next; whatever was passed without being given had its identity given by another source. */
export function assertRows(held: readonly Held[], order: RowOrder, { ids, report }: Given, from: Passed, to: Passed, query: Query): void {
  assert.equal(new Set(ids).size, ids.length, 'a row is given twice');
  const given = new Set(ids);
  const passed = held.flatMap((one) => one[order].slice(from.get(one.name)!, to.get(one.name)!));
  const byId = new Map(passed.map((row) => [row.id, row]));
  for (const id of ids) assert.ok(byId.has(id), `${id} is given, and not passed: it will be given again`);
  const identities = new Set(ids.map((id) => identityOf(byId.get(id)!)));
  for (const row of passed) assert.ok(given.has(row.id) || (order === 'identity' && identities.has(identityOf(row))), `${row.id} is passed, and was never given`);
  for (const { name } of held) assert.ok(to.get(name)! >= from.get(name)!, `${name} goes back`);
  if (order === 'identity' && query.delivery === 'stream' && isCutAlone(report, from, to)) assertGoneOn(held, ids, from, to);
  if (report.partial) return;
  const left = leftOf(held, order, from).map(({ id }) => id);
  // A stream that need not merge gives each source's rows in their order, and the sources as they answer.
  if (order === 'identity' || query.delivery === 'page') assert.deepEqual(ids, left.slice(0, query.limit));
  for (const { name } of held) assert.deepEqual(ids.filter((id) => id.startsWith(`${name}:`)), left.filter((id) => given.has(id) && id.startsWith(`${name}:`)));
  assert.equal(ids.length, Math.min(query.limit, left.length));
}

/** Whether nothing befell a source but that the deadline struck amid its rows. */
function isCutAlone({ outcomes }: Report, from: Passed, to: Passed): boolean {
  return outcomes.every(({ source, reason }) => reason === null || (reason === TIMED_OUT && to.get(source)! > from.get(source)!));
}

/** What is gone on with is what a stream would have given that had not ended. */
function assertGoneOn(held: readonly Held[], ids: readonly string[], from: Passed, to: Passed): void {
  const whole = leftOf(held, 'identity', from).map(({ id }) => id);
  assert.deepEqual([...ids, ...leftOf(held, 'identity', to).map(({ id }) => id)], whole);
}

/** A total that is told to be exact, the least or the most is that. */
export function assertTotal(held: readonly Held[], order: RowOrder, { total, relation, outcomes }: Report): void {
  for (const { source, reason, matched } of outcomes) assert.ok(matched !== null || reason !== null, `${source} did not count, and says no word of it`);
  const truth = leftOf(held, order, passedNowhere(held)).length;
  if (relation === 'eq') assert.equal(total, truth);
  // Of the identities of a source that is missing nobody knows: rows of the others that they would stand for count as matches.
  const rows = held.reduce((sum, { stored }) => sum + stored.length, 0);
  if (relation === 'gte') assert.ok(total <= rows, `at least ${total} of ${rows}`);
  if (relation === 'lte') assert.ok(total >= truth, `at most ${total} of ${truth}`);
}
