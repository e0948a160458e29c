import type { Keeping } from '../../../src/ingest/rewritten.ts';
import type { Part, Published } from './published.ts';

/** How often lives came to what they are for. */
export class Met {
  snapshots = 0;
  /** Snapshots of which rows are gone, and of three segments or more. */
  withGone = 0;
  ofThree = 0;
  /** Upserts that wrote a segment anew: since it was not much larger than what was written with it, and another was; since too much of it was gone. */
  tiersMerged = 0;
  muchGone = 0;
  /** Ingests that found nothing to do. */
  nothingNew = 0;
  /** Erasures of rows of which an older version was gone, and in the files. */
  oldErased = 0;
  /** Walks that went on over a snapshot that was replaced meanwhile. */
  resumed = 0;
  restarts = 0;

  published({ parts }: Published): void {
    this.snapshots += 1;
    if (parts.some(({ entry }) => entry.gone !== undefined)) this.withGone += 1;
    if (parts.length >= 3) this.ofThree += 1;
  }

  upserted(before: Published, { parts }: Published, { smallRowsMax, ratio }: Keeping): void {
    const without = (some: readonly Part[], others: readonly Part[]): Part[] => some.filter(({ entry }) => !others.some((other) => other.entry.id === entry.id));
    const rewritten = without(before.parts, parts);
    const written = without(parts, before.parts).reduce((sum, { living }) => sum + living.length, 0);
    const lines = new Set(parts.flatMap(({ living }) => living));
    const left = rewritten.map(({ living }) => living.filter((line) => lines.has(line)).length).filter((rows) => rows > smallRowsMax);
    const isLarge = (rows: number): boolean => rows > ratio * (written - rows);
    if (left.some(isLarge)) this.muchGone += 1;
    if (rewritten.length < before.parts.length && left.some((rows) => !isLarge(rows))) this.tiersMerged += 1;
  }

  erased(before: Published, { parts }: Published): void {
    const left = new Set(parts.flatMap(({ living }) => living.map(idOf)));
    const erased = new Set(before.parts.flatMap(({ living }) => living.map(idOf)).filter((id) => !left.has(id)));
    if (before.parts.some(({ all, living }) => all.some((line) => erased.has(idOf(line)) && !living.includes(line)))) this.oldErased += 1;
  }
}

function idOf(line: string): string {
  return (JSON.parse(line) as { readonly id: string }).id;
}
