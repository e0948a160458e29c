import { SourceFailure } from '../source.ts';
import { literal } from './dialect.ts';
import { SORT_SETTINGS } from './sorting.ts';

/** Settings by which a profile could have a server leave rows out and call the answer whole. Each statement is sent with these instead; every server knows them. */
export const WHOLE_ANSWERS: Readonly<Record<string, string>> = {
  skip_unavailable_shards: '0',
  distributed_group_by_no_merge: '0',
  // With it a count of nothing has no row.
  empty_result_for_aggregation_by_empty_set: '0',
  read_overflow_mode: 'throw', group_by_overflow_mode: 'throw', sort_overflow_mode: 'throw', result_overflow_mode: 'throw', timeout_overflow_mode: 'throw',
  set_overflow_mode: 'throw', distinct_overflow_mode: 'throw', transfer_overflow_mode: 'throw',
  // Of a view that joins.
  join_overflow_mode: 'throw',
};

/** The same of newer servers; an old one would refuse a statement that names them, so they are looked at and must be so already. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  // Believes the sharding key, which whoever writes to the shards themselves need not heed.
  optimize_skip_unused_shards: ['0'],
  read_overflow_mode_leaf: ['throw'],
  timeout_overflow_mode_leaf: ['throw'],
  limit: ['0'],
  offset: ['0'],
  partial_result_on_first_cancel: ['0', 'false'],
};

/**
 * What of these a server has, and how it sorts, as it stands for a statement of ours: in one row, because a `limit` of the profile cuts this answer too. Once a server
 * has put `limit` or `offset` to work it shows 0 for both, and both as changed; one that was set to 0 is changed alone.
 */
export const HELD_SETTINGS = `SELECT groupArray([name, value]) AS held, countIf(changed = 1 AND name IN ('limit', 'offset')) = 2 AS cut
  FROM system.settings WHERE name IN (${[...Object.keys(WHOLE_ANSWERS), ...Object.keys(LATER), ...SORT_SETTINGS].map(literal).join(', ')})`;

export type HeldSettings = { readonly held: readonly (readonly [name: string, value: string])[]; readonly cut: 0 | 1 };

/** A server that may leave rows out is no source. */
export function assertWhole([row]: readonly HeldSettings[]): void {
  const wrong = (row?.held ?? []).filter(([name, value]) => !SORT_SETTINGS.includes(name) && !(LATER[name] ?? [WHOLE_ANSWERS[name]]).includes(value)).map(([name, value]) => `${name} is ${value}`);
  // No row comes of one that skips the first.
  if (row === undefined || row.cut === 1) wrong.push('limit or offset is set');
  if (wrong.length > 0) throw new SourceFailure('refused', `the server may leave rows out without a word: ${wrong.join(', ')}`);
}
