import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ScanRequest } from '../../../src/pool/protocol.ts';
import { scanBatch, type ScanThread } from '../../../src/worker/scan/batch.ts';
import { Tallies } from '../../../src/worker/scan/tallies.ts';
import type { ScanTarget } from '../../../src/worker/scan/target.ts';
import { corpusOf, EXTRAS, searchOf } from '../../fuzz/corpus.ts';
import { segmentOf } from '../../segment/support.ts';
import { deadEvery, requestOf, scanned, targetOf } from './support.ts';

const ROWS = corpusOf('contacts', 23, 300);
const [first, second, third] = await Promise.all([ROWS.slice(0, 100), ROWS.slice(100, 180), ROWS.slice(180)].map(async (rows) => (await segmentOf('contacts', rows, EXTRAS)).segment));

function besideIn(targets: ReadonlyMap<string, ScanTarget>, request: ScanRequest): readonly number[] | null {
  const thread: ScanThread = { id: 1, cancelFlags: new Int32Array(1), targets, tallies: new Tallies(), trays: null };
  const [reply] = scanBatch(thread, [request], Infinity);
  assert.ok(reply!.ok);
  return reply.beside;
}

test('a scan tells beside its own what it would tell of small segments, or nothing of any', () => {
  const dead = fc.constantFrom(null, { suppressed: 7, gone: 0 }, { suppressed: 0, gone: 3 }, { suppressed: 11, gone: 5 });
  let told = 0;
  fc.assert(fc.property(searchOf('contacts', ROWS), dead, dead, (search, ofSecond, ofThird) => {
    const targets = new Map([
      ['s', targetOf(first!)], ['t', targetOf(second!, ofSecond && deadEvery(ofSecond, second!.rows))], ['u', targetOf(third!, ofThird && deadEvery(ofThird, third!.rows))],
    ]);
    const request = requestOf({ ...search, rowsMax: 5, count: true, beside: ['t', 'u'] });
    const beside = besideIn(targets, request);
    if (beside === null) return;
    told += 1;
    assert.deepEqual(beside, ['t', 'u'].map((segment) => scanned(targets.get(segment)!, { ...search, rowsMax: 0, count: true }).matched));
  }), { numRuns: 300 });
  assert.ok(told > 150, `${told} were told`);
});

test('a segment that is not there or cannot be opened has its own scan', () => {
  const request = requestOf({ count: true, beside: ['t', 'u'] });
  const here = new Map([['s', targetOf(first!)], ['t', targetOf(second!)]]);
  assert.equal(besideIn(here, request), null);
  assert.deepEqual(besideIn(here, { ...request, beside: ['t'] }), [second!.rows]);
  assert.equal(besideIn(here, { ...request, beside: [] }), null);
  const broken = new Map(here);
  broken.get = (segment) => (segment === 'u' ? (() => { throw new Error('it cannot be opened'); })() : here.get(segment));
  assert.equal(besideIn(broken, request), null);
});
