import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMuchGone, KEEPING, rewrittenWith, type Keeping } from '../../src/ingest/rewritten.ts';
import { SEED } from '../support/seed.ts';
import { Draw } from './life/draw.ts';

type Segment = { readonly id: string; readonly rows: number; readonly gone: number };
type Change = { readonly rows: number; /** How many of them stand in the place of one that is there. */ readonly known: number };

const NONE: ReadonlySet<string> = new Set();
const rowsOf = (segments: readonly Segment[]): number => segments.reduce((sum, { rows }) => sum + rows, 0);

/** A source of which the numbers of rows alone are known, and what was written of it. */
class Counted {
  readonly #keeping: Keeping;
  readonly #draw: Draw;
  readonly #first: ReadonlySet<string>;
  readonly #firstRows: number;
  segments: readonly Segment[];
  #made = 0;
  changes = 0;
  fresh = 0;
  gone = 0;
  written = 0;
  rowsMost = 0;

  constructor(first: readonly number[], keeping: Keeping, draw: Draw) {
    this.#keeping = keeping;
    this.#draw = draw;
    this.segments = first.map((rows) => this.#segment(rows));
    this.#first = new Set(this.segments.map(({ id }) => id));
    this.#firstRows = rowsOf(this.segments);
  }

  /** As an ingest does it: rows are looked for in those that stay, and then it is seen once more which stay. */
  change({ rows, known }: Change): void {
    const unlooked = rewrittenWith(rows, this.segments, NONE, this.#keeping);
    const hit = this.#hit(known);
    this.segments = this.segments.map((segment) => {
      const hits = Math.min(segment.rows, hit.get(segment.id) ?? 0);
      const marked = unlooked.has(segment.id) ? 0 : hits;
      this.gone += marked;
      return { id: segment.id, rows: segment.rows - hits, gone: segment.gone + marked };
    });
    const rewritten = rewrittenWith(rows, this.segments, NONE, this.#keeping);
    const kept = this.segments.filter(({ id }) => !rewritten.has(id));
    const added = this.#segment(rows + rowsOf(this.segments) - rowsOf(kept));
    this.segments = [...kept, added];
    this.changes += 1;
    this.fresh += rows;
    this.written += added.rows;
    this.rowsMost = Math.max(this.rowsMost, rowsOf(this.segments));
    this.#assertKept(kept, added);
    this.#assertFew();
  }

  /** How many rows may have been written by now. With each of its changes what is small; of what is larger every row as often as its segment may grow by a share; and for each that is gone as many as may stay beside it. */
  writtenMax(): number {
    const { smallRowsMax, ratio, goneShareMax } = this.#keeping;
    const growth = Math.log((1 + 1 / ratio) * (1 - goneShareMax));
    assert.ok(growth > 0);
    const timesFrom = (rows: number): number => Math.ceil(Math.max(0, Math.log(this.rowsMost / rows)) / growth);
    return this.changes * smallRowsMax + this.fresh * (2 + timesFrom(Math.max(1, smallRowsMax))) + this.#firstRows * (1 + timesFrom(this.#firstRows / this.#first.size)) + this.gone / goneShareMax;
  }

  /** What stays is much larger than what was written, and most of it lives. */
  #assertKept(kept: readonly Segment[], { rows }: Segment): void {
    const { smallRowsMax, ratio, goneShareMax } = this.#keeping;
    for (const segment of kept) assert.ok(segment.rows > smallRowsMax && segment.rows > ratio * rows && !isMuchGone(segment, goneShareMax), JSON.stringify({ segment, rows }));
  }

  /** Each was, when it was made, less than a share of those before it; and all but the last are more than small. */
  #assertFew(): void {
    const { smallRowsMax, ratio } = this.#keeping;
    const first = Math.max(1, this.segments.filter(({ id }) => this.#first.has(id)).length);
    const most = 1 + Math.max(0, Math.log(this.rowsMost / Math.max(1, smallRowsMax)) / Math.log(ratio));
    assert.ok(this.segments.length - first <= most, `${this.segments.length - first} segments beside the first, and not ${most}`);
  }

  #hit(rows: number): ReadonlyMap<string, number> {
    const hits = new Map<string, number>();
    const all = rowsOf(this.segments);
    for (let nth = 0; nth < (all === 0 ? 0 : rows); nth += 1) {
      let at = this.#draw.below(all);
      const { id } = this.segments.find((segment) => (at -= segment.rows) < 0)!;
      hits.set(id, (hits.get(id) ?? 0) + 1);
    }
    return hits;
  }

  #segment(rows: number): Segment {
    return { id: String(this.#made++), rows, gone: 0 };
  }
}

test('twenty thousand changes of ten rows leave a lake of a million in five segments at most, and write a hundredth of what they would write if each wrote all', () => {
  for (const known of [0, 5, 10]) {
    const source = new Counted([500_000, 500_000], KEEPING, new Draw(SEED));
    for (let nth = 0; nth < 20_000; nth += 1) {
      source.change({ rows: 10, known });
      assert.ok(source.segments.length <= 5, `seed ${SEED}: ${JSON.stringify(source.segments)}`);
    }
    assert.ok(source.written <= source.writtenMax());
    assert.ok(source.written < 20_000 * 10_000, `seed ${SEED}: ${source.written} rows were written`);
  }
});

test('whatever the changes are, the segments are few and no row is written often', () => {
  const draw = new Draw(SEED);
  for (let nth = 0; nth < 80; nth += 1) {
    const keeping = { smallRowsMax: draw.one([0, 1, 10, 100]), ratio: draw.one([1.5, 2, 3, 8]), goneShareMax: draw.one([1 / 32, 1 / 16, 0.1]) };
    const source = new Counted(Array.from({ length: draw.between(1, 3) }, () => draw.between(1, 20_000)), keeping, draw);
    const large = draw.one([1, 10, 300, 3_000]);
    const knownShare = draw.one([0, 0.5, 1]);
    for (let change = 0; change < 200; change += 1) {
      const rows = draw.between(1, large);
      source.change({ rows, known: Math.floor(rows * knownShare) });
    }
    assert.ok(source.written <= source.writtenMax(), `seed ${SEED}: ${source.written} rows were written, and ${source.writtenMax()} at most with ${JSON.stringify(keeping)}`);
  }
});

test('what must be written anew is, and what is not much larger than that with it', () => {
  const segments = [{ id: 'a', rows: 100, gone: 0 }, { id: 'b', rows: 1_000, gone: 0 }, { id: 'c', rows: 11_000, gone: 300 }, { id: 'd', rows: 10_500, gone: 2_000 }];
  const keeping = { smallRowsMax: 10, ratio: 9, goneShareMax: 0.2 };
  const rewritten = (fresh: number, ...must: string[]): string[] => [...rewrittenWith(fresh, segments, new Set(must), keeping)].sort();
  assert.deepEqual(rewritten(11), []);
  assert.deepEqual(rewritten(12), ['a', 'b'], 'what one takes along takes others');
  assert.deepEqual(rewritten(1, 'a'), ['a']);
  assert.deepEqual(rewritten(0, 'c'), ['a', 'b', 'c', 'd']);
  assert.deepEqual([...rewrittenWith(1, segments, NONE, { ...keeping, goneShareMax: 0.1 })].sort(), ['a', 'b', 'c', 'd'], 'of one of them much is gone');
  assert.deepEqual([...rewrittenWith(1, segments, NONE, { ...keeping, smallRowsMax: Infinity })].length, 4);
});
