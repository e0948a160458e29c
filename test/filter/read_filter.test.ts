import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { isOfBrokenRow } from '../../src/encode/row_layout.ts';
import { matches } from '../../src/filter/matches.ts';
import { read } from '../../src/filter/read.ts';
import type { Row } from '../../src/model/field.ts';
import type { Filter, Interval } from '../../src/model/filter.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import type { LookupColumn } from '../../src/segment/lookup_column.ts';
import type { Segment } from '../../src/segment/reader.ts';
import { fullRow, segmentOf } from '../segment/support.ts';
import { scanned, taken, targetOf, type Scanned } from '../worker/scan/support.ts';

/** What a scan finds, all of it and on a first page of three, and what a plain loop does. */
function found(segment: Segment, stored: readonly Row[], filters: readonly Filter[]) {
  const target = targetOf(segment);
  const copy = segment.stencils !== null;
  const idsOf = (reply: Scanned): unknown[] => taken(segment, reply).map(({ row }) => row.id);
  const reply = scanned(target, { filters, count: true, copy });
  const plain = stored.filter(matches(filters, [], vocabulary(segment.meta.dataset, segment.meta.extras)));
  return { scan: idsOf(reply), page: idsOf(scanned(target, { filters, rowsMax: 3, copy })), matched: reply.matched, plain: plain.map(({ id }) => id) };
}

test('rows that share one address in their thousands are read as the scan comes to them, few are read before', async () => {
  const shared = LIMITS.lookupRowsMax + 1;
  const rows = Array.from({ length: shared + 20 }, (_, at) => fullRow('contacts', { id: `test:${at}`, country: at % 3 === 0 ? 'US' : 'DE', email: at < shared ? 'Info@acme.com' : `z${at}@acme.com` }));
  const { segment, stored } = await segmentOf('contacts', rows);
  const email = (include: string[] | null, exclude: string[] = []): Filter => ({ kind: 'terms', name: 'email', include, exclude });
  for (const [filter, rowClauses, matched] of [
    [email(['info@acme.com']), 1, shared], [email(null, ['info@acme.com']), 1, 20], [email(['info@acme.com', `z${shared}@acme.com`]), 1, shared + 1],
    [email([`z${shared}@acme.com`]), 0, 1], [email(['info@acme.com', `z${shared}@acme.com`], ['info@acme.com']), 2, 1], [email(['absent@acme.com']), null, 0], [email(null, ['absent@acme.com']), 0, rows.length],
  ] as const) {
    const reading = read(segment, [filter], []);
    assert.equal(reading.ranges.length === 0 ? null : reading.rowClauses.length, rowClauses, JSON.stringify(filter));
    const answer = found(segment, stored, [filter]);
    assert.deepEqual(answer.scan, answer.plain);
    assert.deepEqual(answer.page, answer.plain.slice(0, 3), JSON.stringify(filter));
    assert.deepEqual([answer.matched, answer.plain.length], [matched, matched], JSON.stringify(filter));
  }
  const { column } = segment.columns.get('email') as { readonly column: LookupColumn };
  const candidates = column.candidates([`z${shared}@acme.com`, 'info@acme.com', 'absent@acme.com', 'info@acme.com']);
  assert.ok(candidates.length > shared && candidates.every((row, at) => at === 0 || candidates[at - 1]! < row), 'ascending, each once');
});

test('a row that a look-up points to, and that has rotted where its field stands, is not passed over in silence', async () => {
  const { segment } = await segmentOf('contacts', ['a', 'b'].map((name) => fullRow('contacts', { id: `test:${name}`, email: `${name}@x.com` })));
  const rotten = Buffer.from(segment.bytes.resident!);
  rotten[rotten.indexOf('"email":"b@')] = 0x78;
  const bytes = { ...segment.bytes, resident: rotten, read: (start: number, end: number, into: Buffer, at: number) => { rotten.copy(into, at, start, end); } };
  const lookedUp = (email: string) => read({ ...segment, bytes }, [{ kind: 'terms', name: 'email', include: [email], exclude: [] }], []);
  assert.equal(lookedUp('a@x.com').clauses.length, 1);
  assert.throws(() => lookedUp('b@x.com'), isOfBrokenRow);
});

test('a thousand numbers and ranges are read as few that lie apart, and a row is held to the one that may hold it', async () => {
  // Whole numbers are stored by their codes, days and instants a century apart as doubles.
  for (const stretch of [1, 2 ** 40]) {
    const rows = Array.from({ length: 700 }, (_, at) => fullRow('companies', { id: `test:${at}`, employee_count: at % 50 === 0 ? null : (at * 37 % 997) * stretch + (at % 7 === 0 ? 1 : 0) }));
    const { segment, stored } = await segmentOf('companies', rows);
    const points = Array.from({ length: LIMITS.filterValuesMax - 2 }, (_, at): Interval => [at * 3 * stretch, at * 3 * stretch]);
    const ranges: Interval[] = [...points.toReversed(), [100 * stretch, 200 * stretch], [150 * stretch, 260 * stretch]];
    for (const [include, exclude] of [[ranges, []], [null, ranges], [[[-Infinity, Infinity]], ranges], [[[-Infinity, 5], [-Infinity, 9], ...points], []]] as [Interval[] | null, Interval[]][]) {
      const filter: Filter = { kind: 'intervals', name: 'employee_count', include, exclude };
      for (const { intervals } of read(segment, [filter], []).numbers) {
        assert.ok(intervals.every(([low], at) => at === 0 || intervals[at - 1]![1] < low), 'ascending, and apart');
      }
      const answer = found(segment, stored, [filter]);
      assert.deepEqual([answer.scan, answer.matched], [answer.plain, answer.plain.length]);
    }
  }
});
