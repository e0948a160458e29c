import { NumberList } from '../lib/number_list.ts';
import { vocabulary, type Vocabulary } from '../model/vocabulary.ts';
import { DigestsDraft, DIGESTED } from './digests.ts';
import { planColumns, type ColumnPlan, type PlannedColumn } from './column_plan.ts';
import { draftCountryCounts, type CodedColumn } from './country_counts_draft.ts';
import { writeIndex } from './index_file.ts';
import { LookupDraft } from './lookup_column.ts';
import type { ColumnMeta, SegmentMeta } from './meta.ts';
import { NumbersDraft } from './numbers_column.ts';
import { OrderCheck } from './order.ts';
import { PresenceDraft } from './presence.ts';
import { presentByRow, type PostingsContext } from './postings_writer.ts';
import { STENCILS } from './row_form.ts';
import { RowsDraft } from './rows_draft.ts';
import { ScannedIdentity } from './scanned_identity.ts';
import { ScannedRow } from './scanned_row.ts';
import { SectionDrafts } from './sections.ts';
import type { IndexRows, SegmentHead, SegmentSummary, StoredBlock } from './segment.ts';
import { TextsDraft } from './texts_draft.ts';
import { WordsDraft } from './words_draft.ts';

export const indexRows: IndexRows = async (index, head, blocks, checkpoint = () => {}) => {
  const draft = new SegmentDraft(head);
  for await (const block of blocks) checkpoint(draft.add(block));
  const { drafts, summary } = draft.seal(() => checkpoint(0));
  return { ...summary, indexBytes: await writeIndex(index, drafts, summary) };
};

type Sealed = { readonly summary: SegmentSummary; readonly drafts: SectionDrafts };

/** All that is gathered of a segment while its rows stream by. */
class SegmentDraft {
  readonly #head: SegmentHead;
  readonly #vocabulary: Vocabulary;
  readonly #plan: ColumnPlan;
  readonly #row: ScannedRow;
  readonly #identity: ScannedIdentity;
  readonly #order: OrderCheck;
  readonly #rows = new RowsDraft();
  readonly #ranks = new NumberList();
  #rowCount = 0;
  #lastBlock: StoredBlock | null = null;
  readonly #columns: readonly (TextsDraft | LookupDraft | NumbersDraft)[];
  /** Both datasets are filtered by when a row was updated. */
  readonly #updates: NumbersDraft;
  readonly #words: WordsDraft;
  readonly #presence: readonly PresenceDraft[];
  readonly #digests: readonly DigestsDraft[];
  readonly #nullable: readonly { readonly name: string; readonly place: number }[];
  /** Rows in which each nullable field is not null. */
  readonly #filled: Float64Array;
  #newest: { readonly ms: number; readonly text: string } | null = null;

  readonly #updatedAt: number;

