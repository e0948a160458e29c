import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { BATCH_ROWS, Duck, type Cell } from '../../src/ingest/duckdb.ts';
import { createLead, LEAD, leadColumns } from '../../src/ingest/lead_table.ts';
import { storedBlocks } from '../../src/ingest/row_file.ts';
import { rowTextSql, writeTexts } from '../../src/ingest/row_text.ts';
import type { Row } from '../../src/model/field.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { storedText } from '../../src/segment/stored_row.ts';

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

test('the rows that the engine writes are put right where it spells otherwise, and then stand byte for byte as rows are stored', async () => {
  const anyRow = fc.tuple(...COLUMNS.map(({ kind }) => fc.option(cellOf[kind] as fc.Arbitrary<Cell>, { freq: 4 })));
  const rows = fc.sample(anyRow, { numRuns: 4_000, seed: SEED });
  await duck.run(createLead(COLUMNS));
  for (let at = 0; at < rows.length; at += BATCH_ROWS) {
    const batch = rows.slice(at, at + BATCH_ROWS);
    await duck.append(LEAD, COLUMNS.map(({ kind }) => kind), [COLUMNS.map((_, column) => batch.map((row) => row[column]!))]);
  }
  // The engine has one zero.
  const given = rows.map((row) => Object.fromEntries(COLUMNS.map(({ name }, column) => [name, row[column] === 0 ? 0 : row[column]])) as Row);
  const wanted = given.map((row) => storedText(VOCABULARY, "o'neill", row));
  const path = join(workDir, 'odd.rows');
  await duck.run(writeTexts(`SELECT ${rowTextSql(VOCABULARY, "o'neill")} FROM ${LEAD}`, path));
  const written = (await readFile(path, 'utf8')).split('\n');
  const { text: read, blocks } = await drained(path);
  assert.deepEqual(read.split('\n'), [...wanted, ''], `LDS_FUZZ_SEED=${SEED}`);
  assert.ok(await readFile(path, 'utf8') === read);
  assert.ok(blocks > 1);
  const asItCame = written.filter((text, at) => text === wanted[at]).length;
  assert.ok(asItCame > rows.length / 10 && asItCame < rows.length, `${asItCame} of ${rows.length} texts were taken as they came`);
});

test('a file that needs no mending is left as it is, whatever its rows hold', async () => {
  const path = join(workDir, 'plain.rows');
  const rows = Array.from({ length: 5_000 }, (_, at) => `${storedText(VOCABULARY, "o'neill", { id: `plain:${at}`, name: `\\u0041 "${at}"`, description: 'long '.repeat(at % 997) })}\n`);
  await writeFile(path, rows.join(''));
  const { ino } = await stat(path);
  assert.ok((await drained(path)).text === rows.join(''));
  assert.equal((await stat(path)).ino, ino);
  await writeFile(path, rows.join('').slice(0, -1));
  await assert.rejects(drained(path), /the last row has no end/);
});

async function drained(path: string): Promise<{ text: string; blocks: number }> {
  const read: Buffer[] = [];
  for await (const block of storedBlocks(path, (line) => storedText(VOCABULARY, "o'neill", JSON.parse(line) as Row))) {
    assert.equal(block.at(-1), 0x0a);
    read.push(Buffer.from(block));
  }
  return { text: Buffer.concat(read).toString(), blocks: read.length };
}
