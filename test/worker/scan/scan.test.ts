import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { monotonicMs } from '../../../src/lib/clock.ts';
import { Matcher } from '../../../src/filter/matcher.ts';
import { matches } from '../../../src/filter/matches.ts';
import { read } from '../../../src/filter/read.ts';
import type { Row } from '../../../src/model/field.ts';
import type { Filter } from '../../../src/model/filter.ts';
import { makeTrays, TrayReader, TrayWriter } from '../../../src/pool/tray_protocol.ts';
import { closeSegment, openSegment } from '../../../src/segment/reader.ts';
import { rankedPage } from '../../../src/worker/scan/page.ts';
import { OpenedTargets } from '../../../src/worker/scan/opened_targets.ts';
import { mountTarget } from '../../../src/worker/scan/target.ts';
import { fullRow, inFolder, inOrder, load, segmentOf, write } from '../../segment/support.ts';
import { deadEvery, isDeadEvery, requestOf, scan, scanned, taken, targetOf } from './support.ts';

const COUNTRIES = ['US', 'US', 'US', 'DE', 'DE', 'FR', null];
const TITLES = ['Engineer', 'VP Engineering', 'Head of Sales', 'Data Scientist', 'Vice President, Engineering'];
const ROWS = Array.from({ length: 70_000 }, (_, at): Row => fullRow('contacts', {
  id: `test:${at}`,
  email: at % 3 === 0 ? null : `p${(at * 7_919) % 70_000}@x${at % 50}.com`,
  country: COUNTRIES[at % 7]!,
  job_title: TITLES[at % 5]!,
  industry: at % 11 === 0 ? null : `Industry ${at % 97}`,
  full_name: at % 1_000 === 0 ? 'Engineering Vp' : `Name ${at % 3_000}`,
}));
const { segment, stored } = await segmentOf('contacts', ROWS);
const target = targetOf(segment);

const terms = (name: string, ...include: string[]): Filter => ({ kind: 'terms', name, include, exclude: [] });
const HAS_EMAIL: Filter = { kind: 'presence', name: 'has_email', present: true, absent: false };
const HAS_NO_EMAIL: Filter = { ...HAS_EMAIL, present: false, absent: true };
const plain = (filters: readonly Filter[]): Row[] => stored.filter(matches(filters, [], segment.vocabulary));

test('totals over several blocks are exact, from running counts and from single rows alike', () => {
  const us = terms('country', 'US');
  const searches = [[], [us], [HAS_EMAIL], [us, HAS_EMAIL], [terms('job_title', 'engineer')], [us, terms('job_title', 'engineer', 'head of sales'), HAS_EMAIL],
    [us, terms('industry', 'industry 5'), terms('job_title', 'engineer'), HAS_EMAIL], [terms('email_domain', 'x7.com')]];
  for (const filters of searches) {
    assert.equal(scanned(target, { filters, rowsMax: 0, count: true }).matched, plain(filters).length, JSON.stringify(filters));
  }
});

test('dead rows are neither returned nor counted nor part of a facet, few or many of them', () => {
  for (const every of [{ suppressed: 2, gone: 0 }, { suppressed: 0, gone: 100 }, { suppressed: 100, gone: 150 }, { suppressed: 20, gone: 30 }]) {
    const reply = scanned(targetOf(segment, deadEvery(every, segment.rows)), { filters: [HAS_EMAIL], count: true, facets: ['job_title', 'country'] });
    const live = stored.filter((row, at) => !isDeadEvery(every, at) && row.email !== null);
    assert.equal(reply.matched, live.length);
    assert.equal(reply.rows, live.length);
    const titles = new Map(reply.facets![0]!.values);
    for (const title of TITLES) assert.equal(titles.get(title), live.filter((row) => row.job_title === title).length);
    assert.equal(new Map(reply.facets![1]!.values).get('DE'), live.filter(({ country }) => country === 'DE').length);
  }
});

