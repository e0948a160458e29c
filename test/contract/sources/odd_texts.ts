import assert from 'node:assert/strict';
import { matches } from '../../../src/filter/matches.ts';
import type { Row } from '../../../src/model/field.ts';
import type { Filter } from '../../../src/model/filter.ts';
import type { Vocabulary } from '../../../src/model/vocabulary.ts';
import type { ForeignSource, FoundRow, Place, RowsRequest, Search } from '../../../src/sources/source.ts';
import { Passed } from '../../../src/worker/foreign/passed.ts';
import { readRow } from '../../../src/worker/foreign/read_row.ts';

const NEVER = new AbortController().signal;

export function including(name: string, ...include: readonly string[]): Filter {
  return { kind: 'terms', name, include, exclude: [] };
}

export async function rowsOf(source: ForeignSource, change: Partial<RowsRequest> = {}): Promise<FoundRow[]> {
  const rows: FoundRow[] = [];
  for await (const batch of source.rows({ filters: [], terms: [], order: 'stored', from: null, fields: null, rowsWanted: null, ...change }, NEVER)) rows.push(...batch);
  return rows;
}

const PAGE_ROWS = 3;

/** A few rows at a time, each page from the place of the last row before it. */
export async function walkedOf(source: ForeignSource, order: RowsRequest['order']): Promise<FoundRow[]> {
  const walked: FoundRow[] = [];
  for (let from: Place | null = null; ;) {
    const passed = new Passed(from);
    const page: { row: FoundRow; seen: number }[] = [];
    for await (const batch of source.rows({ filters: [], terms: [], order, from, fields: null, rowsWanted: PAGE_ROWS }, NEVER)) {
      for (const row of batch) {
        const seen = passed.count(row);
        if (seen !== null && page.length < PAGE_ROWS) page.push({ row, seen });
      }
      if (page.length === PAGE_ROWS) break;
    }
    walked.push(...page.map(({ row }) => row));
    const last = page.at(-1);
    if (page.length < PAGE_ROWS || last === undefined) return walked;
    from = { phase: last.row.phase, key: last.row.key, seen: last.seen };
  }
}

/** That rows and count are what the exact test finds in the rows as they are shown, for each of the searches. */
export async function assertExact(source: ForeignSource, words: Vocabulary, searches: readonly Search[]): Promise<void> {
  const all = (await rowsOf(source)).map(({ json }) => readRow(json));
  for (const search of searches) {
    const test = matches(search.filters, search.terms, words);
    const said = JSON.stringify(search);
    const expected = all.filter(test).map(({ id }) => String(id)).toSorted();
    const found = await rowsOf(source, search);
    for (const row of found) if (row.sure) assert.ok(test(readRow(row.json)), `${said} ${row.json.toString()}`);
    assert.deepEqual(found.map(({ json }) => readRow(json)).filter(test).map(({ id }) => String(id)).toSorted(), expected, said);
    const { sure, unsure } = await source.count(search, NEVER);
    assert.equal(sure + unsure!.filter((json) => test(JSON.parse(json) as Row)).length, expected.length, said);
  }
}
