import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../../src/config/limits.ts';
import { monotonicMs } from '../../../src/lib/clock.ts';
import { vocabulary } from '../../../src/model/vocabulary.ts';
import type { ScanReply, ScanRequest, TextAt } from '../../../src/pool/protocol.ts';
import { makeTrays, TrayWriter } from '../../../src/pool/tray_protocol.ts';
import type { RowBytes } from '../../../src/segment/row_bytes.ts';
import { scanBatch, type ScanThread } from '../../../src/worker/scan/batch.ts';
import { Tallies } from '../../../src/worker/scan/tallies.ts';
import type { ScanTarget } from '../../../src/worker/scan/target.ts';
import { corpusOf, EXTRAS, searchOf, WIDER } from '../../fuzz/corpus.ts';
import { segmentOf } from '../../segment/support.ts';
import { deadEvery, requestOf, scanned, taken, targetOf, type Scanned } from './support.ts';

const ROWS = corpusOf('contacts', 11, 200);
const { segment } = await segmentOf('contacts', Array.from({ length: 9_000 }, (_, at) => ({ ...ROWS[(at * at) % ROWS.length]!, id: `test:${at}` })), EXTRAS);
const dead = deadEvery({ suppressed: 250, gone: 100 }, segment.rows);

/** Of a walk in slices of one row, of which the next thousands show nothing new. */
const SLICES_MAX = 500;

function threadOver(target: ScanTarget): ScanThread {
  return { id: 7, cancelFlags: new Int32Array(64), targets: new Map([['s', target]]), tallies: new Tallies(), trays: null };
}

/** The first slices of a batch that has no time at all: one step of one scan. */
function step(thread: ScanThread, ...requests: ScanRequest[]): Scanned {
  const replies: ScanReply<TextAt>[] = scanBatch(thread, requests, 0);
  assert.equal(replies.length, 1, 'what the time did not reach is left out');
  assert.ok(replies[0]!.ok);
  return replies[0];
}

/** A tally that is carried to its end beside nothing else, step by step. */
function tallied(thread: ScanThread, request: ScanRequest): { reply: Scanned; slices: number } {
  let reply = step(thread, request);
  let slices = 1;
  for (; reply.tally === 'unfinished'; slices += 1) reply = step(thread, { ...request, rowsMax: 0 });
  return { reply, slices };
}

test('totals and facets counted slice by slice are those counted at once', () => {
  const facets = fc.uniqueArray(fc.constantFrom(...vocabulary('contacts', WIDER).filters.map(({ name }) => name)), { maxLength: 4 });
  let sliced = 0;
  fc.assert(fc.property(searchOf('contacts', ROWS), facets, fc.boolean(), fc.constantFrom(null, dead), (search, facets, count, dead) => {
    const target = targetOf(segment, dead);
    const asked = { ...search, count, facets, rowsMax: 5 };
    const { reply, slices } = tallied(threadOver(target), requestOf(asked));
    const whole = scanned(target, asked);
    assert.deepEqual([reply.matched, reply.facets], [whole.matched, whole.facets]);
    sliced += slices > 3 ? 1 : 0;
  }), { numRuns: 60 });
  assert.ok(sliced > 10, 'most were in fact sliced');
});

test('a tally that rests while other rows of its segment die begins anew, and counts who lives now', () => {
  const asked = requestOf({ rowsMax: 1, count: true, facets: ['id', 'country'] });
  for (const [before, now] of [[null, dead], [dead, null], [dead, deadEvery({ suppressed: 0, gone: 3 }, segment.rows)]] as const) {
    const thread = threadOver(targetOf(segment, before));
    const targets = new Map([['s', targetOf(segment, now)]]);
    assert.equal(step(thread, asked).heldBy, 7);
    const { reply } = tallied({ ...thread, targets }, { ...asked, rowsMax: 0 });
    const whole = scanned(targets.get('s')!, { ...asked, rowsMax: 0 });
    assert.deepEqual([reply.matched, reply.facets], [whole.matched, whole.facets]);
    assert.equal(thread.tallies.size, 0);
  }
});

test('a slice that is over with the rows it was asked for says that none are left, where its total does', () => {
  const target = targetOf(segment);
  const one = scanned(target, { filters: [], rowsMax: 1, after: 40 });
  const { id } = taken(segment, one)[0]!.row;
  const asked = requestOf({ filters: [{ kind: 'terms', name: 'id', include: [String(id).toLowerCase()], exclude: [] }], rowsMax: 1, count: true });
  const reply = step(threadOver(target), asked);
  assert.deepEqual([reply.rows, reply.tally, reply.matched, reply.stop], [1, 'done', 1, 'end']);
  const more = step(threadOver(target), requestOf({ rowsMax: 1, count: true }));
  assert.deepEqual([more.rows, more.stop], [1, 'full']);
});