test('a facet gives its most frequent values first, in the spelling that was met first', () => {
  const reply = scanned(target, { filters: [], rowsMax: 0, facets: ['country', 'job_title', 'has_email', 'industry'] });
  const [countries, titles, emails, industries] = reply.facets!;
  assert.deepEqual(countries!.values, [['US', 30_000], ['DE', 20_000], ['FR', 10_000]]);
  assert.deepEqual(titles!.values.map(([title]) => title), TITLES.toSorted());
  assert.deepEqual(emails!.values, [['true', 46_666], ['false', 23_334]]);
  assert.equal(industries!.values.length, 97);
});

test('a facet of times spells them as the rows do', async () => {
  const times = ['2024-05-01T10:00:00Z', '2024-05-01T10:00:00.250Z'];
  const some = await segmentOf('contacts', times.map((updated_at, at) => fullRow('contacts', { id: `test:${at}`, updated_at })));
  const reply = scanned(targetOf(some.segment), { filters: [], rowsMax: 0, facets: ['updated_at'] });
  assert.deepEqual(reply.facets![0]!.values.map(([value]) => value).toSorted(), times.toSorted());
});

test('rows that stay in the segment are told by their offsets, and rows that are copied stand one behind the other', () => {
  const filters = [terms('country', 'FR'), terms('job_title', 'engineer')];
  const [left, copied] = [false, true].map((copy) => scanned(target, { filters, rowsMax: 200, copy }));
  assert.equal(left!.bytes, null);
  assert.deepEqual(taken(segment, left!).map(({ row }) => row), plain(filters).slice(0, 200));
  assert.deepEqual(taken(segment, copied!), taken(segment, left!));
  assert.equal(copied!.bytes!.buffer.byteLength, copied!.table[2 * copied!.rows - 1]! + 1, 'the buffer is the slice\'s own');
});

test('rows that lie one behind the other are told by where the first begins and the last ends', () => {
  for (const filters of [[terms('country', 'FR'), HAS_EMAIL], [terms('country', 'FR'), HAS_NO_EMAIL], []]) {
    const [left, copied] = [false, true].map((copy) => scanned(target, { filters, after: 3, rowsMax: 200, copy }));
    assert.deepEqual([left!.rows, left!.table.length, left!.bytes, copied!.table.length], [200, 3, null, 3]);
    const from = filters.length === 0 ? 4 : 0;
    assert.deepEqual(taken(segment, left!).map(({ row }) => row), plain(filters).slice(from, from + 200));
    assert.deepEqual(taken(segment, copied!), taken(segment, left!));
    assert.equal(copied!.bytes!.buffer.byteLength, copied!.table[1]! + 1, 'the buffer is the slice\'s own');
  }
  assert.equal(scanned(target, { order: 'identity', rowsMax: 200 }).table.length, 1_200, 'not in another order');
});

test('of many such rows it is told where they may be parted, unless they are copied', () => {
  const rows = 3 * LIMITS.runPartRows + 1;
  for (const wanted of [rows, rows - 1, rows - 2]) {
    const [left, copied] = [false, true].map((copy) => scanned(target, { filters: [], after: 41, rowsMax: wanted, copy }));
    const lasts = [0, ...[1, 2, 3].map((part) => part * LIMITS.runPartRows).filter((end) => end < wanted), wanted].slice(1);
    assert.deepEqual([...left!.table], [segment.table.start(42), ...lasts.map((end) => segment.table.end(41 + end)), 42]);
    assert.equal(copied!.table.length, 3);
    assert.deepEqual(taken(segment, copied!), taken(segment, left!));
  }
});

test('a slice ends with the row that reaches its bytes, however many of its rows lie one behind the other', () => {
  for (const [after, last] of [[-1, 5_000], [9, 2_057], [0, 1], [65_000, 66_100]] as const) {
    const bytesMax = segment.table.start(last + 1) - segment.table.start(after + 1);
    for (const [bytes, end] of [[bytesMax, last], [bytesMax + 1, last + 1], [bytesMax - 1, last]] as const) {
      const reply = scanned(target, { filters: [], after, bytesMax: bytes });
      assert.deepEqual([reply.rows, reply.after, reply.stop], [end - after, end, 'full']);
    }
    const byRows = scanned(target, { filters: [], after, rowsMax: last - after });
    assert.deepEqual([byRows.rows, byRows.after, byRows.stop], [last - after, last, 'full']);
  }
});

