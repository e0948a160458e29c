import { ESCAPED, LIST, NULL, NUMBER, PLAIN, WIDE, type FieldForm, type ScannedRow } from '../../src/segment/scanned_row.ts';
import type { Vocabulary } from '../../src/model/vocabulary.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENED = 0x5b;
const CLOSED = 0x5d;
const NULL_BEGINS = 0x6e;
const ROW_ENDS = 0x7d;
const NEWLINE = 0x0a;
const BLANK = 0x20;

/**
 * Finds where the values of a row stand by a look along its text, which end with a newline: every field in its order, without blanks between.
 * Says where the next row begins.
 */
export function look({ fields }: Vocabulary, row: ScannedRow, bytes: Buffer, start: number): number {
  row.bytes = bytes;
  row.start = start;
  let at = start;
  for (const [place, { name }] of fields.entries()) {
    at += Buffer.byteLength(JSON.stringify(name)) + 2;
    if (bytes[at - 1] !== COLON) throw malformed();
    at = lookAtValue(row, place, at);
  }
  if (bytes[at] !== ROW_ENDS || bytes[at + 1] !== NEWLINE) throw malformed();
  row.end = at + 2;
  row.textBytes = row.end - start;
  return at + 2;
}

/** Says where the value ends. */
function lookAtValue(row: ScannedRow, place: number, at: number): number {
  const { bytes } = row;
  const noted = (form: FieldForm, from: number, to: number, end: number): number => {
    row.note(place, form, from, to, from - row.start);
    return end;
  };
  switch (bytes[at]) {
    case QUOTE: {
      const end = row.textEnd(at + 1);
      return noted(formOf(bytes.subarray(at + 1, end)), at + 1, end, end + 1);
    }
    case NULL_BEGINS: return noted(NULL, at, at, at + 4);
    case OPENED: {
      const end = listEnd(row, at + 1);
      return noted(LIST, at + 1, end, end + 1);
    }
    default: {
      let end = at;
      while (bytes[end] !== COMMA && bytes[end] !== ROW_ENDS) if (bytes[end++]! <= BLANK) throw malformed();
      return noted(NUMBER, at, end, end);
    }
  }
}

function formOf(text: Buffer): FieldForm {
  if (text.includes('\\')) return ESCAPED;
  return text.some((byte) => byte > 0x7f) ? WIDE : PLAIN;
}

/** Where the closing bracket stands. Brackets within texts are none. */
function listEnd(row: ScannedRow, from: number): number {
  const { bytes } = row;
  let at = from;
  while (bytes[at] !== CLOSED) {
    if (bytes[at] === QUOTE) at = row.textEnd(at + 1);
    else if (bytes[at] !== COMMA) throw malformed();
    at += 1;
  }
  return at;
}

function malformed(): Error {
  return new Error('a row does not stand as rows are stored');
}
