import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '../../src/config/limits.ts';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { csvHeaders, writeCsv } from '../../src/encode/csv.ts';
import { RowShape, type RowOut } from '../../src/encode/rows.ts';
import { ANSWER, CONTACTS, LAYOUT, anyRow, asStored, chunkOf, fillOf } from './rows_support.ts';
import type { Row } from '../../src/model/field.ts';

/** RFC 4180, strictly: a quote inside a bare cell or after a closing quote is an error. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const match = cell.exec(text) ?? assert.fail(`no cell at ${at}`);
    row.push(match[1] === undefined ? match[2]! : match[1].replaceAll('""', '"'));
    if (match[3] === '\r\n') rows.push(row.splice(0));
  }
  assert.deepEqual(row, []);
  return rows;
}

async function written(rows: readonly RowOut[], fields: readonly string[] | null): Promise<{ body: Buffer; made: number }> {
  const sink = new ByteSink();
  const made = await writeCsv(sink, rows, new RowShape(LAYOUT, fields));
  return { body: Buffer.from(sink.view()), made };
}

const csvOf = async (rows: readonly Row[], fields: readonly string[] | null = null): Promise<string> => (await written(asStored(chunkOf(rows, 1)), fields)).body.toString();

const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/;

function expectedCell(value: Row[string] | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = Array.isArray(value) ? value.join('; ') : value;
  return FORMULA.test(text) ? `'${text}` : text;
}

test('a CSV answer of rows that are too many bytes together ends behind the first of them', async () => {
  const [row] = asStored(chunkOf([{ id: 'a:1', source: 'a', sources: ['a'], headline: 'x'.repeat(1_048_576) }], 1));
  const { body, made } = await written(Array.from({ length: 300 }, () => row!), ['id', 'headline']);
  assert.equal(made, Math.ceil(LIMITS.answerBytesMax / (1_048_576 + 6)));
  assert.equal(body.length, 'id,headline\r\n'.length + made * ('a:1,\r\n'.length + 1_048_576));
});

test('a CSV answer parses back to its rows, under a header row, formulas neutralised', async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyRow, { maxLength: 3 }), async (rows) => {
    const [header, ...cells] = parseCsv(await csvOf(rows));
    assert.deepEqual(header, CONTACTS.fields.map(({ name }) => name));
    assert.deepEqual(cells, rows.map((row) => header!.map((name) => expectedCell(row[name]))));
  }));
});

test('a cell that a spreadsheet would run as a formula is neutralised, full-width signs, tabs and line ends too', async () => {
  const row = (full_name: string): Row => ({ id: 'a:1', source: 'a', sources: ['a'], full_name, badge: -5 });
  for (const text of ['=1+1', '+49', '-2', '@SUM(A1)', '\tx', '\rx', '\nx', '\uFF1D1', '\uFF0B1', '\uFF0D1', '\uFF201', '  =1', '\u00a0=1']) {
    const [, cells] = parseCsv(await csvOf([row(text)], ['full_name', 'badge']));
    assert.deepEqual(cells, [`'${text}`, '-5'], JSON.stringify(text));
  }
  for (const text of ['Jane', "O'Neil", '1+1', 'a=b', 'Éva']) {
    const [, cells] = parseCsv(await csvOf([row(text)], ['full_name', 'badge']));
    assert.deepEqual(cells, [text, '-5']);
  }
});

test('a filled row is filled in CSV too', async () => {
  const winner = chunkOf([{ id: 'a:1', source: 'a', sources: ['a'], email: null }]);
  const out = { chunk: winner, row: 0, fill: fillOf([{ id: 'b:1', source: 'b', sources: ['b'], email: 'x@y.z' }]), sources: ['a', 'b'] };
  const { body } = await written([out], ['id', 'sources', 'email']);
  assert.equal(body.toString(), 'id,sources,email\r\na:1,a; b,x@y.z\r\n');
});

test('what a caller of CSV needs of the answer stands in headers', () => {
  assert.deepEqual(csvHeaders(ANSWER), [['X-Total', '3'], ['X-Partial', 'false']]);
  assert.deepEqual(csvHeaders({ ...ANSWER, partial: true, next_cursor: 'c' }), [['X-Total', '3'], ['X-Partial', 'true'], ['X-Next-Cursor', 'c']]);
});
