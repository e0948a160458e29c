import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import type { Filter } from '../../../src/model/filter.ts';
import type { FoundRow } from '../../../src/sources/source.ts';
import { firstNumber, type PageStretch, type Phase } from '../../../src/sources/sql/phase.ts';
import { pageOf, walkPhases } from '../../../src/sources/sql/walk.ts';

const PHASE: Phase = { where: 'TRUE', by: 'id', type: 'bigint', keyClass: 2 };

/** Walks over rows of which the engine is sure or not; keys come in pairs. Gives the keys, and how many rows each statement read at most. */
async function walk(
  rows: number, { sure, wanted, filters = [] }: { readonly sure: (row: number) => boolean; readonly wanted: number; readonly filters?: readonly Filter[] },
): Promise<{ readonly keys: readonly number[]; readonly windows: readonly number[] }> {
  const all: FoundRow[] = Array.from({ length: rows }, (_, at) => ({ json: String(at), phase: 0, key: String(Math.floor(at / 2)), keyClass: 2, sure: sure(at) }));
  const windows: number[] = [];
  const keys: number[] = [];
  const reader = {
    async *whole() { yield all; },
    page: ({ fromKey, rowsMax }: PageStretch) => {
      windows.push(rowsMax);
      const begin = fromKey === null ? 0 : 2 * Number(fromKey);
      const page = all.slice(begin, begin + rowsMax);
      return Promise.resolve({ rows: page, isLast: page.length < rowsMax });
    },
  };
  const request = { filters, terms: [], fields: null, order: 'stored', from: null, rowsWanted: wanted, dropped: () => {} } as const;
  for await (const batch of walkPhases({ phases: [PHASE], hashed: [] }, request, reader)) keys.push(...batch.map(({ json }) => Number(json)));
  return { keys, windows };
}

describe('a page of a table', () => {
  it('is read on in growing windows where the engine cannot tell which rows match', async () => {
    const { keys, windows } = await walk(10_000, { sure: (row) => row % 3 === 0, wanted: 26 });
    assert.deepEqual(keys, Array.from({ length: 10_000 }, (_, at) => at), 'no row twice, none lost');
    assert.equal(windows[0], 26);
    assert.ok(windows.length < 15, `${windows.length} statements`);
    assert.ok(Math.max(...windows) <= LIMITS.unsureWindowRowsMax + 2, `${Math.max(...windows)} rows in one statement`);
  });

  it('reads no more at once than is wanted where the engine can', async () => {
    const { keys, windows } = await walk(500, { sure: (row) => row % 3 !== 0, wanted: 26 });
    assert.equal(keys.length, 500);
    assert.ok(windows.every((rows) => rows <= 28), String(windows));
  });

  it('reads twice as many where rows must have something, since it is not known before which of them do', async () => {
    const asked = (present: boolean, absent: boolean): Filter[] => [{ kind: 'presence', name: 'has_email', present, absent }];
    const first = async (wanted: number, filters: readonly Filter[]): Promise<number> => (await walk(10_000, { sure: () => true, wanted, filters })).windows[0]!;
    assert.deepEqual([await first(26, asked(true, false)), await first(26, asked(false, true)), await first(26, asked(true, true)), await first(26, [])], [52, 52, 26, 26]);
    assert.deepEqual([await first(1_500, asked(true, false)), await first(3_000, asked(true, false))], [LIMITS.unsureWindowRowsMax, 3_000]);
  });

  it('keeps a window that is larger than where windows end', async () => {
    const { windows } = await walk(9_000, { sure: () => false, wanted: 3_000 });
    assert.ok(windows.every((rows) => rows >= 3_000 && rows <= 3_002), String(windows));
  });
});

