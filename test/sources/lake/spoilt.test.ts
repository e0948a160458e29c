import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { LIMITS } from '../../../src/config/limits.ts';
import { loadSegments } from '../../../src/pool/loader.ts';
import { restored } from '../../support/restored.ts';
import { following } from './following.ts';

test('rows that turn out spoilt take every snapshot that has them out of service', async () => {
  let spoil = (): void => {};
  const { state } = await following((files, spoilt) => {
    spoil = () => spoilt(files[0]!);
    return loadSegments(files, () => {});
  });
  spoil();
  assert.deepEqual(state().lakes.map(({ snapshot, trouble }) => [snapshot, trouble]), [[null, 'a segment was refused: rows_checksum']]);
});

test('rows that turn out spoilt before what has them is served are never served', async () => {
  const { state } = await following(async (files, spoilt) => {
    const loaded = await loadSegments(files, () => {});
    spoilt(files[0]!);
    return loaded;
  });
  assert.deepEqual(state().lakes.map(({ snapshot, trouble }) => [snapshot, trouble]), [[null, 'a segment was refused: rows_checksum']]);
});

test('rows that turn out spoilt while the next snapshot is loaded are not kept for cursors either', async () => {
  let spoil: (() => void) | null = null;
  const { lakes, lake, state } = await following(async (files, spoilt) => {
    spoil?.();
    spoil = () => spoilt(files[0]!);
    return loadSegments(files, () => {});
  });
  await lake.ingest([await lake.file('b.csv', 'id,name,email\n2,Bob,bob@b.co\n')]);
  await lakes.reload();
  assert.deepEqual(state().lakes.map(({ snapshot, trouble }) => [snapshot?.manifest.snapshot, trouble]), [[2, null]]);
  assert.deepEqual([state().retained, state().held], [[], []]);
});

test('what is published beside rows that turn out spoilt meanwhile is loaded anew: of what was taken out of service nothing is shared', async () => {
  const KEEPING_LIVING = { smallRowsMax: 0, ratio: 0, goneShareMax: 0.5 };
  let spoil = (): void => {};
  const loaded: string[][] = [];
  const { lakes, clock, lake, state } = await following((files, spoilt) => {
    if (files.length === 0) return Promise.resolve([]);
    if (loaded.length === 1) spoil();
    spoil = () => spoilt(files.at(-1)!);
    loaded.push(files.map(({ index }) => basename(index).slice(0, 7)));
    return loadSegments(files, () => {});
  }, async (one) => { await one.ingest([await one.file('b.csv', 'id,name,email\n2,Bob,bob@b.co\n')], { keeping: KEEPING_LIVING }); });
  await restored(state);
  await lake.ingest([await lake.file('c.csv', 'id,name,email\n2,Bo,bo@b.co\n')], { keeping: KEEPING_LIVING });
  await lakes.reload();
  assert.deepEqual(state().lakes.map(({ snapshot, trouble }) => [snapshot, trouble]), [[null, 'a segment was refused: rows_checksum']]);
  clock.shiftMs += LIMITS.lakeRetryMsMax;
  await lakes.reload();
  assert.deepEqual(state().lakes.map(({ snapshot, trouble }) => [snapshot?.manifest.snapshot, trouble]), [[3, null]]);
  assert.deepEqual(loaded.map((names) => names.map((name) => Number.parseInt(name, 10))), [[1, 2], [3], [1, 3]]);
  await lakes.close();
});
