import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Duck } from '../../src/ingest/duckdb.ts';
import { IngestError } from '../../src/ingest/failure.ts';
import { previewFiles } from '../../src/ingest/ingest.ts';
import { openInput } from '../../src/ingest/input.ts';
import { lineShapes } from '../../src/ingest/line_shapes.ts';
import { zstdOf } from './zstd.ts';
import { testLake, type TestLake } from './lake.ts';

const ROWS = 20_000;
const LINES = ['id,name', ...Array.from({ length: ROWS }, (_, id) => `${id},Ann ${(id * 7_919) % 104_729}`), ''].join('\n');

async function zstd(lake: TestLake): Promise<Buffer> {
  const path = join(lake.dataDir, 'made.csv.zst');
  const duck = await Duck.open(lake.dataDir, { folders: [], files: [] }, new AbortController().signal);
  await duck.run(`COPY (SELECT range AS id, 'Ann ' || (range * 7919) % 104729 AS name FROM range(${ROWS})) TO '${path}' (FORMAT csv, HEADER, COMPRESSION zstd)`);
  duck.close();
  return readFile(path);
}

const refuses = (work: Promise<unknown>, wanted: RegExp, of: string): Promise<void> => assert.rejects(work, (error) => error instanceof IngestError && wanted.test(error.message), of);

test('of a gzip file that breaks off, or whose sum is wrong, nothing is published', async () => {
  const lake = await testLake();
  const packed = gzipSync(LINES);
  const wrong = Buffer.from(packed);
  wrong[wrong.length - 6]! ^= 1;
  for (const [of, bytes] of [['a checksum', packed.subarray(0, -5)], ['a thousand bytes', packed.subarray(0, -1_000)], ['a wrong sum', wrong]] as const) {
    for (const name of ['a.csv.gz', 'a.ndjson.gz']) {
      const whole = name === 'a.csv.gz' ? bytes : gzipSync(LINES.replace(/^(\d+),(.*)$/gm, '{"id":$1,"name":"$2"}').replace('id,name\n', '')).subarray(0, -1_000);
      await refuses(lake.ingest([await lake.file(name, whole)]), /damaged or breaks off/, `${of} ${name}`);
    }
  }
  assert.equal((await lake.rows()).size, 0);
  assert.equal((await lake.ingest([await lake.file('a.csv.gz', Buffer.concat([gzipSync(LINES), gzipSync('x,Bob\n')]))])).rows, ROWS + 1);
});

/** A gzip member whose header has these flags, with what they announce. */
function member(text: string, flags: number, announced: string): Buffer {
  const packed = gzipSync(text);
  return Buffer.concat([packed.subarray(0, 3), Buffer.from([flags]), packed.subarray(4, 10), Buffer.from(announced, 'latin1'), packed.subarray(10)]);
}

test('a gzip file is read whatever its headers hold, and with zeros behind its end', async () => {
  const lake = await testLake();
  const [first, second] = [LINES.slice(0, LINES.indexOf('\n', 100_000) + 1), LINES.slice(LINES.indexOf('\n', 100_000) + 1)];
  const files: readonly (readonly [string, readonly Buffer[]])[] = [
    ['a comment', [member(LINES, 16, 'a comment\0')]],
    ['all that a header may have', [member(LINES, 29, '\x06\0AB\x02\0xyname.csv\0comment\0')]],
    ['a comment in the second member', [gzipSync(first), member(second, 16, 'a comment\0')]],
    ['zeros', [gzipSync(LINES), Buffer.alloc(10_000)]],
    ['three zeros', [gzipSync(first), gzipSync(second), Buffer.alloc(3)]],
  ];
  for (const [of, bytes] of files) {
    const file = await lake.file('a.csv.gz', Buffer.concat(bytes));
    const summary = await lake.ingest([file], { mode: 'replace' });
    assert.deepEqual([summary.rows, summary.read, summary.plans.length], [ROWS, ROWS, 1], of);
    assert.equal((await previewFiles(lake.order([file]), join(lake.dataDir, 'temp'))).rows.length, 5, `a preview of ${of}`);
  }
  await refuses(lake.ingest([await lake.file('a.csv.gz', Buffer.concat([gzipSync(first), Buffer.alloc(512), gzipSync(second)]))]), /something else behind|does not unpack/, 'a member behind zeros');
});

test('of a zstd file that breaks off nothing is published, and nobody waits for its end', async () => {
  const lake = await testLake();
  const packed = await zstd(lake);
  for (const lost of [1, 5, 1_000, packed.length - 9, packed.length - 4]) {
    const file = await lake.file('a.csv.zst', packed.subarray(0, -lost));
    await refuses(lake.ingest([file]), /a\.csv\.zst breaks off/, `${lost}`);
    await refuses(previewFiles(lake.order([file]), join(lake.dataDir, 'temp')), /a\.csv\.zst breaks off/, `a preview of ${lost}`);
  }
  await refuses(lake.ingest([await lake.file('a.csv.zst', Buffer.concat([packed, Buffer.from('more than this')]))]), /something else behind/, 'junk');
  const skippable = Buffer.from([0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
  for (const bytes of [packed, Buffer.concat([packed, skippable]), Buffer.concat([skippable, packed])]) assert.equal((await lake.ingest([await lake.file('a.csv.zst', bytes)])).rows, ROWS);
});

test('what zstd packed with a longer window than the engine takes is refused with what unpacks it', async () => {
  const lake = await testLake();
  const [window, block] = [(31 - 10) << 3, zstdOf(Buffer.from('id,name\n1,Ann\n')).subarray(6)];
  const file = await lake.file('a.csv.zst', Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window]), block]));
  await refuses(lake.ingest([file]), /a\.csv\.zst was packed with a longer window.*zstd -d --long=31/, 'a long window');
});

test('the count of the lines of a file ends when its order does', async () => {
  const lake = await testLake();
  const stop = new AbortController();
  const duck = await Duck.open(lake.dataDir, { folders: [], files: [] }, stop.signal);
  const input = await openInput(await lake.file('a.csv', 'id,name\n'.repeat(100_000)), 0, lake.dataDir, stop.signal);
  let counted = 0;
  await assert.rejects(async () => {
    for await (const shapes of lineShapes(duck, input, { encoding: 'utf-8', escape: 'quote', delimiter: ',' })) {
      counted += shapes.length;
      stop.abort();
    }
  }, { name: 'AbortError' });
  assert.ok(counted > 0 && counted < 100_000, String(counted));
  duck.close();
});

test('a packed file that is taken away before its lines are counted ends the count, not the program', async () => {
  const lake = await testLake();
  const { signal } = new AbortController();
  const duck = await Duck.open(lake.dataDir, { folders: [], files: [] }, signal);
  const path = await lake.file('gone.csv.gz', gzipSync(LINES));
  const input = await openInput(path, 0, lake.dataDir, signal);
  await rm(path);
  await assert.rejects(lineShapes(duck, input, { encoding: 'utf-8', escape: 'quote', delimiter: ',' })[Symbol.asyncIterator]().next(), { code: 'ENOENT' });
  duck.close();
});