test('an email address is asked for by where its rows lie, and companies by a clause', async () => {
  const us = terms('country', 'US', 'DE');
  const ranges = [HAS_EMAIL, HAS_NO_EMAIL].flatMap((asked) => {
    const reading = read(segment, [us, asked], []);
    assert.deepEqual([reading.clauses, reading.part], [[], { which: 0, wanted: asked === HAS_EMAIL }]);
    return reading.ranges;
  });
  const all = read(segment, [us, { ...HAS_EMAIL, absent: true }], []);
  assert.equal(all.part, null);
  assert.deepEqual(ranges.toSorted((a, b) => a[0] - b[0]).flat(), all.ranges.flatMap(([start, end]) => {
    const keyed = start + stored.slice(start, end).filter(({ email }) => email !== null).length;
    return [start, keyed, keyed, end];
  }));
  assert.equal(read(segment, [{ ...HAS_EMAIL, present: false }], []).ranges.length, 0);
  const companies = await segmentOf('companies', [null, 'https://x.com'].map((website, at) => fullRow('companies', { id: `test:${at}`, domain: `x${at}.com`, website })));
  const { clauses, part } = read(companies.segment, [{ ...HAS_EMAIL, name: 'has_website' }], []);
  assert.deepEqual([clauses.length, part], [1, null]);
});

test('rows on disk are always copied', async () => {
  await inFolder(async (folder) => {
    const some = inOrder('contacts', ROWS.slice(0, 5_000));
    const written = await write(folder, 'contacts', some);
    const onDisk = openSegment(load(written).index, { file: written.rows, bytes: written.summary.rowsBytes, mapped: false });
    const filters = [terms('job_title', 'engineer'), HAS_EMAIL];
    for (const order of ['stored', 'identity'] as const) {
      const reply = scanned(targetOf(onDisk), { filters, order, rowsMax: 300 });
      const expected = some.filter(({ row }) => matches(filters, [], onDisk.vocabulary)(row)).sort((a, b) => (order === 'identity' ? a.rank - b.rank : 0));
      assert.deepEqual(taken(onDisk, reply, order).map(({ row }) => row), expected.slice(0, 300).map(({ row }) => row));
    }
    closeSegment(onDisk);
  });
});

test('a phrase that many loose texts may hold is verified row by row as the scan comes to them', async () => {
  const names = ['Ann Lee Cox', 'Lee Ann Cox', 'Cox, Ann Lee', 'Ann and Lee Cox'];
  const rows = Array.from({ length: 2_000 }, (_, at) => fullRow('contacts', { id: `test:${at}`, full_name: names[at % 4]!, company_name: at % 10 === 0 ? 'Ann Lee Cox Ltd' : null }));
  const { segment, stored } = await segmentOf('contacts', rows);
  for (const negated of [false, true]) {
    const search = { filters: [], terms: [{ kind: 'phrase', words: ['ann', 'lee', 'cox'], negated }] } as const;
    assert.equal(read(segment, search.filters, search.terms).rowClauses.length, 1);
    const expected = stored.filter(matches(search.filters, search.terms, segment.vocabulary));
    const reply = scanned(targetOf(segment), { ...search, count: true });
    assert.equal(reply.matched, expected.length);
    assert.deepEqual(taken(segment, reply).map(({ row }) => row.id), expected.map(({ id }) => id));
  }
});

test('a scan whose deadline has passed stops within a block and says where it stands', () => {
  const reply = scanned(target, { filters: [terms('industry', 'absent', 'industry 5')], deadlineMs: monotonicMs() - 1, count: true, facets: ['country'] });
  assert.equal(reply.stop, 'deadline');
  assert.equal(reply.matched, null);
  assert.equal(reply.facets, null);
  assert.equal(reply.rows, 0);
  assert.equal(reply.after, -1);
});

