import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteRuns, ByteTable } from '../../src/lib/byte_table.ts';
import { hashLowerAscii, hashText } from '../../src/lib/hash.ts';

test('the same bytes have the same number, and others another, however many there are', () => {
  const table = new ByteTable();
  const known = new Map<string, number>();
  const text = (at: number): string => `${'é'.repeat(at % 5)}${(at * 7_919) % 6_007}${'x'.repeat(at % 131)}`;
  for (let at = 0; at < 40_000; at++) {
    const bytes = Buffer.from(`<${text(at)}>`);
    const number = table.numberOf(bytes, 1, bytes.length - 1);
    const before = known.get(text(at));
    assert.equal(number, before ?? known.size);
    if (before === undefined) known.set(text(at), number);
  }
  assert.equal(table.size, known.size);
  assert.ok(known.size > 6_000);
});

test('runs that are numbered together have the numbers that they have one after the other', () => {
  const [one, together] = [new ByteTable(), new ByteTable()];
  const runs = new ByteRuns();
  let drawn = 1;
  for (let batch = 0; batch < 400; batch++) {
    // Many are new, some come twice in a batch, and the table grows within one now and then.
    const texts = Array.from({ length: batch % (ByteRuns.MAX + 1) }, () => {
      drawn = (drawn * 48_271) % 0x7fffffff;
      return `${drawn % 5_003}${'x'.repeat(drawn % 17)}`.slice(drawn % 3);
    });
    const bytes = Buffer.from(texts.join('|'));
    runs.length = texts.length;
    let at = 0;
    texts.forEach((text, run) => {
      runs.starts[run] = at;
      runs.ends[run] = at + text.length;
      at += text.length + 1;
    });
    together.numberAll(bytes, runs);
    assert.deepEqual([...runs.numbers.subarray(0, texts.length)], texts.map((_, run) => one.numberOf(bytes, runs.starts[run]!, runs.ends[run]!)));
  }
  assert.equal(together.size, one.size);
  assert.ok(one.size > 4_000);
});

test('nothing is a run of bytes too, and ends tell runs apart', () => {
  const table = new ByteTable();
  const bytes = Buffer.from('aaaaaaaa\0\0');
  const numbers = [[0, 0], [0, 1], [0, 4], [0, 5], [0, 8], [0, 9], [0, 10], [8, 9], [3, 3], [1, 5]].map(([from, to]) => table.numberOf(bytes, from!, to!));
  assert.deepEqual(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 0, 2]);
});

test('bytes of ASCII are hashed as their text in lower case is', () => {
  for (const text of ['', 'a', 'Person.One@Example.COM', '@AZ[`az{', Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('')]) {
    const bytes = Buffer.from(`${text}Z`);
    assert.equal(hashLowerAscii(bytes, 0, text.length), hashText(text.toLowerCase()));
  }
});
