import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { writeCsv } from '../../src/encode/csv.ts';
import { Fill } from '../../src/encode/fill.ts';
import { packRows } from '../../src/encode/msgpack.ts';
import { isOfBrokenRow } from '../../src/encode/row_layout.ts';
import { RowShape } from '../../src/encode/rows.ts';
import { asStored, chunkOf, LAYOUT } from './rows_support.ts';

const CHUNK = chunkOf([0, 1, 2].map((at) => ({ id: `a:${at}`, source: 'a', sources: ['a'], full_name: 'Ann "A"', skills: ['x', 'y'], badge: 7 })), 3);
const [FROM, END] = [CHUNK.start[1]!, CHUNK.end[1]!];
const BYTES = [0x00, 0x20, 0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x78, 0x7b, 0x7d, 0xff];
const WHOLE = new RowShape(LAYOUT, null);
const CUT = new RowShape(LAYOUT, ['id', 'skills', 'badge']);

/** Of a row between two others, each byte as each of some others. */
function* rotten() {
  for (let at = FROM; at < END; at += 1) {
    for (const byte of BYTES) {
      if (CHUNK.bytes[at] === byte) continue;
      const bytes = Buffer.from(CHUNK.bytes);
      bytes[at] = byte;
      const chunk = { ...CHUNK, bytes };
      yield { chunk, row: asStored(chunk)[1]!, told: `byte ${at - FROM} is ${byte}` };
    }
  }
}

test('whatever byte of a row has rotted, it is put together within its bounds, or is told to be broken', async () => {
  let broken = 0;
  for (const { row, told } of rotten()) {
    const sink = new ByteSink();
    const ways = [() => CUT.append(sink, row), () => writeCsv(new ByteSink(), [row], WHOLE), () => packRows(new ByteSink(), [row], WHOLE)];
    for (const way of ways) {
      try {
        await way();
      } catch (error) {
        assert.ok(isOfBrokenRow(error), `${told}: ${String(error)}`);
        broken += 1;
      }
    }
    assert.ok(sink.length <= END - FROM, told);
  }
  assert.ok(broken > 500);
});

test('a row of which a sign before, in or behind a name has rotted is told to be broken', () => {
  for (const [place, label] of LAYOUT.labels.entries()) {
    const at = Buffer.from(CHUNK.bytes).indexOf(label, FROM);
    const signs = [...(place > 0 ? [at - 1] : []), at, at + label.length - 2, at + label.length - 1];
    if (CHUNK.bytes[at + label.length] === 0x22) signs.push(at + label.length);
    for (const sign of at === -1 || at >= END ? [] : signs) {
      const bytes = Buffer.from(CHUNK.bytes);
      bytes.write('x', sign);
      assert.throws(() => { LAYOUT.locate(bytes, FROM, END, LAYOUT.spans()); }, isOfBrokenRow, bytes.toString('utf8', FROM, END));
    }
  }
});

test('a row that has rotted lends what still stands in it, or nothing', () => {
  let lent = 0;
  for (const { chunk } of rotten()) {
    const fill = new Fill(LAYOUT, LAYOUT.places);
    fill.offer({ chunk, row: 1 });
    fill.offer({ chunk, row: 2 });
    assert.ok(fill.lends(LAYOUT.place('id')));
    const sink = new ByteSink();
    fill.append(sink, LAYOUT.place('id'));
    if (Buffer.from(sink.view()).toString() === '"a:2"') lent += 1;
  }
  assert.ok(lent > 100);
});

test('a list whose quote has rotted is looked for no further than to the end of its row', () => {
  const text = Buffer.from(CHUNK.bytes);
  text[text.indexOf('["x"', FROM) + 1] = 0x78;
  const behind = Buffer.alloc(1_000, '"');
  const bytes = Buffer.concat([text.subarray(0, END), behind]);
  let furthest = 0;
  const watched = new Proxy(bytes, { get: (of, name) => {
    furthest = Math.max(furthest, Number(name) || 0);
    const found: unknown = Reflect.get(of, name);
    // Some of what a buffer does asks for more than looks like one.
    return typeof found === 'function' ? found.bind(of) : found;
  } });
  assert.throws(() => LAYOUT.locate(watched, FROM, END, LAYOUT.spans()), isOfBrokenRow);
  assert.ok(furthest <= END + 2, `${furthest - END} bytes beyond`);
});
