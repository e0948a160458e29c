import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { Duck, type Cell } from '../../src/ingest/duckdb.ts';
import { createLead, LEAD, leadColumns } from '../../src/ingest/lead_table.ts';
import { integerFields, isStoredText, rowTextSql } from '../../src/ingest/row_text.ts';
import type { Row } from '../../src/model/field.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';

const EXTRAS = [{ name: 'say "so"', type: 'string', description: 'odd' }, { name: 'tags', type: 'strings', description: 'tags' }, { name: 'score', type: 'integer', description: 'score' }] as const;
const VOCABULARY = vocabulary('companies', EXTRAS);
const COLUMNS = leadColumns('companies', EXTRAS);
const SEED = Number(process.env['LDS_FUZZ_SEED'] ?? Date.now() % 2 ** 31);

const workDir = await mkdtemp(join(tmpdir(), 'lds-row-text-'));
const duck = await Duck.open(workDir, { folders: [], files: [] }, new AbortController().signal);
after(async () => { duck.close(); await rm(workDir, { recursive: true }); });

const ODD = ['', '"', '\\', '\\u0041', '/', '\b\f\n\r\t', '\u0001\u001f\u007f\u0080\u009f', '\u2028\u2029', '\ufeff', '\uffff', '😀', '𝔘', 'é', 'e\u0301', '李雷', "it's", '</script>', 'null', '0'];
const text = fc.oneof(fc.constantFrom(...ODD), fc.string({ unit: 'binary', maxLength: 12 }).map((any) => any.replaceAll(/[\0\p{Cs}]/gu, '')));
const cellOf = { text, texts: fc.array(text, { maxLength: 3 }), integer: fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, -0, 2 ** 53 - 1, 1 - 2 ** 53)) };

test('the text that is stored of a row is what would be written of it here, byte for byte', async () => {
  const anyRow = fc.tuple(...COLUMNS.map(({ kind }) => fc.option(cellOf[kind] as fc.Arbitrary<Cell>, { freq: 4 })));
  const rows = fc.sample(anyRow, { numRuns: 2_000, seed: SEED });
  await duck.run(createLead(COLUMNS));
  await duck.append(LEAD, COLUMNS.map(({ kind }) => kind), COLUMNS.length === 0 ? [] : [COLUMNS.map((_, at) => rows.map((row) => row[at]!))]);
  let asItCame = 0;
  let at = 0;
  for await (const [texts] of duck.batches(`SELECT ${rowTextSql(VOCABULARY, "o'neill")} FROM ${LEAD}`)) {
    for (const cell of texts!) {
      const row = JSON.parse(cell as string) as Row;
      // The engine has one zero.
      const given: Row = Object.fromEntries(COLUMNS.map(({ name }, column) => [name, rows[at]![column] === 0 ? 0 : rows[at]![column]]) as [string, Row[string]][]);
      const whole: Row = Object.fromEntries(VOCABULARY.fields.map(({ name }) => [name, name === 'source' ? "o'neill" : name === 'sources' ? ["o'neill"] : given[name]!]));
      assert.deepEqual(row, whole, `LDS_FUZZ_SEED=${SEED}`);
      assert.deepEqual(Object.keys(row), Object.keys(whole));
      at += 1;
      if (!isStoredText(cell as string, row, integerFields(VOCABULARY))) continue;
      assert.equal(cell, JSON.stringify(whole), `LDS_FUZZ_SEED=${SEED}`);
      asItCame += 1;
    }
  }
  assert.equal(at, rows.length);
  assert.ok(asItCame > rows.length / 10 && asItCame < rows.length, `${asItCame} of ${rows.length} texts were taken as they came`);
});

test('a number that no reader of JSON could hold is not taken as it came', () => {
  const row = { score: JSON.parse('9007199254740993') as number };
  assert.equal(isStoredText('{"score":9007199254740993}', row, ['score']), false);
  assert.equal(isStoredText('{"score":7}', { score: 7 }, ['score']), true);
  assert.equal(isStoredText('{"score":null}', { score: null }, ['score']), true);
});
