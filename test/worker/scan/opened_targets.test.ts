import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Row } from '../../../src/model/field.ts';
import { mapsFiles } from '../../../src/segment/mapping.ts';
import type { SegmentMount } from '../../../src/segment/mount.ts';
import { scanBatch, type ScanThread } from '../../../src/worker/scan/batch.ts';
import { OpenedTargets } from '../../../src/worker/scan/opened_targets.ts';
import { Tallies } from '../../../src/worker/scan/tallies.ts';
import { fullRow, inFolder, inOrder, load, write } from '../../segment/support.ts';
import { requestOf } from './support.ts';

const ROWS = Array.from({ length: 3_000 }, (_, at): Row => fullRow('contacts', { id: `test:${at}`, country: 'US' }));
const ASKED = requestOf({ segment: 'a@1', rowsMax: 0, count: true, facets: ['id'] });

function deadRows(...rows: readonly number[]): SharedArrayBuffer {
  const bits = new SharedArrayBuffer(ROWS.length / 8);
  for (const row of rows) new Uint8Array(bits)[row >>> 3]! |= 1 << (row & 7);
  return bits;
}

test('a tally rests on where other mounts come and go, and begins anew where other rows die', async () => {
  await inFolder(async (folder) => {
    const { index, rows } = load(await write(folder, 'contacts', inOrder('contacts', ROWS)));
    const mount: SegmentMount = { id: 'a@1', segment: 'a', index, rows, dead: deadRows(7), gone: Uint32Array.of(8, 9) };
    const other: SegmentMount = { ...mount, id: 'a@2', gone: Uint32Array.of(8, 9, 10) };
    const thread = (targets: OpenedTargets): ScanThread => ({ id: 1, cancelFlags: new Int32Array(1), targets, tallies, trays: null });
    const tallies = new Tallies();
    const first = new OpenedTargets([mount], null);
    assert.ok((scanBatch(thread(first), [ASKED], 0)[0] as { heldBy: number | null }).heldBy === 1 && tallies.size === 1);
    const second = new OpenedTargets([other, { ...mount, dead: deadRows(7) }], first);
    assert.equal(second.get('a@1'), first.get('a@1'), 'it would be counted from the beginning');
    const third = new OpenedTargets([other, { ...mount, dead: deadRows(7, 11) }], second);
    const counts = [second, third].flatMap((targets) => [['a@1', targets] as const, ['a@2', targets] as const])
      .map(([segment, targets]) => scanBatch(thread(targets), [{ ...ASKED, segment }], Infinity)[0]!).map((reply) => reply.ok && reply.matched);
    assert.deepEqual(counts, [2_997, 2_996, 2_996, 2_996]);
    const fourth = new OpenedTargets([{ ...mount, dead: null }], third);
    assert.deepEqual(scanBatch(thread(fourth), [ASKED], Infinity).map((reply) => reply.ok && reply.matched), [2_998]);
    assert.equal(fourth.get('a@2'), undefined);
    assert.equal(new OpenedTargets([], fourth).get('a@1'), undefined);
  });
});

test('what was put together of dead rows is let go of where a mount was replaced, and again when it is asked for; a tally goes on from it', async () => {
  await inFolder(async (folder) => {
    const { index, rows } = load(await write(folder, 'contacts', inOrder('contacts', ROWS)));
    const thread = (targets: OpenedTargets): ScanThread => ({ id: 1, cancelFlags: new Int32Array(1), targets, tallies, trays: null });
    const tallies = new Tallies();
    const mount: SegmentMount = { id: 'a@1', segment: 'a', index, rows, dead: deadRows(7), gone: Uint32Array.of(8, 9) };
    const first = new OpenedTargets([mount], null);
    scanBatch(thread(first), [ASKED], 0);
    const { dead } = first.get('a@1')!;
    const { bits, rows: listed, counts } = dead!;
    const second = new OpenedTargets([{ ...mount, replaced: true }, { ...mount, id: 'a@2' }], new OpenedTargets([mount], first));
    assert.equal(second.get('a@1')!.dead, dead);
    assert.notEqual(dead!.counts, counts);
    assert.notEqual(dead!.bits, bits);
    assert.deepEqual([dead!.bits, dead!.rows], [bits, listed]);
    assert.equal(tallies.size, 1);
    assert.deepEqual(scanBatch(thread(second), [ASKED], Infinity).map((reply) => reply.ok && [reply.tally, reply.matched]), [['done', 2_997]]);
    const kept = second.get('a@2')!.dead!;
    const { bits: keptBits } = kept;
    assert.equal(new OpenedTargets([{ ...mount, id: 'a@2' }], second).get('a@2')!.dead!.bits, keptBits);
  });
});

test('of a segment that cannot be mounted nothing stays mapped, however often it is tried', { skip: process.platform !== 'linux' || !mapsFiles() }, async () => {
  await inFolder(async (folder) => {
    const { index, rows, summary } = await write(folder, 'contacts', inOrder('contacts', ROWS.slice(0, 9)));
    const mount: SegmentMount = { id: 'a@1', segment: 'a', index: { file: index }, rows: { file: rows, bytes: summary.rowsBytes, mapped: true }, dead: null, gone: Uint32Array.of(9) };
    const targets = new OpenedTargets([mount], null);
    for (let tries = 0; tries < 3; tries += 1) assert.throws(() => targets.get('a@1'), /a row is gone that was never there/);
    assert.doesNotMatch(readFileSync('/proc/self/maps', 'utf8'), new RegExp(folder));
  });
});
