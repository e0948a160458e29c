import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { literal, trimmed } from '../../../src/sources/parquet/dialect.ts';
import { BLANKS } from '../../../src/sources/sql/blanks.ts';

it('takes off a text what JavaScript takes off it, and nothing else', async () => {
  const signs = [...BLANKS, '\u0085', '\u180e', '\u200b', '\u2060', '$', '^', ']', '\\', '-', 'é'];
  const texts = ['', ...signs.flatMap((sign) => [sign, sign.repeat(3), `${sign}x`, `x${sign}`, `${sign} \nx${sign}y\t${sign}`, `x${sign}\ny${sign}${sign}`, `x\n${sign}\n`])];
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const found = await connection.runAndReadAll(`SELECT ${trimmed('text')} FROM (SELECT unnest([${texts.map(literal).join(', ')}]) AS text)`);
  assert.deepEqual(found.getRowsJS().flat(), texts.map((text) => text.trim()));
  connection.closeSync();
});
