import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { RANK, truthRows } from '../../src/ingest/truth/truth_rows.ts';
import type { TruthColumn } from '../../src/ingest/truth/footer.ts';
import type { Row } from '../../src/model/field.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { ROW_FORMS, textOfRow } from '../../src/segment/row_form.ts';
import { LIST, ScannedRow } from '../../src/segment/scanned_row.ts';
import { folderOf } from '../support/folder.ts';
import { handParquet, type HandCell, type HandColumn, type HandPage } from '../support/hand_parquet.ts';
import { SEED } from '../support/seed.ts';
import { storedText } from '../support/stored_row.ts';

const WORDS = vocabulary('companies', []);
const SOURCE = 'any';
const ROWS = 700;

const workDir = folderOf({ after });

const KINDS = { string: 'text', timestamp: 'text', strings: 'texts', integer: 'integer' } as const;
const COLUMNS: readonly TruthColumn[] = [
  ...WORDS.fields.filter(({ name }) => name !== 'source' && name !== 'sources').map(({ name, type }) => ({ name, kind: KINDS[type] })),
  { name: RANK, kind: 'integer' },
];
/** Of every length about those that are copied at once, and some far longer than a row is expected to be. */
const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('', 'a"b', 'Zoë', 'vp', '\\', '\n', '李', 'US') },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 70 }).map((length) => 'The quick brown fox jumps over a lazy dog. '.repeat(2).slice(0, length)) },
  { weight: 2, arbitrary: fc.tuple(fc.integer({ min: 0, max: 40 }), fc.constantFrom('"', '\u001f', '\\', '\u007f', 'é', '\ue000')).map(([before, odd]) => `${'x'.repeat(before)}${odd}y`) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 9 }).map((number) => `\u0001${number}`.repeat(9_000)) },
);
const cellOf: Record<TruthColumn['kind'], fc.Arbitrary<HandCell>> = { text, texts: fc.array(text, { maxLength: 9 }), integer: fc.maxSafeInteger() };
const anyPages: fc.Arbitrary<HandPage[]> = fc.array(fc.record({ entries: fc.integer({ min: 0, max: 60 }), byDictionary: fc.boolean() }), { maxLength: 30 });

function anyColumns(): HandColumn[] {
  return COLUMNS.map((column, at): HandColumn => {
    const cells = column.name === RANK ? Array.from({ length: ROWS }, (_, row) => row) : fc.sample(fc.option(cellOf[column.kind], { freq: 5 }), { numRuns: ROWS, seed: SEED + at });
    return { column, cells, pages: fc.sample(anyPages, { numRuns: 1, seed: SEED + at })[0]! };
  });
}

const columns = anyColumns();
const truth = join(workDir, 'any.parquet');
await writeFile(truth, handParquet(ROWS, columns));

for (const form of ROW_FORMS) test(`${form} rows have the values of their columns, wherever the pages of these end and however long a row is`, async () => {
  const row = new ScannedRow(WORDS);
  let count = 0;
  const texts = new Map<string, string>();
  const lists = { numbered: 0, apart: 0 };
  for await (const block of truthRows(truth, join(workDir, form), { words: WORDS, source: SOURCE, form, rankGaps: null })) {
    while (block.next(row)) {
      const wanted = Object.fromEntries(columns.map(({ column: { name }, cells }) => [name, cells[count] === 0 ? 0 : cells[count]])) as Row;
      const stored = Buffer.from(row.bytes.subarray(row.start, row.end));
      const told = form === 'text' ? stored : textOfRow(stored, block.stencils()!);
      assert.equal(told.toString(), `${storedText(WORDS, SOURCE, wanted)}\n`, `row ${count}, LDS_FUZZ_SEED=${SEED}`);
      assert.equal(row.textBytes, told.length);
      assert.equal(row.rank, count);
      for (const { name } of WORDS.fields) {
        const place = row.place(name);
        if (name !== 'source' && name !== 'sources') assert.deepEqual(row.valueOf(place), wanted[name], `${name} of row ${count}, LDS_FUZZ_SEED=${SEED}`);
        const [from, to, textAt] = [row.from[place]!, row.to[place]!, row.textAt[place]!];
        if (row.isText(place)) assert.equal(told.toString('utf8', textAt, textAt + to - from), row.bytes.toString('utf8', from, to));
        const items = row.items[place]!;
        if (row.forms[place] !== LIST || (wanted[name] as string[] | undefined ?? []).length === 0) assert.deepEqual(items, []);
        else {
          assert.ok(items.length === 0 || items.length === (wanted[name] as string[]).length);
          lists[items.length === 0 ? 'apart' : 'numbered']++;
          for (const [at, number] of items.entries()) {
            const item = (wanted[name] as string[])[at]!;
            const known = number < 0 ? item : texts.get(`${place} ${number}`) ?? item;
            assert.equal(known, item, `${name} of row ${count}, LDS_FUZZ_SEED=${SEED}`);
            texts.set(`${place} ${number}`, item);
          }
        }
      }
      count++;
    }
  }
  assert.equal(count, ROWS);
  assert.ok(lists.numbered > 0 && lists.apart > 0, `${lists.numbered} lists with numbers, ${lists.apart} without: LDS_FUZZ_SEED=${SEED}`);
});

test('a row that just fits the room for it leaves the pieces that it is spelled with whole, and they it', async () => {
  const item = 'The quick brown fox. '.repeat(500);
  const filled = [...WORDS.fields.map(({ name }) => name), RANK];
  for (const items of [99, 100, 101, 102, 103, 104, 105, 106]) {
    const row = Object.fromEntries(filled.map((name) => [name, name === 'id' ? 'any:1' : name === 'keywords' ? Array.from({ length: items }, () => item) : name === RANK ? 0 : null])) as Row;
    const path = join(workDir, `list-${items}`);
    await writeFile(path, handParquet(1, COLUMNS.map((column): HandColumn => ({ column, cells: [row[column.name]!], pages: [] }))));
    const { [RANK]: _, ...wanted } = row;
    const scanned = new ScannedRow(WORDS);
    for await (const block of truthRows(path, `${path}.rows`, { words: WORDS, source: SOURCE, form: 'compact', rankGaps: null })) {
      while (block.next(scanned)) {
        const text = textOfRow(Buffer.from(scanned.bytes.subarray(scanned.start, scanned.end)), block.stencils()!).toString();
        assert.equal(text, `${storedText(WORDS, SOURCE, wanted)}\n`, `${items} items`);
      }
    }
  }
});