test('a deadline in the order of identity keeps the rows that no later one can come before', () => {
  for (const [filters, looksMax] of [[[terms('country', 'US')], 3], [[], 200]] as const) {
    let looks = 0;
    const interrupt = { struck: () => (++looks > looksMax ? 'deadline' as const : null), spent: () => false };
    const reading = read(segment, filters, []);
    const request = requestOf({ order: 'identity', filters });
    // As where rows have to be read: in windows that are short at first.
    const matcher = Object.assign(new Matcher(reading), { windowRowsMax: 128 });
    const page = rankedPage({ segment, reading, matcher, request, interrupt });
    assert.equal(page.stop, 'deadline');
    assert.ok(page.rows.length > 0 && page.after >= segment.ranks[page.rows.at(-1)!]!);
    const rowOf = new Map(Array.from(segment.ranks, (rank, row) => [rank, row]));
    const whole = scanned(target, { order: 'identity', filters });
    assert.deepEqual([...page.rows], Array.from(page.rows.keys(), (at) => rowOf.get(whole.table[2 * whole.rows + at]!)));
    assert.ok(whole.table[2 * whole.rows + page.rows.length]! > page.after, 'nothing up to the mark was left out');
  }
});

test('a scan whose ticket is gone stops as cancelled', () => {
  const flags = Int32Array.from([5]);
  const reply = scan(target, requestOf({ ticket: 4, count: true }), flags);
  assert.ok(reply.ok);
  assert.equal(reply.stop, 'cancelled');
  assert.equal(reply.rows, 0);
});

test('a cancel that comes while rows are being read stops the scan within a window', () => {
  let reads = 0;
  const flags = Int32Array.from([1]);
  const bytes = { ...segment.bytes, read(...[start, end, into, at]: Parameters<typeof segment.bytes.read>) {
    if (++reads === 1_000) flags[0] = 0;
    segment.bytes.read(start, end, into, at);
  } };
  const reply = scan(targetOf({ ...segment, bytes }), requestOf({ ticket: 1, rowsMax: 0, facets: ['id'] }), flags);
  assert.ok(reply.ok);
  assert.deepEqual([reply.tally, reply.facets], ['cancelled', null]);
  assert.ok(reads < 2_000, `${reads} rows were read`);
});

test('a search that was dear to prepare is kept for the next slice, and only so many are', () => {
  const kept = targetOf(segment);
  for (let at = 0; at < 100; at++) scanned(kept, { terms: [{ kind: 'prefix', words: [`n${at}`], negated: false }], rowsMax: 1 });
  assert.equal(kept.readings.size, 32);
  const phrase = [{ kind: 'phrase', words: ['vp', 'engineering'], negated: false }] as const;
  assert.equal(kept.readings.read([], phrase), kept.readings.read([], phrase));
});

test('a mount keeps the open segment that another one has, and takes its own dead rows: those that are suppressed and those that are gone', async () => {
  await inFolder(async (folder) => {
    const written = await write(folder, 'contacts', inOrder('contacts', ROWS.slice(0, 100)));
    const { index, rows } = load(written);
    const mount = { id: 'a', segment: 'a', index, rows, dead: null, gone: new Uint32Array() };
    const first = mountTarget(mount);
    const dead = new SharedArrayBuffer(13);
    new Uint8Array(dead).fill(0xff);
    const second = mountTarget({ ...mount, dead }, first);
    assert.equal(second.segment, first.segment);
    assert.equal(scanned(first, { count: true }).matched, 100);
    assert.equal(scanned(second, { count: true }).matched, 0);
    assert.equal(scanned(second, { rowsMax: 0, count: true }).matched, 0);
    new Uint8Array(dead).fill(0).set([0b110]);
    for (const [own, living] of [[{ dead }, 98], [{ gone: Uint32Array.of(2, 98, 99) }, 97], [{ dead, gone: Uint32Array.of(2, 98, 99) }, 96]] as const) {
      const target = mountTarget({ ...mount, ...own }, first);
      assert.equal(target.segment, first.segment);
      assert.equal(scanned(target, { count: true }).matched, living);
      assert.equal(scanned(target, { rowsMax: 200 }).rows, living);
    }
    assert.throws(() => mountTarget({ ...mount, gone: Uint32Array.of(100) }, first), /never there/);
  });
});

