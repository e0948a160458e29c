import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { planColumns } from '../../src/segment/column_plan.ts';
import { NULL_U32 } from '../../src/segment/layout.ts';
import { ScannedRow } from '../../src/segment/scanned_row.ts';
import { TextsDraft } from '../../src/segment/texts_draft.ts';
import { look } from '../support/looked_row.ts';
import { storedText } from '../support/stored_row.ts';
import { fullRow } from './support.ts';

const WORDS = vocabulary('contacts');
const ROWS = 300;
const titleOf = (at: number): string | null => (at % 11 === 0 ? null : `title ${(at * 7) % 90}`);
const emailOf = (at: number): string => (at % 13 === 0 ? 'none' : `a@b${at % 40}.com`);
const LINES = Array.from({ length: ROWS }, (_, at) => Buffer.from(`${storedText(WORDS, 'any', fullRow('contacts', { id: `id${at}`, job_title: titleOf(at), email: emailOf(at) }))}\n`));

/** Adds every row, each in bytes of its own in which those before it stand too; the bytes of before are no more. */
function drafted(name: string, turn: (row: ScannedRow, place: number, at: number) => void): { readonly texts: (string | null)[]; readonly keys: readonly string[] } {
  const row = new ScannedRow(WORDS);
  const plan = planColumns(WORDS).columns.find(({ spec }) => spec.name === name)!;
  const place = row.place(plan.spec.field);
  const draft = new TextsDraft(plan, row);
  let bytes = Buffer.alloc(0);
  LINES.forEach((line, at) => {
    const larger = Buffer.concat([bytes, line]);
    look(WORDS, row, larger, bytes.length);
    bytes.fill(0);
    bytes = larger;
    turn(row, place, at);
    draft.add(row);
  });
  draft.catchUp(bytes);
  return { texts: Array.from(draft.rowCodes().codes, (code) => (code === NULL_U32 ? null : draft.keys[code]!)), keys: draft.keys };
}

test('texts that wait to be looked up are read where the row that came last stands', () => {
  const nothing = (): void => {};
  assert.deepEqual(drafted('job_title', nothing).texts, LINES.map((_, at) => titleOf(at)));
  assert.deepEqual(drafted('email_domain', nothing).texts, LINES.map((_, at) => (emailOf(at) === 'none' ? null : emailOf(at).split('@')[1]!)));
});

test('texts are met in the order of their rows, whether they have a number or wait', () => {
  const wanted = [...new Set(LINES.map((_, at) => titleOf(at)).filter((title) => title !== null))];
  const numbered = drafted('job_title', (row, place, at) => { row.numbers[place] = at % 3 === 0 ? (at * 7) % 90 : -1; });
  assert.deepEqual(numbered.keys, wanted);
  assert.deepEqual(numbered.texts, LINES.map((_, at) => titleOf(at)));
});
