import { hundredths } from '../lib/rounding.ts';
import type { Outcome, TotalRelation } from '../model/outcome.ts';
import type { Query } from '../model/query.ts';
import type { Plan } from '../plan/plan.ts';
import type { LaneFailure, LaneReader } from './lane_reader.ts';

/** What the sources' part of an answer says beside its rows. */
export type Report = {
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  readonly partial: boolean;
  readonly total: number;
  readonly relation: TotalRelation;
};

/**
 * What the delivery of the rows knows: `exhausted` when no lane has a row left, `cut[lane]` where the deadline struck before rows that had come were delivered, or where `cancelled`
 * the call was told to stop, as all are when the service ends; `leftOut` where some of them were suppressed meanwhile; `unsure`: warnings of facets.
 */
type Delivery = {
  readonly returned: readonly number[]; readonly exhausted: boolean; readonly cut: readonly boolean[]; readonly cancelled?: boolean; readonly leftOut: boolean;
  readonly unsure?: readonly string[];
};

export function reportOf(plan: Plan, query: Query, readers: readonly LaneReader[], delivery: Delivery): Report {
  const asked = plan.sources.map((source) => outcomeOf(source, readers, delivery, query));
  const outcomes = isCountedByRows(plan, query, delivery) && asked.every(hasAllRows) ? asked.map(counted) : asked;
  const partial = outcomes.some(isNotComplete);
  const lost = partial ? outcomes.filter(isNotComplete) : NONE_LOST;
  const told = partial || query.facets.length > 0;
  const { total, relation } = countOf(plan, query, outcomes, readers, delivery, partial && !lost.every(isOnlyUncounted));
  return {
    outcomes,
    warnings: told ? [...plan.warnings, ...lost.map((outcome) => warningOf(outcome, plan, relation)), ...uncounted(query, outcomes, readers), ...delivery.unsure ?? NO_ERRORS] : plan.warnings,
    errors: partial ? lost.map(({ source, reason }) => `${source}: ${reason}`) : NO_ERRORS,
    partial,
    total,
    relation,
  };
}

const NONE_LOST: readonly Outcome[] = [];
const NO_ERRORS: readonly string[] = [];

function isNotComplete({ status }: Outcome): boolean {
  return status !== 'complete';
}

/** Whether a page that nobody lost a row of was counted by handing it over. The line of a source that ended amid a stream was told before anybody knew. */
function isCountedByRows({ fromStart }: Plan, { delivery, facets }: Query, { exhausted }: Delivery): boolean {
  return exhausted && fromStart && delivery === 'page' && facets.length === 0;
}

function hasAllRows(outcome: Outcome): boolean {
  return outcome.reason === null || isOnlyUncounted(outcome);
}

function counted(outcome: Outcome): Outcome {
  return outcome.reason === null ? outcome : { ...outcome, status: 'complete', reason: null };
}

/** Facets are added up from what the sources count: one that did not is told. */
function uncounted({ facets }: Query, outcomes: readonly Outcome[], readers: readonly LaneReader[]): string[] {
  if (facets.length === 0) return [];
  return outcomes.flatMap(({ source, status }) => {
    const lanes = readers.filter(({ lane }) => lane.source === source);
    const isCounted = (name: string, { facets: counted }: LaneReader): boolean => counted?.some((one) => one.name === name) === true;
    const silent = facets.filter((name) => status === 'skipped' || !lanes.every((lane) => isCounted(name, lane)));
    if (silent.length === 0) return [];
    // What some of its parts counted is added up.
    const inPart = silent.some((name) => lanes.some((lane) => isCounted(name, lane)));
    return [`${source} did not count the ${silent.length === 1 ? 'facet' : 'facets'} ${silent.join(', ')}: ${inPart ? 'some of its' : 'its'} rows are missing there`];
  });
}

