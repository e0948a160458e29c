import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutValues } from '../../src/sources/without_values.ts';

test('what a source says of its failure is told without values of rows, and without the statement', () => {
  const told: readonly (readonly [said: string, told: string])[] = [
    ["Conversion Error: Could not convert string 'Jane' to INT32 when casting from source column x\n\nLINE 1: SELECT CAST(x AS INT) FROM t WHERE c = 'jane@acme.example'",
      "Conversion Error: Could not convert string '…' to INT32 when casting from source column x\n\nLINE 1: …"],
    ['Conversion Error: timestamp field value out of range: "2024-99-01 jane"', 'Conversion Error: timestamp field value out of range: "…"'],
    ['22P02 invalid input syntax for type integer: "Jane"', '22P02 invalid input syntax for type integer: "…"'],
    ['22P02 invalid input syntax for type double precision: "Jane"', '22P02 invalid input syntax for type double precision: "…"'],
    ["Code: 6, e.displayText() = DB::Exception: Cannot parse string 'Doe' as UInt64", "Code: 6, e.displayText() = DB::Exception: Cannot parse string '…' as UInt64"],
    ["Code: 47. DB::Exception: Missing columns: 'emial' while processing query: 'SELECT emial FROM t WHERE name = 'O'Neil''",
      "Code: 47. DB::Exception: Missing columns: 'emial' while processing query: '…'"],
    [`Unexpected token 'J', ..."l":"Jane","n"... is not valid JSON`, "Unexpected token 'J' in …, which is not valid JSON"],
    ['no answer for jane.doe+x@acme.example and +491701234567', 'no answer for … and …'],
    ["a name cut off: 'Jane Doe, who", "a name cut off: '…'"],
  ];
  for (const [said, expected] of told) assert.equal(withoutValues(said), expected);
});

test('names of what is to be mended stay in it', () => {
  for (const said of [
    'ECONNREFUSED connect ECONNREFUSED 127.0.0.1:5432',
    '42501 permission denied for table "people"',
    "Code: 16. DB::Exception: There is no column 'email' with type 'Nullable(String)' in table: it doesn't exist, or isn't granted",
    'IO Error: No files found that match the pattern "/data/part files/*.parquet"',
    'Code: 241. DB::Exception: Memory limit (for query) exceeded: would use 10737418240 bytes, 2026-11-23 10:00:00',
  ]) assert.equal(withoutValues(said), said);
});
