import type { SuppressionKind, SuppressionTerm } from '../../model/suppression/term.ts';
import type { Suppression, SuppressionChange, SuppressionPage } from '../suppression_store.ts';
import type { Sql } from './connection.ts';

const DIGEST_BYTES = 32;

/** A term that was removed lies as a mark under its last revision, and gives way when it comes back. */
export function addSuppressions(sql: Sql, terms: readonly SuppressionTerm[], nowMs: number): number {
  let changed = 0;
  for (const { kind, digest, value } of terms) {
    sql.run('DELETE FROM suppressions WHERE digest = ? AND removed = 1', digest);
    changed += sql.run(
      'INSERT INTO suppressions (digest, kind, value, created_ms, removed) VALUES (?, ?, ?, ?, 0) ON CONFLICT (digest) DO NOTHING', digest, kind, value, nowMs);
  }
  return changed;
}

export function removeSuppressions(sql: Sql, terms: readonly SuppressionTerm[]): number {
  let changed = 0;
  for (const { kind, digest, value } of terms) {
    if (sql.run('DELETE FROM suppressions WHERE digest = ? AND removed = 0', digest) === 0) continue;
    sql.run('INSERT INTO suppressions (digest, kind, value, created_ms, removed) VALUES (?, ?, ?, 0, 1)', digest, kind, value);
    changed += 1;
  }
  return changed;
}

export function suppressions(sql: Sql, kind: SuppressionKind | null, { afterRevision, rowsMax }: SuppressionPage): Suppression[] {
  const columns = 'SELECT kind, digest, value, created_ms AS createdMs, revision FROM suppressions';
  if (kind === null) return sql.all<Suppression>(`${columns} WHERE revision > ? AND removed = 0 ORDER BY revision LIMIT ?`, afterRevision, rowsMax);
  return sql.all<Suppression>(`${columns} WHERE kind = ? AND revision > ? AND removed = 0 ORDER BY revision LIMIT ?`, kind, afterRevision, rowsMax);
}

export function suppressionChanges(sql: Sql, afterRevision: number, rowsMax: number): SuppressionChange[] {
  const text = 'SELECT kind, hex(digest) AS hex, value, revision, removed FROM suppressions WHERE revision > ? ORDER BY revision LIMIT ?';
  const rows = sql.all<Omit<SuppressionChange, 'present' | 'digest'> & { hex: string; removed: number }>(text, afterRevision, rowsMax);
  // One piece of memory for all digests: a blob by itself each, of ten million, would leave the heap full of holes.
  const digests = Buffer.from(rows.map(({ hex }) => hex).join(''), 'hex');
  return rows.map(({ kind, value, revision, removed }, at) => ({
    kind, digest: digests.subarray(at * DIGEST_BYTES, (at + 1) * DIGEST_BYTES), value, revision, present: removed === 0,
  }));
}

export function suppressionCounts(sql: Sql): Record<SuppressionKind, number> {
  const rows = sql.all<{ kind: SuppressionKind; count: number }>('SELECT kind, count(*) AS count FROM suppressions WHERE removed = 0 GROUP BY kind');
  const counts: Record<SuppressionKind, number> = { email: 0, domain: 0, linkedin_url: 0 };
  for (const { kind, count } of rows) counts[kind] = count;
  return counts;
}
