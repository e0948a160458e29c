import { NumberList } from '../lib/number_list.ts';
import { ShortDigests } from '../lib/short_digests.ts';
import { firstWordOfText, soughtWord } from '../model/suppression/digest_set.ts';
import { standsNormal, urlDigestText } from '../model/suppression/suppressions.ts';
import { emailDigestText, LINKEDIN_LEAD } from '../model/suppression/term.ts';
import type { Row } from '../model/field.ts';
import { readRow, type Segment } from './reader.ts';
import type { ScannedRow } from './scanned_row.ts';
import type { SectionDrafts } from './sections.ts';

/** Fields that a row may be suppressed by of which only a digest may be known. */
export const DIGESTED = ['email', 'linkedin_url'] as const;
export type Digested = (typeof DIGESTED)[number];

const sectionOf = (field: Digested): string => `digest.${field}`;

/** The first 32 bits of each row's digest, 0 where the field is blank: what finds the rows of a digest without reading them all. */
export class DigestsDraft {
  readonly #field: Digested;
  readonly #words = new NumberList();

  readonly #short: ShortDigests;
  readonly #place: number;

  constructor(field: Digested, row: ScannedRow) {
    this.#field = field;
    this.#short = new ShortDigests(field === 'email' ? '' : LINKEDIN_LEAD, (at, first) => this.#words.put(at, soughtWord(first)));
    this.#place = row.place(field);
  }

  add(row: ScannedRow): void {
    const at = this.#words.length;
    this.#words.push(0);
    if (!this.#addStanding(row, at)) this.#words.put(at, firstWordOf(this.#field, row.textOf(this.#place)));
  }

  /** Nearly every address of a lake is hashed as it stands, but for its case. */
  #addStanding(row: ScannedRow, at: number): boolean {
    const place = this.#place;
    if (!row.isTrim(place)) return false;
    const [from, to] = [row.from[place]!, row.to[place]!];
    return (this.#field === 'email' || standsNormal(row.bytes, from, to)) && this.#short.add(row.bytes, from, to, at);
  }

  draft(drafts: SectionDrafts): void {
    this.#short.finish();
    drafts.add(sectionOf(this.#field), this.#words.view());
  }
}

/** By row. Of a segment that was sealed without them they are made from its rows: some 10 us each. */
export function digestsOf(segment: Segment, field: Digested): Uint32Array {
  if (segment.sections.has(sectionOf(field))) return segment.sections.u32(sectionOf(field));
  return Uint32Array.from({ length: segment.rows }, (_, row) => firstWordOf(field, readRow(segment, row)[field]));
}

function firstWordOf(field: Digested, value: Row[string] | undefined): number {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (text === '') return 0;
  return firstWordOfText(field === 'email' ? emailDigestText(text) : urlDigestText(text));
}
