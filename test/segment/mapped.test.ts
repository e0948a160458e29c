import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { monotonicMs } from '../../src/lib/clock.ts';
import { loadSegments } from '../../src/pool/loader.ts';
import { ScanPool } from '../../src/pool/scan_pool.ts';
import { startThreads } from '../../src/pool/threads.ts';
import { placeIndex } from '../../src/segment/index_memory.ts';
import { mapsFiles } from '../../src/segment/mapping.ts';
import { closeSegment, openSegment, readRow } from '../../src/segment/reader.ts';
import { SegmentRefused } from '../../src/segment/refused.ts';
import type { SegmentToLoad } from '../../src/sources/lake/loading.ts';
import { type RankedRow, fullRow, inFolder, inOrder, load, write, type Written } from './support.ts';
import { under, type ScanWanted } from '../support/runners.ts';

const people = (count: number): RankedRow[] => inOrder('contacts', Array.from({ length: count }, (_, at) => fullRow('contacts', {
  id: `test:${at}`, email: at % 3 === 0 ? null : `p${at}@x.com`, country: ['DE', 'US', null][at % 3]!, job_title: `Head of ${at % 70}`,
})));
const ROWS = people(5_000);
const cannotMap = mapsFiles() ? false : 'files cannot be mapped here';
const cannotTell = existsSync('/proc/self/maps') ? cannotMap : 'the system does not list what is mapped';

const mappedAll = ({ index, rows }: Written): SegmentToLoad => ({ index, rows, rowsBytes: statSync(rows).size, indexMapped: true, keep: 'mapped', seal: null });
const mappings = (folder: string): string[] => readFileSync('/proc/self/maps', 'utf8').split('\n').filter((line) => line.includes(folder));

function input(segment: string): ScanWanted {
  return {
    segment, deadlineMs: monotonicMs() + 20_000, filters: [], terms: [], order: 'stored', after: -1, rowsMax: 10, bytesMax: 1_000_000, copy: false, form: 'rows', fields: null,
    count: true, facets: [], beside: [],
  };
}

test('a mapped index says what one in shared memory says', { skip: cannotMap }, async () => {
  await inFolder(async (folder) => {
    const written = await write(folder, 'contacts', ROWS);
    assert.deepEqual(placeIndex(written.index, true), { file: written.index });
    const { index, rows } = load(written);
    const [inMemory, mapped] = [openSegment(index, rows), openSegment({ file: written.index }, rows)];
    assert.equal(mapped.index.buffer instanceof SharedArrayBuffer, false);
    assert.deepEqual(new Uint8Array(mapped.index.buffer), new Uint8Array(inMemory.index.buffer));
    for (const row of [0, 1, 2_500, 4_999]) assert.deepEqual(readRow(mapped, row), ROWS[row]!.row);
    closeSegment(mapped);
  });
});

test('an index whose file cannot be mapped is put into memory that all threads share', async () => {
  await inFolder(async (folder) => {
    const written = await write(folder, 'contacts', ROWS);
    const place = placeIndex(written.index, false);
    assert.ok(place instanceof SharedArrayBuffer);
    assert.deepEqual(Buffer.from(place), readFileSync(written.index));
  });
});

test('an index that is damaged or cut is refused by reading its file, before anything is mapped', async () => {
  await inFolder(async (folder) => {
    const written = await write(folder, 'contacts', people(40));
    const sealed = readFileSync(written.index);
    const refusal = (bytes: Buffer): string => {
      writeFileSync(written.index, bytes);
      try {
        openSegment({ file: written.index }, load(written).rows);
      } catch (error) {
        assert.ok(error instanceof SegmentRefused, String(error));
        return error.code;
      }
      return 'opened';
    };
    for (let at = 0; at < sealed.length; at += 401) {
      const damaged = Buffer.from(sealed);
      damaged[at]! ^= 1 << (at % 8);
      assert.notEqual(refusal(damaged), 'opened', `byte ${at}`);
    }
    for (const length of [0, 63, 64, 1_000, sealed.length - 1]) assert.equal(refusal(sealed.subarray(0, length)), 'truncated');
    assert.equal(refusal(Buffer.concat([sealed, Buffer.alloc(64)])), 'truncated');
    assert.equal(refusal(sealed), 'opened');
  });
});

test('a segment that cannot be read, is cut or damaged is told so beside one that is loaded', async () => {
  await inFolder(async (folder) => {
    const files: SegmentToLoad[] = [];
    for (const name of ['whole', 'folder', 'cut', 'spoilt', 'short']) {
      mkdirSync(join(folder, name));
      files.push(mappedAll(await write(join(folder, name), 'contacts', people(100))));
    }
    unlinkSync(files[1]!.index);
    mkdirSync(files[1]!.index);
    truncateSync(files[2]!.index, 2_000);
    const bytes = readFileSync(files[3]!.rows);
    bytes[500]! ^= 4;
    writeFileSync(files[3]!.rows, bytes);
    truncateSync(files[4]!.rows, 2_000);
    const loaded = await loadSegments(files, () => {});
    assert.deepEqual(loaded.map((one) => (one.ok ? 'ok' : one.reason)), ['ok', 'unreadable', 'truncated', 'rows_checksum', 'rows_length']);
    if (cannotTell === false) assert.deepEqual(mappings(folder), [], 'the loading thread leaves nothing mapped');
  });
});

test('a segment that is mounted no more is unmapped by the thread that scanned it, and one that cannot be opened is missing alone, for as long as it cannot', { skip: cannotTell }, async () => {
  await inFolder(async (folder) => {
    const pool = new ScanPool(startThreads(1));
    const mounts = [];
    for (const id of ['a', 'b', 'gone']) {
      mkdirSync(join(folder, id));
      const [loaded] = await loadSegments([mappedAll(await write(join(folder, id), 'contacts', people(300)))], () => {});
      assert.ok(loaded!.ok);
      mounts.push({ id, segment: id, index: loaded!.index, rows: loaded!.rows, dead: null, gone: new Uint32Array() });
    }
    const [index, hidden] = ['a.index', 'hidden'].map((name) => join(folder, 'gone', name)) as [string, string];
    renameSync(index, hidden);
    pool.mount(mounts);
    const [a, gone, b] = await Promise.all(['a', 'gone', 'b'].map((id) => pool.scan(under(pool.lease()!, input(id)))));
    assert.deepEqual([a!.ok && a!.matched, b!.ok && b!.matched, gone!.ok || gone!.code], [300, 300, 'segment_unknown']);
    assert.match(!gone!.ok && gone!.code === 'segment_unknown' ? gone!.detail : '', /ENOENT/, 'it says why');
    assert.equal(mappings(folder).length, 4);
    renameSync(hidden, index);
    const found = await pool.scan(under(pool.lease()!, input('gone')));
    assert.equal(found.ok && found.matched, 300, 'it is there once it can be opened');
    assert.equal(mappings(folder).length, 6);
    pool.mount(mounts.slice(0, 1));
    assert.ok((await pool.scan(under(pool.lease()!, input('a')))).ok);
    assert.deepEqual(mappings(folder).filter((line) => !line.includes(join(folder, 'a'))), []);
    pool.mount([]);
    await pool.scan(under(pool.lease()!, input('a')));
    assert.deepEqual(mappings(folder), []);
    await pool.close();
  });
});
