import fc from 'fast-check';
import { Fill } from '../../src/encode/fill.ts';
import { rowLayout, type RowOut } from '../../src/encode/rows.ts';
import type { FindAnswer } from '../../src/model/answer.ts';
import type { FieldType, Row } from '../../src/model/field.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';

export const CONTACTS = vocabulary('contacts', [{ name: 'badge', type: 'integer', description: 'badge' }]);
export const LAYOUT = rowLayout(CONTACTS);

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('"', '\\', '\\"', '},{"id":', '=1+1', '+49', '\uFF1D1', '\t', 'a,b', 'x\r\ny', 'null', '[', ''),
);
const VALUES: Readonly<Record<FieldType, fc.Arbitrary<Exclude<Row[string], null>>>> = {
  string: text, strings: fc.array(text, { maxLength: 3 }), integer: fc.integer(),
  timestamp: fc.constant('2024-01-01T00:00:00.000Z'),
};

/** Any row in canonical order, nulls among its values. */
export const anyRow: fc.Arbitrary<Row> = fc
  .tuple(...CONTACTS.fields.map(({ type, nullable }): fc.Arbitrary<Row[string]> => (nullable ? fc.option(VALUES[type]) : VALUES[type])))
  .map((values) => Object.fromEntries(CONTACTS.fields.map(({ name }, place) => [name, values[place]!])));

/** Rows as a source hands them over; `gap` bytes of something else stand between them. */
export function chunkOf(rows: readonly Row[], gap = 0): RowOut['chunk'] {
  const start: number[] = [];
  const end: number[] = [];
  let bytes = Buffer.alloc(0);
  for (const row of rows) {
    start.push(bytes.length);
    bytes = Buffer.concat([bytes, Buffer.from(JSON.stringify(row))]);
    end.push(bytes.length);
    bytes = Buffer.concat([bytes, Buffer.from(`\n${'#'.repeat(gap)}`)]);
  }
  return { bytes, rows: rows.length, start, end, markAt: (row) => row, identity: null };
}

/** What the rows lend, offered in their order. */
export function fillOf(donors: readonly Row[], wanted: readonly string[] = LAYOUT.names): Fill {
  const fill = new Fill(LAYOUT, wanted.map((name) => LAYOUT.place(name)));
  for (const donor of donors) fill.offer({ chunk: chunkOf([donor], 3), row: 0 });
  return fill;
}

export function asStored(chunk: RowOut['chunk']): RowOut[] {
  return Array.from(chunk.start, (_, row) => ({ chunk, row, fill: null, sources: null }));
}

export const ANSWER: FindAnswer = {
  total: 3, warnings: ['crm: “late”'], errors: [], type: 'contacts', returned: 3, next_cursor: null, total_relation: 'eq', partial: false,
  took_ms: 1.5, request_id: 'r1', facets: null, client_ref: null, sources: [],
};