function outcomeOf(source: Plan['sources'][number], readers: readonly LaneReader[], delivery: Delivery, query: Query): Outcome {
  let returned = 0;
  let struck: string | null = null;
  let rowsDropped = 0;
  let late: LaneReader['uncounted'] = null;
  let matched: number | null = source.skip === null && query.count === 'exact' ? 0 : null;
  let tookMs = 0;
  for (let lane = 0; lane < readers.length; lane += 1) {
    const reader = readers[lane]!;
    if (reader.lane.source !== source.name) continue;
    returned += delivery.returned[lane]!;
    struck ??= reasonOf(reader) ?? (delivery.cut[lane]! ? (delivery.cancelled === true ? CANCELLED : TIMED_OUT) : null);
    rowsDropped += reader.dropped;
    late ??= reader.uncounted;
    matched = matched === null || reader.matched === null ? null : matched + reader.matched;
    tookMs = Math.max(tookMs, reader.tookMs);
  }
  const lost = source.skip ?? struck ?? dropped(rowsDropped);
  const reason = lost ?? (late === null ? null : UNCOUNTED[late]);
  const status = source.skip !== null ? 'skipped' : reason === null ? 'complete' : returned > 0 || lost === null ? 'partial' : 'failed';
  return { source: source.name, status, reason, returned, matched, took_ms: hundredths(tookMs), filters: source.filters };
}

/** Why a source is not there at all. */
export const UNREACHABLE = 'unreachable';
const TIMED_OUT = 'timed out';
const CANCELLED = 'cancelled';

/** The words of the house alone: what a provider says of its failure stays inside. */
function reasonOf(reader: LaneReader): string | null {
  if (reader.failure !== null) return FAILURES[reader.failure];
  switch (reader.ended) {
    case 'deadline': return TIMED_OUT;
    case 'cancelled': return CANCELLED;
    case 'failed': return 'the scan failed';
    case 'end': case null: return null;
    default: return reader.ended satisfies never;
  }
}

function dropped(rows: number): string | null {
  return rows === 0 ? null : `${rows} ${rows === 1 ? 'row' : 'rows'} could not be used`;
}

const FAILURES: Readonly<Record<LaneFailure, string>> = {
  overloaded: 'overloaded',
  worker_lost: 'the scan failed',
  scan_crashed: 'the scan failed',
  segment_unknown: 'the scan failed',
  unreachable: UNREACHABLE,
  refused: 'the source refused the search',
  broken: 'the source failed amid the scan',
  malformed: 'the source sent what it should not',
  partial: 'the source itself answered in part',
  looped: 'the source asks this gateway in turn',
  too_many: 'too many rows match to be put in order',
  incomplete: 'a part of the source cannot be read',
  changed: 'the source has changed since the cursor was cut',
};

const UNCOUNTED = { deadline: 'counting timed out', cancelled: 'counting was cancelled', failed: 'counting failed' } as const;

/** All its rows are there, but not their number. A source that can never count is complete. */
function isOnlyUncounted({ reason }: Outcome): boolean {
  return Object.values(UNCOUNTED).some((one) => one === reason);
}

function warningOf(outcome: Outcome, { sources }: Plan, relation: TotalRelation): string {
  const { source, status, reason, matched } = outcome;
  if (status === 'skipped') {
    const given = sources.some(({ name, given: is }) => is && name === source);
    return `${source} was not asked (${reason}): ${given ? 'its rows were all given before, but are not counted' : 'its rows are missing'}`;
  }
  if (!isOnlyUncounted(outcome)) return `${source} did not finish (${reason}): some of its rows may be missing`;
  const missing = matched === null && relation !== 'eq' ? 'not all of its matches may be in the total' : 'not all of its counts';
  return `${source} did not finish (${reason}): its rows are there, but ${missing}`;
}

/**
 * An exact total needs every source's count, and either no overlap and nobody suppressed to subtract or all rows in hand. What was seen from the
 * start to the end was counted by handing it over. Whether who was suppressed meanwhile had been counted nobody knows.
 */
function countOf(plan: Plan, query: Query, outcomes: readonly Outcome[], readers: readonly LaneReader[], delivery: Delivery, lost: boolean): { total: number; relation: TotalRelation } {
  let returned = 0;
  for (const rows of delivery.returned) returned += rows;
  const seenWhole = delivery.exhausted && plan.fromStart && !lost;
  if (seenWhole) return { total: returned, relation: 'eq' };
  if (query.count === 'none') return { total: returned, relation: 'gte' };
  let matched = 0;
  let matching = 0;
  let over = delivery.leftOut;
  let short = lost;
  for (const outcome of outcomes) {
    const own = outcome.matched ?? outcome.returned;
    matched += own;
    if (own > 0) matching += 1;
    if (outcome.matched === null) short = true;
  }
  for (const { overcounts, undercounts } of readers) {
    if (overcounts) over = true;
    if (undercounts) short = true;
  }
  if (plan.dedupe && matching > 1) over = true;
  return { total: Math.max(matched, returned), relation: short ? (over ? 'approx' : 'gte') : over ? 'lte' : 'eq' };
}