test('rows scanned slice by slice are those scanned at once, in either order', () => {
  let barren = 0;
  fc.assert(fc.property(searchOf('contacts', ROWS), fc.constantFrom('stored', 'identity'), fc.constantFrom(1, 40, 5_000), (search, order, rowsMax) => {
    const target = targetOf(segment, dead);
    const thread = threadOver(target);
    const found: unknown[] = [];
    let ended = false;
    for (let after = -1, slices = 0; !ended && slices < SLICES_MAX; slices += 1) {
      const reply = step(thread, requestOf({ ...search, order, rowsMax, after }));
      found.push(...taken(segment, reply, order).map(({ mark }) => mark));
      barren += reply.rows === 0 ? 1 : 0;
      ended = reply.stop === 'end';
      assert.ok(ended || (reply.stop === 'full' && reply.after > after), 'every slice gets somewhere');
      after = reply.after;
    }
    const all = taken(segment, scanned(target, { ...search, order }), order).map(({ mark }) => mark);
    assert.deepEqual(found, ended ? all : all.slice(0, found.length));
  }), { numRuns: 40 });
  assert.ok(barren > 0);
});

test('rows do not wait for a total and facets that take longer than a slice', () => {
  const reply = step(threadOver(targetOf(segment)), requestOf({ rowsMax: 3, count: true, facets: ['id', 'email'] }));
  assert.deepEqual([reply.rows, reply.tally, reply.heldBy, reply.matched, reply.facets], [3, 'unfinished', 7, null, null]);
});

test('a cheap total is not late for a dear facet of the same batch', () => {
  // The budget is of real time: a thread that the machine holds up finishes nothing within it, but not every time.
  const dear = Array.from({ length: 6 }, (_, at) => requestOf({ ticket: 0, slot: at, rowsMax: 1, count: true, facets: ['id'] }));
  const wanted = [...dear.map(() => 'unfinished'), 'done'].join();
  const tallies = Array.from({ length: 40 }, () =>
    scanBatch(threadOver(targetOf(segment)), [...dear, requestOf({ rowsMax: 1, count: true })], 6).map((reply) => reply.ok && reply.tally).join());
  assert.ok(tallies.includes(wanted), tallies.join('\n'));
});

test('a thread keeps so many tallies and no more, and those that it cannot keep are counted anew', () => {
  const thread = threadOver(targetOf(segment));
  const requests = Array.from({ length: LIMITS.talliesHeldMax + 1 }, (_, at) => requestOf({ slot: at, ticket: at + 1, rowsMax: 1, count: true, facets: ['id'] }));
  requests.forEach(({ slot, ticket }) => { thread.cancelFlags[slot] = ticket; });
  const kept = requests.map((request) => step(thread, request).heldBy);
  assert.deepEqual(kept, [...Array.from({ length: LIMITS.talliesHeldMax }, () => 7), null]);
  thread.cancelFlags[0] = 0;
  const { reply } = tallied(thread, requests.at(-1)!);
  assert.equal(reply.matched, segment.rows);
  assert.equal(thread.tallies.size, LIMITS.talliesHeldMax - 1, 'those of calls that are over are let go');
});

test('nothing is prepared for a scan whose call is over or whose time is up', () => {
  const target: ScanTarget = { segment, dead: null, get readings(): never { throw new Error('prepared'); } };
  for (const [given, struck] of [[{ ticket: 5 }, 'cancelled'], [{ deadlineMs: monotonicMs() - 1 }, 'deadline']] as const) {
    const reply = step(threadOver(target), requestOf({ ...given, count: true, facets: ['id'] }));
    assert.deepEqual([reply.stop, reply.tally, reply.after, reply.rows], [struck, struck, -1, 0]);
  }
});

/** The segment with rows that are read from a file, by `read`. */
function readBy(read: () => void): ScanTarget {
  const { bytes } = segment;
  const onDisk: RowBytes = {
    bytes: bytes.bytes, resident: null, close: () => {},
    read(start, end, into, at) {
      read();
      bytes.read(start, end, into, at);
    },
  };
  return targetOf({ ...segment, bytes: onDisk });
}

test('a batch is over where its time is, though it was the rows of one scan alone that took it', () => {
  const slow = readBy(() => {
    for (const untilMs = monotonicMs() + 20; monotonicMs() < untilMs;);
  });
  for (const form of ['rows', 'json', 'csv'] as const) {
    const thread = { ...threadOver(slow), trays: new TrayWriter(makeTrays()) };
    const asked = Array.from({ length: 4 }, () => requestOf({ rowsMax: 3, form }));
    const replies = scanBatch(thread, asked, 5);
    assert.equal(replies.length, 1, 'what the time did not reach is left out');
    assert.ok(replies[0]!.ok && replies[0].rows === 3 && replies[0].tookMs >= 20);
  }
});

test('a scan that fails on its rows or on its tally leaves every tray free', () => {
  const broken = readBy(() => { throw new Error('no such file'); });
  const held = makeTrays();
  const failing = [
    [broken, requestOf({ rowsMax: 3, form: 'json' })],
    [targetOf(Object.defineProperty({ ...segment }, 'counts', { get() { throw new Error('no counts'); } })), requestOf({ rowsMax: 3, form: 'json', count: true })],
  ] as const;
  for (const [target, request] of failing) {
    const reply = scanBatch({ ...threadOver(target), trays: new TrayWriter(held) }, [request], Infinity)[0]!;
    assert.ok(!reply.ok && reply.code === 'scan_crashed');
    assert.ok(held.held.every((each) => each === 0));
  }
});
