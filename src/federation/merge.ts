import type { LaneReader } from './lane_reader.ts';
import type { PickedRow, RowAt } from './picked.ts';
import type { Chunk } from '../model/chunk.ts';

/** The rows of one lane that share the smallest identity. */
type Share = { readonly lane: number; readonly rows: RowAt[] };

/**
 * Merges lanes that each come in the order of identity. Rows of one identity arrive side by side, so that one group at a time is
 * held: the first source's rows stand, those of the others fill their blanks and are dropped. Lanes of one source never meet.
 *
 *   lane 0 (crm)   a@x  c@x  c@x  ...        group c@x: crm's two rows stand, web's lends its fields
 *   lane 1 (web)   b@x  c@x  d@x  ...
 *
 * A lane that ended early, for whatever reason, counts as empty from there on.
 */
export class IdentityMerge {
  readonly #readers: readonly LaneReader[];
  readonly #heads: Head[];
  #rest: PickedRow[] = [];

  /** `sliceRows`: how many rows a lane is asked for at a time. */
  constructor(readers: readonly LaneReader[], sliceRows: number) {
    this.#readers = readers;
    this.#heads = readers.map((reader) => new Head(reader, sliceRows));
  }

  /** Waits for the first rows of every lane. */
  async begin(): Promise<void> {
    await this.#refillEmpty();
  }

  /** The next rows in order, `rowsMax` of them, fewer only when every lane has ended. */
  async take(rowsMax: number): Promise<PickedRow[]> {
    const picked = this.#rest.splice(0, rowsMax);
    while (picked.length < rowsMax) {
      const group = await this.#nextGroup();
      if (group.length === 0) break;
      const rows = this.#choose(group);
      const fitting = rowsMax - picked.length;
      for (let i = 0; i < rows.length; i += 1) (i < fitting ? picked : this.#rest).push(rows[i]!);
    }
    return picked;
  }

  /** By lane: whether every row of it has been taken. What stands between two takes counts as not taken. */
  over(): boolean[] {
    const waiting = new Set(this.#rest.flatMap(({ lane, passes }) => [lane, ...(passes ?? []).map(([passed]) => passed)]));
    return this.#heads.map((head, lane) => head.over && this.#readers[lane]!.ended === 'end' && !waiting.has(lane));
  }

  async #nextGroup(): Promise<Share[]> {
    await this.#refillEmpty();
    let least: Head | null = null;
    for (const head of this.#heads) {
      if (!head.empty && (least === null || compareHeads(head, least) < 0)) least = head;
    }
    if (least === null) return [];
    const key: RowAt = { chunk: least.chunk!, row: least.row };
    const group: Share[] = [];
    for (let lane = 0; lane < this.#heads.length; lane += 1) {
      const rows = await takeEqual(this.#heads[lane]!, key);
      if (rows.length > 0) group.push({ lane, rows });
    }
    return group;
  }

  async #refillEmpty(): Promise<void> {
    const empty = this.#heads.filter((head) => head.empty && !head.over);
    if (empty.length > 0) await Promise.all(empty.map((head) => head.refill()));
  }

  /** The losers' marks are passed with the winner's last row, so that a page that ends amid a group takes it up again. */
  #choose(group: readonly Share[]): PickedRow[] {
    if (group.length === 1) return group[0]!.rows.map((at): PickedRow => ({ ...at, lane: group[0]!.lane, donors: null, sources: null, passes: null }));
    const byPriority = group.toSorted((a, b) => this.#priority(a) - this.#priority(b));
    const best = this.#priority(byPriority[0]!);
    const winners = byPriority.filter((share) => this.#priority(share) === best);
    const losers = byPriority.filter((share) => this.#priority(share) !== best);
    const donors = losers.length === 0 ? null : losers.flatMap(({ rows }) => rows);
    const sources = losers.length === 0 ? null : [...new Set(byPriority.map(({ lane }) => this.#readers[lane]!.lane.source))];
    const passes = losers.map(({ lane, rows }) => [lane, rows.at(-1)!] as const);
    const rows = winners.flatMap(({ lane, rows }) => rows.map((at): PickedRow => ({ ...at, lane, donors, sources, passes: null })));
    if (passes.length > 0) rows[rows.length - 1] = { ...rows.at(-1)!, passes };
    return rows;
  }

  #priority(share: Share): number {
    return this.#readers[share.lane]!.lane.priority;
  }
}

/** The place in a lane's present chunk. */
class Head {
  readonly #reader: LaneReader;
  readonly #sliceRows: number;
  chunk: Chunk | null = null;
  row = 0;

  constructor(reader: LaneReader, sliceRows: number) {
    this.#reader = reader;
    this.#sliceRows = sliceRows;
  }

  get empty(): boolean { return this.chunk === null; }
  get over(): boolean { return this.chunk === null && this.#reader.ended !== null; }

  async refill(): Promise<void> {
    this.chunk = await this.#reader.next(this.#sliceRows);
    this.row = 0;
  }

  step(): void {
    this.row += 1;
    if (this.row === this.chunk!.rows) this.chunk = null;
  }
}

/** All rows of the lane with this identity; the lane is read on where its chunk ends amid them. */
async function takeEqual(head: Head, key: RowAt): Promise<RowAt[]> {
  const rows: RowAt[] = [];
  while (head.chunk !== null && compareRows(head.chunk, head.row, key.chunk, key.row) === 0) {
    rows.push({ chunk: head.chunk, row: head.row });
    head.step();
    if (head.chunk === null && !head.over) await head.refill();
  }
  return rows;
}

function compareHeads(a: Head, b: Head): number {
  return compareRows(a.chunk!, a.row, b.chunk!, b.row);
}

function compareRows(a: Chunk, i: number, b: Chunk, j: number): number {
  const left = a.identity!;
  const right = b.identity!;
  if (left.class[i]! !== right.class[j]!) return left.class[i]! - right.class[j]!;
  const leftLength = left.end[i]! - left.start[i]!;
  const rightLength = right.end[j]! - right.start[j]!;
  const shared = Math.min(leftLength, rightLength);
  for (let k = 0, p = left.start[i]!, q = right.start[j]!; k < shared; k += 1, p += 1, q += 1) {
    const difference = a.bytes[p]! - b.bytes[q]!;
    if (difference !== 0) return difference;
  }
  return leftLength - rightLength;
}
