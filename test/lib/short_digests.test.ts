import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { ShortDigests } from '../../src/lib/short_digests.ts';

const LETTERS = Array.from({ length: 128 }, (_, byte) => String.fromCharCode(byte)).join('');

for (const lead of ['', 'linkedin_url:', 'x'.repeat(64)]) {
  test(`texts of every short length have the digest that the library gives behind ${lead.length} letters`, () => {
    const wanted: number[] = [];
    const told: number[] = [];
    const digests = new ShortDigests(lead, (place, first) => { told[place] = first; });
    for (let round = 0; round < 5; round++) {
      for (let length = 0; length <= 3 * 64 - 9 - lead.length; length++) {
        const text = Array.from({ length }, (_, at) => LETTERS[(at * 31 + length * 7 + round) % LETTERS.length]!).join('');
        const bytes = Buffer.from(`before${text}behind`);
        assert.equal(digests.add(bytes, 6, 6 + length, wanted.length), true);
        wanted.push(createHash('sha256').update(lead + text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())).digest().readUInt32BE(0));
      }
    }
    digests.finish();
    assert.deepEqual(told, wanted);
  });
}

test('a text that is not short is left to the library', () => {
  const digests = new ShortDigests('lead', () => assert.fail('told of a text that was not taken'));
  assert.equal(digests.add(Buffer.alloc(500, 0x61), 0, 3 * 64 - 9 - 4 + 1, 0), false);
  assert.equal(digests.add(Buffer.alloc(500, 0x61), 0, 500, 0), false);
  digests.finish();
});
