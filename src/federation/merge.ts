import { LIMITS } from '../config/limits.ts';
import { Fill } from '../encode/fill.ts';
import type { RowLayout } from '../encode/row_layout.ts';
import { rowLayout } from '../encode/rows.ts';
import { monotonicMs } from '../lib/clock.ts';
import { nextTurn, turnIsOver } from '../lib/turns.ts';
import { rowBytes, type RowAt } from '../model/chunk.ts';
import { Head } from './head.ts';
import type { CallContext, LaneReader } from './lane_reader.ts';
import { Line } from './line.ts';
import type { PickedRow } from './picked.ts';

/** The rows of one identity that several sources have, while they are being taken. */
type Group = {
  readonly key: RowAt;
  readonly sources: readonly string[];
  readonly fill: Fill;
  readonly members: readonly Head[];
  /** Lanes of the first source, whose rows stand; those that have given all of theirs are taken off. */
  readonly winners: Head[];
  /** The lanes of the others, in their order. */
  readonly losers: readonly Loser[];
};
/** `last`: the last row read, or the first to be read. */
type Loser = { readonly head: Head; last: RowAt };

/**
 * Merges lanes that each come in the order of identity. Rows of one identity arrive side by side: the first source's rows stand,
 * those of the others fill their blanks and are dropped. Lanes of one source never meet.
 *
 *   lane 0 (crm)   a@x  c@x  c@x  ...        group c@x: crm's two rows stand, web's lends its fields
 *   lane 1 (web)   b@x  c@x  d@x  ...
 *
 * Of a group neither the losers nor the winners are held: the losers are read once, before the first winner is given, for as long
 * as they can still lend something, and the winners are read as they are taken. A lane that ended early, for whatever reason,
 * counts as empty from there on; but a stream ends where the deadline struck amid the rows of one, before the identity that it may have more rows of, so
 * that it is gone on with as if it had not ended. (A page gives what came.) Cost: a few comparisons a row; long merges let others run.
 */
export class IdentityMerge {
  /** Struck by the deadline: rows that were there have not been taken. */
  late = false;
  readonly #heads: readonly Head[];
  readonly #line: Line;
  readonly #layout: RowLayout;
  readonly #wanted: readonly number[];
  readonly #deadlineMs: number;
  /** When the deadline was first seen to have passed, in steps. What came by then is worth so many more, however late this side was woken. */
  #lateSteps: number | null = null;
  /** Whether rows of one identity are to meet; else every row stands, in the same order. */
  readonly #dedupes: boolean;
  readonly #endsWhereCut: boolean;
  #group: Group | null = null;
  /** Those of the group before: most are of the same. */
  #sources: readonly string[] = [];
  #steps = 0;

  /** `sliceRows`: how many rows a lane is asked for at first. */
  constructor(readers: readonly LaneReader[], { query, vocabulary, deadlineMs }: Pick<CallContext, 'query' | 'vocabulary' | 'deadlineMs'>, sliceRows: number) {
    const slice = { rows: sliceRows, bytes: sliceBytes(readers.length) };
    this.#heads = readers.map((reader, lane) => new Head(reader, lane, slice));
    this.#line = new Line(this.#heads.toSorted((a, b) => a.priority - b.priority));
    this.#layout = rowLayout(vocabulary);
    this.#wanted = query.fields?.map((name) => this.#layout.place(name)) ?? this.#layout.places;
    this.#deadlineMs = deadlineMs;
    this.#dedupes = query.dedupe;
    this.#endsWhereCut = query.dedupe && query.delivery === 'stream';
  }

  /** Waits for the first rows of every lane. */
  async begin(): Promise<void> {
    await this.#refillEmpty();
  }

