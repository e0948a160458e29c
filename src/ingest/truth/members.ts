import { FIELD, FIELD_KIND, type RowMemory } from '../../segment/row_memory.ts';
import type { Phrase } from '../../segment/row_calls.ts';
import type { RowWriter } from '../../segment/row_writer.ts';
import { ESCAPED, LIST, PLAIN, WIDE, type FieldForm } from '../../segment/scanned_row.ts';
import type { TruthColumn } from './footer.ts';
import { FORM_BITS, NOTED_WORDS, type Dictionary } from './column_pages.ts';

const EMPTY_LIST = '[]';
/** A dictionary of so few texts is one of levels, states or sizes: its texts go into stencils. */
const FEW_TEXTS = 16;
const NO_PHRASE = -1;

/** Tells the writer of a field that has the same value in every row. `lead`: what stands before the value, its name with it. */
export function tellConstant(writer: RowWriter, place: number, lead: string, value: string | readonly string[]): void {
  const text = Buffer.from(JSON.stringify(value));
  const from = writer.keep(text) + 1;
  tell(writer.memory, place, {
    kind: FIELD_KIND.constant, value: from, pageEnd: from + text.length - 2, texts: typeof value === 'string' ? formOf(text) : LIST,
    lead: writer.phrase(lead + text.toString()), offset: Buffer.byteLength(lead) + 1,
  });
}

/** Tells the writer of a field whose values are those of a column, which is turned by the same number. */
export function tellColumn(writer: RowWriter, place: number, lead: string, kind: TruthColumn['kind']): void {
  const nothing = writer.phrase(`${lead}null`);
  switch (kind) {
    case 'text': return tell(writer.memory, place, {
      kind: FIELD_KIND.text, column: place, lead: writer.phrase(`${lead}"`), null: nothing,
      closing: writer.gapOf(writer.phrase('"')), offset: Buffer.byteLength(lead) + 1,
    });
    case 'texts': {
      const empty = writer.phrase(lead + EMPTY_LIST);
      return tell(writer.memory, place, { kind: FIELD_KIND.list, column: place, lead: writer.phrase(lead), null: nothing, empty, offset: writer.keep(Buffer.from(EMPTY_LIST)) + 1 });
    }
    case 'integer': return tell(writer.memory, place, { kind: FIELD_KIND.integer, column: place, lead: writer.phrase(lead), null: nothing });
    default: return kind satisfies never;
  }
}

export function tellRank(writer: RowWriter, place: number): void {
  tell(writer.memory, place, { kind: FIELD_KIND.rank, column: place });
}

function tell(memory: RowMemory, place: number, words: Readonly<Partial<Record<keyof typeof FIELD, number>>>): void {
  for (const [word, value] of Object.entries(words)) memory.setField(place, FIELD[word as keyof typeof FIELD], value);
}

/** The texts of a column that has few of them: with the name before them and the quotes they are phrases, and values no more. */
export class FewTexts {
  readonly #writer: RowWriter;
  readonly #lead: string;
  readonly #place: number;
  readonly #at: number;
  readonly #known = new Map<string, Phrase>();

  constructor(writer: RowWriter, place: number, lead: string) {
    this.#writer = writer;
    this.#lead = lead;
    this.#place = place;
    this.#at = writer.keep(new Uint8Array(FEW_TEXTS * 4));
  }

  /** Tells the field which texts of a dictionary are phrases. */
  read(dictionary: Dictionary | null): void {
    const { memory } = this.#writer;
    const isFew = dictionary !== null && dictionary.count <= FEW_TEXTS;
    memory.setField(this.#place, FIELD.few, isFew ? this.#at : 0);
    if (!isFew) return;
    for (let text = 0; text < dictionary.count; text++) {
      const noted = dictionary.at / 4 + text * NOTED_WORDS;
      memory.words[this.#at / 4 + text] = this.#phraseOf(memory.words[noted]!, memory.words[noted + 1]! >>> FORM_BITS);
    }
  }

  #phraseOf(from: number, length: number): Phrase {
    const text = this.#writer.memory.bytes.toString('utf8', from, from + length);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const whole = `${this.#lead}"${text}"`;
    if (this.#known.size === FEW_TEXTS || !this.#writer.mayKeep(Buffer.byteLength(whole))) return NO_PHRASE;
    const phrase = this.#writer.phrase(whole);
    this.#known.set(text, phrase);
    return phrase;
  }
}

/** Of the bytes of a JSON text. */
function formOf(bytes: Uint8Array): FieldForm {
  let form: FieldForm = PLAIN;
  for (const byte of bytes) {
    if (byte === 0x5c) return ESCAPED;
    if (byte > 0x7f) form = WIDE;
  }
  return form;
}
