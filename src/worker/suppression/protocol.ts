import type { SharedSuppressions } from '../../model/suppression/suppressions.ts';
import type { SuppressionKind, SuppressionTerm } from '../../model/suppression/term.ts';
import type { SegmentMount } from '../../segment/mount.ts';
import type { Suppression, SuppressionPage } from '../../store/suppression_store.ts';

/**
 * What passes between the front and the one thread that keeps the suppressions: it alone reads and writes them in the store, holds
 * them in shared memory, and marks the rows of every mounted segment that match.
 *
 *   front ── examine {number, segment} ──▶ keeper      before a segment is served
 *   front ◀── examined {number, dead} ──── keeper
 *   front ── ask {number, add...} ───────▶ keeper ── store
 *   front ◀── changed {shared, dead} ───── keeper      whoever made the change
 *   front ◀── answer {number, ...} ─────── keeper      after the change it tells of
 */
export type ToKeeper =
  | { readonly kind: 'examine'; readonly number: number; readonly index: SegmentMount['index']; readonly rows: SegmentMount['rows'] }
  | { readonly kind: 'forget'; readonly number: number }
  | { readonly kind: 'ask'; readonly number: number; readonly question: Question }
  | { readonly kind: 'close' };

export type Question =
  | { readonly verb: 'add'; readonly terms: readonly SuppressionTerm[]; readonly nowMs: number }
  | { readonly verb: 'remove'; readonly terms: readonly SuppressionTerm[] }
  | ({ readonly verb: 'list'; readonly of: SuppressionKind | null } & SuppressionPage);

/** How many terms changed, or the list. */
export type KeptAnswer = number | readonly Suppression[];

export type FromKeeper =
  | { readonly kind: 'changed'; readonly shared: SharedSuppressions; readonly dead: readonly DeadRows[] }
  | ({ readonly kind: 'examined' } & DeadRows)
  | { readonly kind: 'answer'; readonly number: number; readonly answer: KeptAnswer }
  /** `number`: of the segment or the question, as `of` says. */
  | { readonly kind: 'failed'; readonly of: 'examine' | 'ask'; readonly number: number; readonly error: unknown }
  /** The store cannot be read; told once, and `well` when it can be again. */
  | { readonly kind: 'trouble'; readonly error: unknown }
  | { readonly kind: 'well' };

/** One bit a row of a segment that was handed over under the number; null where none is suppressed. */
export type DeadRows = { readonly number: number; readonly dead: SharedArrayBuffer | null };

/** Which store it reads: see `openStore`. */
export type KeeperSettings = { readonly dataDir: string; readonly databaseUrl?: string | null };