  /** The next rows in order, `rowsMax` of them, or up to the one that makes them `bytesMax`; fewer only when every lane has ended, or `late`. */
  async take(rowsMax: number, bytesMax: number): Promise<PickedRow[]> {
    const picked: PickedRow[] = [];
    let bytes = 0;
    while (picked.length < rowsMax && bytes < bytesMax && !this.late) {
      if (this.#isRestDue()) await this.#rest();
      if (this.late) break;
      if (this.#group !== null) {
        const winner = await this.#takeWinner(this.#group);
        if (winner === null) continue;
        picked.push(winner);
        bytes += rowBytes(winner) + winner.fill!.heldBytes;
        continue;
      }
      if (this.#line.outside.length > 0) await this.#lineUp();
      if (this.#line.length === 0 || this.late) break;
      const equals = this.#equals();
      if (equals === 1) {
        const alone = this.#takeAlone();
        picked.push(alone);
        bytes += rowBytes(alone);
      } else if (this.#isAtHand(equals)) {
        const merged = this.#takeAtHand(equals);
        picked.push(merged);
        bytes += rowBytes(merged) + merged.fill!.heldBytes;
      } else {
        await this.#openGroup(equals);
      }
    }
    return picked;
  }

  /** By lane: whether every row of it has been taken. The rows of a group that has not been given to its end are not. */
  over(): boolean[] {
    return this.#heads.map((head) => head.over && head.reader.ended === 'end' && this.#group?.members.includes(head) !== true);
  }

  /** How many lanes have the next identity, where several sources have it: the first so many of the line. Else 1. */
  #equals(): number {
    if (!this.#dedupes) return 1;
    const equals = this.#line.equals();
    return this.#line.at(equals - 1).priority === this.#line.at(0).priority ? 1 : equals;
  }

  /** Has every lane that goes on have a row at hand, and stand in line. */
  async #lineUp(): Promise<void> {
    const { outside } = this.#line;
    if (outside.some(isEmpty)) await this.#refillEmpty();
    for (const head of outside) if (head.chunk === null) this.#endWhereCut(head);
    this.#line.comeBack();
  }

  /** A row that its source alone has. */
  #takeAlone(): PickedRow {
    const { lane } = this.#line.at(0);
    const { chunk, row } = this.#line.at(0).at();
    this.#line.step(0);
    return { chunk, row, lane, fill: null, sources: null, passes: null };
  }

  /** Whether each lane that has the identity has but one row of it, which another follows that is there already: most groups are so, and nothing of them need be waited for. */
  #isAtHand(equals: number): boolean {
    const line = this.#line;
    const least = line.at(0);
    if (equals > LIMITS.donorsWaitingMax || line.at(1).priority === least.priority) return false;
    for (let at = 0; at < equals; at += 1) if (!line.at(at).isLastOf(least.chunk!, least.row)) return false;
    return true;
  }

  #takeAtHand(equals: number): PickedRow {
    const { lane } = this.#line.at(0);
    const { chunk, row } = this.#line.at(0).at();
    const sources = this.#sourcesOf(equals);
    const donors: RowAt[] = [];
    const passes: [number, RowAt][] = [];
    for (let at = 1; at < equals; at += 1) {
      const head = this.#line.at(at);
      const donor = head.at();
      donors.push(donor);
      passes.push([head.lane, donor]);
    }
    // From the last on: each finds its place among those that stand.
    for (let at = equals - 1; at >= 0; at -= 1) this.#line.step(at);
    return { chunk, row, lane, fill: new Fill(this.#layout, this.#wanted, donors), sources, passes };
  }

  /** Of the first so many of the line, each once: the lanes of one stand side by side. */
  #sourcesOf(equals: number): readonly string[] {
    const known = this.#sources;
    let count = 0;
    let isKnown = true;
    for (let at = 0; at < equals; at += 1) {
      const { source } = this.#line.at(at).reader.lane;
      if (at > 0 && source === this.#line.at(at - 1).reader.lane.source) continue;
      isKnown &&= known[count] === source;
      count += 1;
    }
    if (!isKnown || known.length !== count) this.#sources = sourcesOf(this.#line.first(equals));
    return this.#sources;
  }

  async #openGroup(equals: number): Promise<void> {
    const sources = this.#sourcesOf(equals);
    const members = this.#line.leave(equals);
    const least = members[0]!;
    const losers = members.filter(({ priority }) => priority !== least.priority);
    this.#group = {
      key: least.at(),
      members,
      sources,
      fill: new Fill(this.#layout, this.#wanted),
      winners: members.filter(({ priority }) => priority === least.priority),
      losers: losers.map((head) => ({ head, last: head.at() })),
    };
    await this.#readDonors(this.#group);
  }

