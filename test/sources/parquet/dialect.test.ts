import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { fold } from '../../../src/lib/fold.ts';
import { DUCKDB, isBlank, literal, trimmed } from '../../../src/sources/parquet/dialect.ts';
import { BLANKS } from '../../../src/sources/sql/blanks.ts';

it('takes off a text what JavaScript takes off it, and nothing else', async () => {
  const signs = [...BLANKS, '\u0085', '\u180e', '\u200b', '\u2060', '$', '^', ']', '\\', '-', 'é'];
  const texts = ['', ...signs.flatMap((sign) => [sign, sign.repeat(3), `${sign}x`, `x${sign}`, `${sign} \nx${sign}y\t${sign}`, `x${sign}\ny${sign}${sign}`, `x\n${sign}\n`])];
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const found = await connection.runAndReadAll(`SELECT ${trimmed('text')}, ${isBlank('text')} FROM (SELECT unnest([${texts.map(literal).join(', ')}, NULL]) AS text)`);
  assert.deepEqual(found.getRowsJS(), [...texts.map((text) => [text.trim(), text.trim() === '']), [null, true]]);
  connection.closeSync();
});

it('knows of every sign that folds to letters or digits of ASCII, whatever it takes for one that does not', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const signs = "SELECT i, chr(i::INTEGER) AS sign FROM range(128, 1114112) r(i) WHERE i NOT BETWEEN 55296 AND 57343";
  const apart = (await connection.runAndReadAll(`SELECT sign FROM (${signs}) WHERE NOT ${DUCKDB.sieving!.mayFoldToAscii('sign')}`)).getRowsJS().flat() as string[];
  assert.ok(apart.length > 40_000 && ['Ж', 'λ', 'א', 'ش', 'ह', 'ไ', 'か', '京', '한'].every((sign) => apart.includes(sign)), `${apart.length}`);
  assert.deepEqual(apart.filter((sign) => /[a-z0-9]/.test(fold(sign))), []);
  // A mark behind a letter is taken away, and what stands on both sides of it is one word.
  const between = (await connection.runAndReadAll(`SELECT sign FROM (${signs}) WHERE NOT ${DUCKDB.sieving!.mayFoldToAscii("'a' || sign || 'b'")}`)).getRowsJS().flat() as string[];
  assert.ok(between.includes('京') && between.includes('ア'), `${between.length}`);
  assert.deepEqual(between.filter((sign) => fold(`a${sign}b`) === 'ab'), []);
  connection.closeSync();
});
