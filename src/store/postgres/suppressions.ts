import { LIMITS } from '../../config/limits.ts';
import type { SuppressionKind, SuppressionTerm } from '../../model/suppression/term.ts';
import type { Suppression, SuppressionChange, SuppressionPage } from '../suppression_store.ts';
import type { Sql } from './connection.ts';

/**
 * Writers take turns at the one row of the head, which each holds until his transaction ended: so revisions become visible in their
 * order, and who reads on from the latest he saw misses none. A term that was removed stays as a mark under its last revision.
 */
export async function addSuppressions(sql: Sql, terms: readonly SuppressionTerm[], nowMs: number): Promise<number> {
  const head = await holdHead(sql);
  const changed = await sql.run(
    `INSERT INTO suppressions AS s (digest, kind, value, created_ms, revision, removed)
     SELECT g.digest, g.kind, g.value, $4, $5::bigint + row_number() OVER (ORDER BY g.place), false
     FROM (SELECT DISTINCT ON (digest) * FROM unnest($1::bytea[], $2::text[], $3::text[]) WITH ORDINALITY g(digest, kind, value, place) ORDER BY digest, place) g
     WHERE NOT EXISTS (SELECT 1 FROM suppressions o WHERE o.digest = g.digest AND NOT o.removed)
     ON CONFLICT (digest) DO UPDATE
       SET kind = excluded.kind, value = excluded.value, created_ms = excluded.created_ms, revision = excluded.revision, removed = false`,
    ...columnsOf(terms), nowMs, head,
  );
  await moveHead(sql, head, changed);
  return changed;
}

export async function removeSuppressions(sql: Sql, terms: readonly SuppressionTerm[]): Promise<number> {
  const head = await holdHead(sql);
  const changed = await sql.run(
    `UPDATE suppressions s SET kind = g.kind, value = g.value, created_ms = 0, revision = $4::bigint + g.step, removed = true
     FROM (
       SELECT f.*, row_number() OVER (ORDER BY f.place) AS step
       FROM (SELECT DISTINCT ON (digest) * FROM unnest($1::bytea[], $2::text[], $3::text[]) WITH ORDINALITY g(digest, kind, value, place) ORDER BY digest, place) f
       JOIN suppressions o ON o.digest = f.digest AND NOT o.removed
     ) g
     WHERE s.digest = g.digest`,
    ...columnsOf(terms), head,
  );
  await moveHead(sql, head, changed);
  return changed;
}

function columnsOf(terms: readonly SuppressionTerm[]): [Uint8Array[], string[], (string | null)[]] {
  return [terms.map(({ digest }) => digest), terms.map(({ kind }) => kind), terms.map(({ value }) => value)];
}

/** Those who are before it may have much to write. */
async function holdHead(sql: Sql): Promise<number> {
  await sql.run(`SET LOCAL lock_timeout = ${LIMITS.databaseLongMs}`);
  return (await sql.get<{ revision: number }>('SELECT revision FROM suppressions_head FOR UPDATE'))!.revision;
}

async function moveHead(sql: Sql, head: number, changed: number): Promise<void> {
  if (changed > 0) await sql.run('UPDATE suppressions_head SET revision = $1', head + changed);
}

export function suppressions(sql: Sql, kind: SuppressionKind | null, { afterRevision, rowsMax }: SuppressionPage): Promise<Suppression[]> {
  const columns = 'SELECT kind, digest, value, created_ms AS "createdMs", revision FROM suppressions';
  if (kind === null) return sql.all<Suppression>(`${columns} WHERE revision > $1 AND NOT removed ORDER BY revision LIMIT $2`, afterRevision, rowsMax);
  return sql.all<Suppression>(`${columns} WHERE kind = $1 AND revision > $2 AND NOT removed ORDER BY revision LIMIT $3`, kind, afterRevision, rowsMax);
}

export function suppressionChanges(sql: Sql, afterRevision: number, rowsMax: number): Promise<SuppressionChange[]> {
  const text = 'SELECT kind, digest, value, revision, NOT removed AS present FROM suppressions WHERE revision > $1 ORDER BY revision LIMIT $2';
  return sql.all<SuppressionChange>(text, afterRevision, rowsMax);
}

export async function suppressionCounts(sql: Sql): Promise<Record<SuppressionKind, number>> {
  const rows = await sql.all<{ kind: SuppressionKind; count: number }>('SELECT kind, count(*) AS count FROM suppressions WHERE NOT removed GROUP BY kind');
  const counts: Record<SuppressionKind, number> = { email: 0, domain: 0, linkedin_url: 0 };
  for (const { kind, count } of rows) counts[kind] = count;
  return counts;
}