  constructor(head: SegmentHead) {
    this.#head = head;
    this.#vocabulary = vocabulary(head.dataset, head.extras);
    this.#plan = planColumns(this.#vocabulary);
    const row = new ScannedRow(this.#vocabulary);
    this.#row = row;
    this.#identity = new ScannedIdentity(head.dataset, row);
    this.#order = new OrderCheck(row);
    this.#columns = this.#plan.columns.map((planned) => draftOf(planned, row));
    this.#updates = this.#columns.find((column) => column instanceof NumbersDraft && column.spec.name === 'updated_at') as NumbersDraft;
    this.#words = new WordsDraft(this.#searched(), this.#plan.searchedLists, this.#plan.searchedTexts, row);
    this.#presence = this.#plan.presence.map((field) => new PresenceDraft(field, row));
    this.#digests = DIGESTED.map((field) => new DigestsDraft(field, row));
    this.#nullable = this.#vocabulary.fields.filter(({ nullable }) => nullable).map(({ name }) => ({ name, place: row.place(name) }));
    this.#updatedAt = row.place('updated_at');
    this.#filled = new Float64Array(this.#nullable.length);
  }

  /** Says how many rows there were in the block. */
  add(block: StoredBlock): number {
    const before = this.#rowCount;
    this.#rows.begin();
    while (block.next(this.#row)) this.#addRow();
    this.#rows.end();
    this.#catchUp();
    this.#lastBlock = block;
    return this.#rowCount - before;
  }

  #catchUp(): void {
    for (const column of this.#columns) if (column instanceof TextsDraft) column.catchUp(this.#row.bytes);
  }

  #addRow(): void {
    const row = this.#row;
    this.#identity.read(row);
    this.#order.add(row, this.#identity, row.rank);
    this.#ranks.push(row.rank);
    this.#rows.add(row, this.#identity);
    for (const column of this.#columns) column.add(row);
    for (const presence of this.#presence) presence.add(row, this.#rowCount);
    for (const digests of this.#digests) digests.add(row);
    this.#words.add(row);
    for (let at = 0; at < this.#nullable.length; at++) if (row.isPresent(this.#nullable[at]!.place)) this.#filled[at]!++;
    this.#noteUpdate();
    this.#rowCount++;
  }

  seal(checkpoint: () => void): Sealed {
    const drafts = new SectionDrafts();
    const rows = this.#rowCount;
    const ranges = this.#order.finish();
    this.#rows.draft(drafts);
    const stencils = this.#lastBlock?.stencils() ?? null;
    if (stencils !== null) drafts.add(STENCILS, stencils);
    drafts.add('rank', this.#ranks.view());
    const presence = this.#presence.map((draft, at) => draft.draft(drafts, `present${at}`, rows));
    for (const digests of this.#digests) digests.draft(drafts);
    const context = { rows, present: presentByRow(presence, rows) };
    const { columns, finals, coded } = this.#draftColumns(drafts, context, checkpoint);
    draftCountryCounts(drafts, ranges, coded, presence);
    const phrases = this.#words.draft(drafts, finals, context, checkpoint);
    const shares = this.#nullable.map(({ name }, at): [string, number] => [name, rows === 0 ? 0 : this.#filled[at]! / rows]);
    const common = { ...this.#head, rows, fill: Object.fromEntries(shares), updatedAt: this.#newest?.text ?? null };
    const meta: SegmentMeta = {
      ...common, ...(stencils === null ? {} : { textBytes: this.#rows.textBytes }),
      ranges, columns, presence: this.#plan.presence, phrases, looseFields: this.#plan.searchedTexts,
    };
    drafts.addJson('meta', meta);
    const countries = Object.fromEntries(ranges.flatMap(([country, start, end]) => (country === null ? [] : [[country, end - start]])));
    return { drafts, summary: { ...common, countries, indexBytes: 0, rowsBytes: this.#rows.bytes } };
  }

  #draftColumns(drafts: SectionDrafts, context: PostingsContext, checkpoint: () => void): { columns: ColumnMeta[]; finals: Uint32Array[]; coded: CodedColumn[] } {
    const finals = new Map<PlannedColumn, Uint32Array>();
    const coded: CodedColumn[] = [];
    const columns = this.#plan.columns.map((planned, at): ColumnMeta => {
      checkpoint();
      const column = this.#columns[at]!;
      const scale = column instanceof NumbersDraft ? column.draft(drafts, `column${at}`) : null;
      if (column instanceof TextsDraft) {
        const { final, codes } = column.draft(drafts, `column${at}`, context);
        finals.set(planned, final);
        if (!planned.listed) coded.push({ column: at, codes, values: final.length });
      }
      if (column instanceof LookupDraft) column.draft(drafts, `column${at}`);
      return { name: planned.spec.name, form: planned.form, listed: planned.listed, scale };
    });
    return { columns, finals: this.#plan.searchedColumns.map((column) => finals.get(column)!), coded };
  }

  #searched(): TextsDraft[] {
    const drafts = this.#columns.filter((column) => column instanceof TextsDraft);
    return this.#plan.searchedColumns.map((planned) => drafts.find(({ plan }) => plan === planned)!);
  }

  #noteUpdate(): void {
    const ms = this.#updates.last;
    if (!Number.isNaN(ms) && (this.#newest === null || ms > this.#newest.ms)) this.#newest = { ms, text: this.#row.textOf(this.#updatedAt)! };
  }
}

function draftOf(planned: PlannedColumn, row: ScannedRow): TextsDraft | LookupDraft | NumbersDraft {
  switch (planned.form) {
    case 'texts': return new TextsDraft(planned, row);
    case 'lookup': return new LookupDraft(planned.spec, row);
    case 'numbers': return new NumbersDraft(planned.spec, row);
    default: return planned.form satisfies never;
  }
}