  async #readDonors({ key, fill, losers }: Group): Promise<void> {
    for (const loser of losers) {
      while (fill.open && loser.head.holds(key) && !this.late) {
        fill.offer(takeFrom(loser));
        if (loser.head.chunk === null) await this.#refillInGroup(loser.head);
        if (this.#isRestDue()) await this.#rest();
      }
    }
  }

  /** The losers are passed with the winners' last row, so that a page that ends amid a group takes it up again. Null where the deadline struck. */
  async #takeWinner(group: Group): Promise<PickedRow | null> {
    const { key, fill, sources, winners, losers } = group;
    const winner = winners[0]!;
    const at = winner.at();
    winner.step();
    if (winner.chunk === null) await this.#refillInGroup(winner);
    if (this.late) return null;
    if (!winner.holds(key)) winners.shift();
    const { lane } = winner;
    if (winners.length > 0) return { chunk: at.chunk, row: at.row, lane, fill, sources, passes: null };
    for (const loser of losers) await this.#pass(loser, key);
    if (this.late) return null;
    this.#group = null;
    // Member by member: to spread the place costs more than all else of it.
    return { chunk: at.chunk, row: at.row, lane, fill, sources, passes: losers.map(({ head, last }) => [head.lane, last] as const) };
  }

  async #pass(loser: Loser, key: RowAt): Promise<void> {
    while (loser.head.holds(key) && !this.late) {
      takeFrom(loser);
      if (loser.head.chunk === null) await this.#refillInGroup(loser.head);
      if (this.#isRestDue()) await this.#rest();
    }
  }

  /** Nobody knows whether a lane that was cut here has more rows of the group. */
  async #refillInGroup(head: Head): Promise<void> {
    if (head.empty) await head.refillInGroup();
    this.#endWhereCut(head);
  }

  #endWhereCut(head: Head): void {
    if (this.#endsWhereCut && head.cutShort) this.late = true;
  }

  /** Looks at the clock now and then: at the deadline, and at how long others have waited. */
  #isRestDue(): boolean {
    this.#steps += 1;
    if (this.#steps % LIMITS.mergeStepsUntimed !== 0) return false;
    this.late ||= this.#isLate();
    return !this.late && turnIsOver(LIMITS.mainTurnMs);
  }

  async #rest(): Promise<void> {
    await nextTurn();
    this.late ||= this.#isLate();
  }

  #isLate(): boolean {
    const nowMs = monotonicMs();
    if (nowMs < this.#deadlineMs) return false;
    this.#lateSteps ??= this.#steps;
    return nowMs >= this.#deadlineMs + LIMITS.mergeLateMs && this.#steps - this.#lateSteps >= LIMITS.mergeLateSteps;
  }

  async #refillEmpty(): Promise<void> {
    await Promise.all(this.#line.outside.filter(isEmpty).map((head) => head.refill()));
  }
}

/** Of rows that are copied: of each lane one slice is merged while the next is looked for. */
function sliceBytes(lanes: number): number {
  return Math.max(LIMITS.chunkBytes / 2, Math.min(LIMITS.mergeSliceBytesMax, Math.floor(LIMITS.mergeHeldBytes / (2 * lanes))));
}

function isEmpty({ empty }: Head): boolean {
  return empty;
}

/** Each once: the lanes of one stand side by side. */
function sourcesOf(members: readonly Head[]): string[] {
  const sources: string[] = [];
  for (const { reader: { lane } } of members) if (lane.source !== sources.at(-1)) sources.push(lane.source);
  return sources;
}

function takeFrom(loser: Loser): RowAt {
  loser.last = loser.head.at();
  loser.head.step();
  return loser.last;
}
