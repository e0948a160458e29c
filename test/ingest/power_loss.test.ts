import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSegment, verifyRows } from '../../src/segment/reader.ts';
import { readShared } from '../../src/segment/sealed_bytes.ts';
import { readLakes } from '../../src/sources/lake/current.ts';
import { segmentFiles } from '../../src/sources/lake/paths.ts';
import { checkTruths } from '../../src/sources/lake/seals.ts';
import { eachLoss } from '../support/power_loss/each_loss.ts';
import { noRecorder } from '../support/power_loss/recorded.ts';
import type { Tree } from '../support/power_loss/states.ts';
import { rowsDigest } from './rows_digest.ts';

/** Told so, all is done that takes long, and more of what may be left is drawn. */
const MORE = process.env.LDS_POWER_LOSS === 'more' ? ['--more'] : [];
const CHILD = join(import.meta.dirname, 'publisher_child.js');
/** What a writer works on is in no one's way before it is named. */
function named(tree: Tree): Tree {
  return new Map([...tree].map(([path, content]) => [path.replace(/LOCK-.*/, 'LOCK'), path.includes('/staging/') ? '' : content]));
}

test('whatever is left of a lake when the power is lost, it is served as it was or as it is to be, whole, and what was finished is there', { skip: noRecorder() ?? false }, async () => {
  const { states, faults } = await eachLoss({ script: (disk) => [CHILD, join(disk, 'data'), ...MORE], counts: named, chances: MORE.length * 2 }, async (disk, { said, next }) => {
    const digest = await served(join(disk, 'data'));
    assert.ok([said.at(-1), next].some((line) => line?.endsWith(` ${digest}`)), 'what is served is neither what was nor what is to be');
    if (said.length > 1) assert.match(readFileSync(join(disk, 'data', 'rejects', 'crm', 'First.csv.rejects.csv'), 'latin1'), /^line,reason,content\r\n62,.*\r\n$/);
  });
  assert.deepEqual(faults.slice(0, 10), []);
  assert.ok(states > 100, `${states} states`);
});

/** What a gateway would serve, every byte of it verified; throws where it would serve none. */
async function served(dataDir: string): Promise<string> {
  for (const { place, found } of await readLakes(dataDir)) {
    if (found instanceof Error) throw found;
    for (const { id, seals, rows: living, gone } of found.segments) {
      const { index, rows } = segmentFiles(place.dir, id);
      const segment = openSegment(readShared(index), readShared(rows), { seal: seals!.index });
      verifyRows(segment);
      assert.equal(segment.rows, living + (gone?.rows ?? 0));
    }
    await checkTruths(place.dir, found.segments);
  }
  return rowsDigest(dataDir);
}