test('what was replaced is opened when it is asked for, and stays open where it was; what cannot be opened is missing alone', async () => {
  await inFolder(async (folder) => {
    const { index, rows } = load(await write(folder, 'contacts', inOrder('contacts', ROWS.slice(0, 100))));
    const mount = { id: 'a@2', segment: 'a', index, rows, dead: null, gone: new Uint32Array() };
    const older = { ...mount, id: 'a@1', gone: Uint32Array.of(7), replaced: true } as const;
    const lost = { ...mount, id: 'b', segment: 'b', index: new SharedArrayBuffer(4) };
    const replacedLost = { ...lost, id: 'c', segment: 'c', replaced: true } as const;
    const place = new SharedArrayBuffer(index.byteLength);
    const written = new Uint8Array(place);
    written.set(new Uint8Array(index));
    const first = new OpenedTargets([mount, older, lost, replacedLost, { ...older, id: 'e', segment: 'e', index: place }], null);
    written.fill(0);
    assert.throws(() => first.get('e'), 'it was opened before anybody asked for it');
    written.set(new Uint8Array(index));
    assert.equal(scanned(first.get('e')!, { count: true }).matched, 99);
    for (const { id } of [lost, replacedLost]) assert.throws(() => first.get(id));
    assert.equal(first.get('d'), undefined);
    assert.equal(first.get('a@1')!.segment, first.get('a@2')!.segment);
    const second = new OpenedTargets([older], first);
    assert.equal(second.get('a@2'), undefined);
    assert.deepEqual([second.get('a@1')!.segment === first.get('a@2')!.segment, scanned(second.get('a@1')!, { count: true }).matched], [true, 99]);
    const anew = new OpenedTargets([older], new OpenedTargets([], second));
    assert.notEqual(anew.get('a@1')!.segment, first.get('a@2')!.segment);
  });
});

test('rows come as one text where that is asked for and a tray is free, and in a table where none is', () => {
  const shared = makeTrays();
  const reader = new TrayReader(shared);
  const trays = new TrayWriter(shared);
  const asked = requestOf({ filters: [terms('job_title', 'engineer'), HAS_EMAIL], rowsMax: 40, form: 'json' });
  const flags = new Int32Array(4);
  for (const dense of [[], [HAS_EMAIL, terms('job_title', 'engineer', 'head of sales')]]) {
    const request = { ...asked, filters: [...asked.filters.slice(0, dense.length === 0 ? 2 : 0), ...dense] };
    const reply = scan(target, request, flags, trays);
    const plainReply = scan(target, { ...request, form: 'rows' }, flags, trays);
    assert.ok(reply.ok && plainReply.ok && reply.text !== null && plainReply.text === null);
    assert.deepEqual([reply.rows, reply.stop, reply.after, reply.table.length], [40, 'full', plainReply.after, 0]);
    const { tray, start, end } = reply.text;
    const held = reader.receive(tray, start, end);
    const { bytes } = held;
    assert.equal(bytes.toString('utf8', start, end), taken(segment, plainReply).map(({ row }) => JSON.stringify(row)).join(','));
    assert.ok(start >= '{"results":['.length && bytes.length - end >= LIMITS.trayRoomBytes);
    held.release();
  }
  while (trays.take() !== null);
  const reply = scan(target, asked, flags, trays);
  assert.ok(reply.ok && reply.text === null && reply.rows === 40 && reply.table.length === 120);
});

test('a page of too many bytes, one of no rows and one on disk come whole', async () => {
  const shared = makeTrays();
  const trays = new TrayWriter(shared);
  const flags = new Int32Array(4);
  const many = scan(target, requestOf({ rowsMax: 5_000, form: 'json' }), flags, trays);
  assert.ok(many.ok && many.text === null && many.rows === 5_000);
  const none = scan(target, requestOf({ filters: [terms('country', 'JP')], form: 'json' }), flags, trays);
  assert.ok(none.ok && none.text === null && none.rows === 0);
  await inFolder(async (folder) => {
    const files = await write(folder, 'contacts', inOrder('contacts', ROWS.slice(0, 200)));
    const disk = openSegment(load(files).index, { file: files.rows, bytes: files.summary.rowsBytes, mapped: false });
    const reply = scan(targetOf(disk), requestOf({ rowsMax: 7, form: 'json' }), flags, trays);
    assert.ok(reply.ok && reply.text !== null);
    const { tray, start, end } = reply.text;
    assert.equal((JSON.parse(`[${new TrayReader(shared).receive(tray, start, end).bytes.toString('utf8', start, end)}]`) as unknown[]).length, 7);
    closeSegment(disk);
  });
});
