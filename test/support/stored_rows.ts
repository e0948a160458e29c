import type { Vocabulary } from '../../src/model/vocabulary.ts';
import type { RowForm } from '../../src/segment/row_form.ts';
import { MEMORY } from '../../src/segment/row_memory.ts';
import { RowWriter } from '../../src/segment/row_writer.ts';
import { LIST, NULL, ScannedRow } from '../../src/segment/scanned_row.ts';
import type { StoredBlock } from '../../src/segment/segment.ts';
import { look } from './looked_row.ts';

const BLOCK_ROWS = 1_000;
const ROOM_BYTES = 1 << 16;
/** Values so short are told by a stencil, as levels and countries may be. */
const SHORT_BYTES = 3;

export type StoredRows = {
  /** The rows file. */
  readonly bytes: Buffer;
  readonly stencils: Uint8Array | null;
  /** By row: where it begins in the file, and at last the end. */
  readonly starts: readonly number[];
  blocks(ranks: readonly number[]): AsyncGenerator<StoredBlock>;
};

/** Rows in the form in which they are stored, of their texts without newlines: each found by a look along it. */
export function storeRows(words: Vocabulary, texts: readonly string[], form: RowForm): StoredRows {
  const writer = new RowWriter(form, words.fields.length);
  const { memory, calls } = writer;
  writer.spread(MEMORY.ground, ROOM_BYTES);
  const phrases = new Map<string, number>();
  const kept = new Map<string, number>();
  const phrase = (text: string): number => {
    const known = phrases.get(text) ?? writer.phrase(text);
    phrases.set(text, known);
    return known;
  };
  const looked = new ScannedRow(words);
  const rows: ScannedRow[] = [];
  let filled: number = MEMORY.ground;
  for (const line of texts) {
    const text = Buffer.from(`${line}\n`);
    look(words, looked, text, 0);
    const row = new ScannedRow(words);
    row.start = filled;
    let at = calls.begin(filled);
    let told = 0;
    for (const { name } of words.fields) {
      const place = row.place(name);
      const [form, from, to] = [looked.forms[place]!, looked.from[place]!, looked.to[place]!];
      const value = text.subarray(from, to);
      const short = to - from <= SHORT_BYTES && writer.mayKeep(from - told + SHORT_BYTES + 2);
      const fixed = form === NULL ? '' : short ? value.toString() : null;
      if (fixed !== null) {
        // With what stands beside it: a list is read with its brackets.
        const around = text.toString('utf8', from - 1, to + 1);
        const keptAt = kept.get(around) ?? writer.keep(Buffer.from(around));
        kept.set(around, keptAt);
        row.note(place, form as typeof NULL, keptAt + 1, keptAt + 1 + value.length, from);
        at = calls.fixed(phrase(text.toString('utf8', told, to)), at);
      } else {
        const bracket = form === LIST ? 1 : 0;
        const valueAt = calls.open(calls.fixed(phrase(text.toString('utf8', told, from - bracket)), at));
        calls.reserve(valueAt, value.length + 2 * bracket);
        at = valueAt + text.copy(memory.bytes, valueAt, from - bracket, to + bracket);
        row.note(place, form as typeof NULL, valueAt + bracket, at - bracket, from);
        calls.close(at - valueAt);
      }
      told = fixed === null && form === LIST ? to + 1 : to;
    }
    row.end = calls.end(row.start, calls.fixed(phrase(text.toString('utf8', told)), at));
    row.textBytes = text.length;
    filled = row.end;
    rows.push(row);
  }
  const stencils = writer.stencils();
  return {
    bytes: Buffer.from(memory.bytes.subarray(MEMORY.ground, filled)),
    stencils,
    starts: [...rows.map(({ start }) => start), filled].map((start) => start - MEMORY.ground),
    async *blocks(ranks) {
      for (let at = 0; at < rows.length; at += BLOCK_ROWS) yield givenBlock(rows.slice(at, at + BLOCK_ROWS), ranks.slice(at, at + BLOCK_ROWS), { bytes: memory.bytes, stencils });
    },
  };
}

function givenBlock(rows: readonly ScannedRow[], ranks: readonly number[], { bytes, stencils }: { readonly bytes: Buffer; readonly stencils: Uint8Array | null }): StoredBlock {
  let given = 0;
  return {
    next(row) {
      const from = rows[given];
      if (from === undefined) return false;
      Object.assign(row, { bytes, start: from.start, end: from.end, textBytes: from.textBytes, rank: ranks[given]! });
      for (let place = 0; place < from.forms.length; place++) row.note(place, from.forms[place] as typeof NULL, from.from[place]!, from.to[place]!, from.textAt[place]!);
      given++;
      return true;
    },
    stencils: () => stencils,
  };
}
