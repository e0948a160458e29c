import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { BATCH_ROWS, Duck, literal, type Cell } from '../../src/ingest/duckdb.ts';
import { createLead, LEAD, leadColumns } from '../../src/ingest/lead_table.ts';
import { truthRows } from '../../src/ingest/truth/truth_rows.ts';
import type { Row } from '../../src/model/field.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { ROW_FORMS, textOfRow } from '../../src/segment/row_form.ts';
import { ESCAPED, LIST, ScannedRow } from '../../src/segment/scanned_row.ts';
import { look } from '../support/looked_row.ts';
import { SEED } from '../support/seed.ts';
import { storedText } from '../support/stored_row.ts';

const EXTRAS = [{ name: 'say "so"', type: 'string', description: 'odd' }, { name: 'tags', type: 'strings', description: 'tags' }, { name: 'score', type: 'integer', description: 'score' }] as const;
const VOCABULARY = vocabulary('companies', EXTRAS);
const COLUMNS = leadColumns('companies', EXTRAS);
const SOURCE = 'o"neill';
const ORDER = { words: VOCABULARY, source: SOURCE, rankGaps: null } as const;
const ROWS = 6_000;

const workDir = await mkdtemp(join(tmpdir(), 'lds-truth-'));
const duck = await Duck.open(workDir, { folders: [], files: [] }, new AbortController().signal);
after(async () => { duck.close(); await rm(workDir, { recursive: true }); });

const ODD = ['', '"', '\\', '\\u0041', '/', '\b\f\n\r\t', '\u0001\u001f\u007f\u0080\u009f', '\u2028\u2029', '\ufeff', '\uffff', '😀', '𝔘', 'é', 'e\u0301', '李雷', "it's", '</script>', 'null', '0', 'a long one, '.repeat(99)];
const common = fc.constantFrom(...ODD, 'Head of Sales', 'ok', 'Zürich', 'a"b');
const rare = fc.oneof(common, fc.string({ unit: 'binary', maxLength: 12 }).map((any) => any.replaceAll(/[\0\p{Cs}]/gu, '')));
const integer = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.constantFrom(0, -0, 2 ** 53 - 1, 1 - 2 ** 53));
/** The engine keeps columns of few values by a dictionary, others as they are: every second column is one of the former. */
const cellOf = (at: number): Record<string, fc.Arbitrary<Cell>> => {
  const text = at % 2 === 0 ? common : rare;
  return { text, texts: fc.array(text, { maxLength: 3 }), integer: at % 2 === 0 ? fc.constantFrom(1, 2, -3, 2 ** 53 - 1) : integer };
};

type Truth = { readonly path: string; readonly wanted: readonly string[] };

/** Rows of any kind, in groups of 2,048; some columns are null throughout a group. */
async function anyTruth(): Promise<Truth> {
  const anyRow = fc.tuple(...COLUMNS.map(({ kind }, at) => fc.option(cellOf(at)[kind]!, { freq: 4 })));
  const rows = fc.sample(anyRow, { numRuns: ROWS, seed: SEED }).map((row, at) => row.map((cell, column) => (column > 0 && (at >>> 11) % 7 === column % 7 ? null : cell)));
  await duck.run(createLead(COLUMNS));
  for (let at = 0; at < rows.length; at += BATCH_ROWS) {
    const batch = rows.slice(at, at + BATCH_ROWS);
    await duck.append(LEAD, COLUMNS.map(({ kind }) => kind), [COLUMNS.map((_, column) => batch.map((row) => row[column]!))]);
  }
  const path = join(workDir, 'any.parquet');
  await duck.run(`COPY (SELECT *, ${ROWS} - rowid AS "row rank" FROM ${LEAD} ORDER BY rowid) TO ${literal(path)} (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 2048)`);
  // The engine has one zero.
  const given = rows.map((row) => Object.fromEntries(COLUMNS.map(({ name }, column) => [name, row[column] === 0 ? 0 : row[column]])) as Row);
  return { path, wanted: given.map((row) => storedText(VOCABULARY, SOURCE, row)) };
}

const truth = await anyTruth();