describe('a page of large rows', () => {
  const MIB = 1_048_576;
  const text = 'x'.repeat(MIB);

  /** Walks over rows of a MiB each, `twins` of each key. Gives the rows, and what each statement read of them. */
  async function walkLarge(count: number, { wanted, twins }: { readonly wanted: number; readonly twins: number }): Promise<{ readonly places: readonly string[]; readonly read: readonly number[] }> {
    const read: number[] = [];
    async function* rowsFrom({ fromKey, rowsMax }: PageStretch): AsyncGenerator<readonly FoundRow[]> {
      const nth = read.push(0) - 1;
      const begin = fromKey === null ? 0 : twins * Number(fromKey);
      for (let at = begin; at < Math.min(count, begin + rowsMax); at += 1) {
        read[nth]! += 1;
        yield [{ json: text, phase: 0, key: String(Math.floor(at / twins)), keyClass: 2, sure: true }];
      }
    }
    const places: string[] = [];
    const reader = { async *whole() { yield []; }, page: (stretch: PageStretch) => pageOf(rowsFrom(stretch), stretch) };
    const request = { filters: [], terms: [], fields: null, order: 'stored', from: null, rowsWanted: wanted, dropped: () => {} } as const;
    for await (const batch of walkPhases({ phases: [PHASE], hashed: [] }, request, reader)) places.push(...batch.map(({ key }) => key));
    return { places, read };
  }
  const allOf = (count: number, twins: number): string[] => Array.from({ length: count }, (_, at) => String(Math.floor(at / twins)));

  it('is read in several statements, none of which gathers more than there is room for', async () => {
    const { places, read } = await walkLarge(100, { wanted: 1_001, twins: 1 });
    assert.deepEqual(places, allOf(100, 1), 'no row twice, none lost');
    assert.ok(Math.max(...read) <= LIMITS.foreignPageBytes / MIB, String(read));
  });

  it('comes through rows of one key for which there is no room', async () => {
    const { places } = await walkLarge(100, { wanted: 1_001, twins: 40 });
    assert.deepEqual(places, allOf(100, 40));
  });

  it('is read to the end of its statement where it has all its rows', async () => {
    let isAtEnd = false;
    async function* rows(): AsyncGenerator<readonly FoundRow[]> {
      for (let at = 0; at < 20; at += 1) yield [{ json: text, phase: 0, key: String(at), keyClass: 2, sure: true }];
      isAtEnd = true;
    }
    const { isLast } = await pageOf(rows(), { phase: PHASE, fromKey: null, rowsMin: 20, rowsMax: 20 });
    assert.deepEqual({ isAtEnd, isLast }, { isAtEnd: true, isLast: false });
  });
});

describe('a place in a table', () => {
  const BY_ID: Phase = { where: 'TRUE', by: 'id', type: 'text', keyClass: 2 };
  const BY_EMAIL: Phase = { where: 'TRUE', by: 'email', type: 'text', keyClass: 0 };
  const begun = async (cutBy: readonly Phase[], phases: readonly Phase[], hashed: readonly [readonly string[], readonly string[]] = [[], []]): Promise<number> => {
    const numbers: number[] = [];
    const reader = { async *whole(_: unknown, at: number) { numbers.push(at); yield []; }, page: () => Promise.resolve({ rows: [], isLast: true }) };
    const from = { phase: firstNumber(cutBy, hashed[0]) + cutBy.length - 1, key: 'k', seen: 1 };
    const request = { filters: [], terms: [], fields: null, order: 'stored', from, rowsWanted: null, dropped: () => {} } as const;
    for await (const _ of walkPhases({ phases, hashed: hashed[1] }, request, reader));
    return numbers.length;
  };

  it('is taken up in the order in which it was cut', async () => {
    assert.equal(await begun([BY_EMAIL, BY_ID], [BY_EMAIL, BY_ID]), 1);
    assert.equal(await begun([BY_EMAIL], [BY_EMAIL], [['email'], ['email', 'phone']]), 1, 'where ids order nothing');
  });

  it('is none where the table has another one by now', async () => {
    const changed = { code: 'changed' };
    await assert.rejects(begun([BY_EMAIL, BY_ID], [BY_ID]), changed);
    await assert.rejects(begun([PHASE], [BY_ID]), changed);
    await assert.rejects(begun([BY_ID], [BY_ID], [['email', 'phone'], ['email']]), changed);
  });
});