for (const form of ROW_FORMS) test(`${form} rows that are put together from a truth have byte for byte the text of their values, and what is said of them is what a look at that finds`, async () => {
  const path = join(workDir, `any.${form}.rows`);
  const row = new ScannedRow(VOCABULARY);
  const looked = new ScannedRow(VOCABULARY);
  const texts = new Map<string, string>();
  const stored: Buffer[] = [];
  let count = 0;
  let numbered = 0;
  for await (const block of truthRows(truth.path, path, { ...ORDER, form })) {
    while (block.next(row)) {
      stored.push(Buffer.from(row.bytes.subarray(row.start, row.end)));
      const text = form === 'text' ? stored.at(-1)! : textOfRow(stored.at(-1)!, block.stencils()!);
      assert.equal(text.toString(), `${truth.wanted[count]!}\n`, `LDS_FUZZ_SEED=${SEED}`);
      assert.equal(row.textBytes, text.length);
      look(VOCABULARY, looked, text, 0);
      assert.deepEqual(row.forms, looked.forms, `LDS_FUZZ_SEED=${SEED}`);
      assert.equal(row.rank, ROWS - count++);
      for (let place = 0; place < row.forms.length; place++) {
        const value = row.valueOf(place);
        assert.deepEqual(value, looked.valueOf(place), `LDS_FUZZ_SEED=${SEED}`);
        if (row.isText(place)) assert.equal(row.textAt[place], looked.from[place], `LDS_FUZZ_SEED=${SEED}`);
        const numbers = row.forms[place] === LIST ? row.items[place]! : [row.numbers[place]!];
        for (const [at, number] of numbers.entries()) {
          if (number < 0) continue;
          const text = row.forms[place] === LIST ? (value as string[])[at]! : (value as string);
          const key = `${row.part} ${place} ${number}`;
          assert.equal(texts.get(key) ?? text, text, `LDS_FUZZ_SEED=${SEED}`);
          texts.set(key, text);
          numbered++;
        }
      }
    }
  }
  assert.equal(count, ROWS);
  assert.ok(numbered > ROWS && row.part === Math.ceil(ROWS / 2_048), `${numbered} texts came with a number, in ${row.part} parts`);
  assert.deepEqual(await readFile(path), Buffer.concat(stored), 'the file has all rows, one behind the other');
  const share = Buffer.concat(stored).length / Buffer.byteLength(truth.wanted.join('\n'));
  assert.ok(form === 'text' ? share > 1 : share < 0.9, `rows take ${share} of their text`);
});

test('a source that JSON spells otherwise stands in its rows as it is spelled', () => {
  const row = new ScannedRow(VOCABULARY);
  look(VOCABULARY, row, Buffer.from(`${truth.wanted[0]!}\n`), 0);
  assert.equal(row.forms[row.place('source')], ESCAPED);
});

test('a truth that is damaged or cut is refused or gives other rows, and never hangs', async () => {
  const whole = await readFile(truth.path);
  const drawn = fc.sample(fc.tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), fc.boolean()), { numRuns: 60, seed: SEED });
  let refused = 0;
  for (const [number, [at, change, cut]] of drawn.entries()) {
    const bytes = Buffer.from(cut ? whole.subarray(0, at) : whole);
    if (!cut) bytes[at]! ^= change;
    const path = join(workDir, `damaged-${number}`);
    await writeFile(path, bytes);
    const given = await drained(path, `${path}.rows`);
    if (cut) assert.ok(given instanceof Error, `cut at ${at}, LDS_FUZZ_SEED=${SEED}`);
    if (given instanceof Error) refused++;
    else assert.equal(given, ROWS);
    await rm(path);
  }
  assert.ok(refused > drawn.length / 4, `${refused} of ${drawn.length} were refused`);
});

test('a truth whose groups tell fewer rows than their columns hold is refused', async () => {
  const bytes = await readFile(truth.path);
  const footer = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  // 2,048 as the footer writes it becomes 2,047.
  for (let at = bytes.indexOf('168020', footer, 'hex'); at !== -1; at = bytes.indexOf('168020', at + 1, 'hex')) bytes.write('16fe1f', at, 'hex');
  const path = join(workDir, 'fewer');
  await writeFile(path, bytes);
  const given = await drained(path, `${path}.rows`);
  assert.match((given as Error).message, /goes on where its rows end/);
});

test('what the engine writes in newer forms is refused, and nothing read amiss', async () => {
  for (const [form, named] of [['PARQUET_VERSION V2, COMPRESSION snappy', /encoding/], ['PARQUET_VERSION V1, COMPRESSION zstd', /codec/]] as const) {
    const path = join(workDir, 'newer.parquet');
    await duck.run(`COPY (SELECT * FROM read_parquet(${literal(truth.path)})) TO ${literal(path)} (FORMAT parquet, ${form})`);
    assert.match((await drained(path, `${path}.rows`) as Error).message, named);
  }
});

async function drained(path: string, to: string): Promise<number | Error> {
  const row = new ScannedRow(VOCABULARY);
  let count = 0;
  try {
    for await (const block of truthRows(path, to, { ...ORDER, form: 'compact' })) while (block.next(row)) count++;
    return count;
  } catch (error) {
    assert.ok(error instanceof Error);
    return error;
  } finally {
    await rm(to, { force: true });
  }
}
