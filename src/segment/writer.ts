import { open, type FileHandle } from 'node:fs/promises';
import { NumberList } from '../lib/number_list.ts';
import { isPresent } from '../model/compare.ts';
import type { Row } from '../model/field.ts';
import { vocabulary, type Vocabulary } from '../model/vocabulary.ts';
import { DigestsDraft, DIGESTED } from './digests.ts';
import { planColumns, type ColumnPlan, type PlannedColumn } from './column_plan.ts';
import { writeIndex } from './index_file.ts';
import { LookupDraft } from './lookup_column.ts';
import type { ColumnMeta, SegmentMeta } from './meta.ts';
import { NumbersDraft } from './numbers_column.ts';
import { OrderCheck } from './order.ts';
import { PresenceDraft } from './presence.ts';
import type { PostingsContext } from './postings_writer.ts';
import { RowsDraft } from './rows_draft.ts';
import { SectionDrafts } from './sections.ts';
import type { RankedRow, SegmentHead, SegmentSummary, WriteSegment } from './segment.ts';
import { TextsDraft } from './texts_draft.ts';
import { WordsDraft } from './words_draft.ts';

export const writeSegment: WriteSegment = async (files, head, batches, checkpoint = () => {}) => {
  const rows = await open(files.rows, 'wx');
  try {
    const draft = new SegmentDraft(head, rows);
    for await (const batch of batches) {
      for (const row of batch) {
        draft.add(row);
        if (draft.wantsFlush) await draft.flush();
      }
    }
    const sealed = await draft.seal(checkpoint);
    await rows.sync();
    return { ...sealed.summary, indexBytes: await writeIndex(files.index, sealed.drafts, sealed.summary) };
  } finally {
    await rows.close();
  }
};

type Sealed = { readonly summary: SegmentSummary; readonly drafts: SectionDrafts };

/** All that is gathered of a segment while its rows stream by. */
class SegmentDraft {
  readonly #head: SegmentHead;
  readonly #vocabulary: Vocabulary;
  readonly #plan: ColumnPlan;
  readonly #order: OrderCheck;
  readonly #rows: RowsDraft;
  readonly #ranks = new NumberList();
  readonly #columns: readonly (TextsDraft | LookupDraft | NumbersDraft)[];
  readonly #words: WordsDraft;
  readonly #presence: readonly PresenceDraft[];
  readonly #digests = DIGESTED.map((field) => new DigestsDraft(field));
  readonly #nullable: readonly string[];
  /** Rows in which each nullable field is not null. */
  readonly #filled: Float64Array;
  #newest: { readonly ms: number; readonly text: string } | null = null;

  constructor(head: SegmentHead, rows: FileHandle) {
    this.#head = head;
    this.#vocabulary = vocabulary(head.dataset, head.extras);
    this.#plan = planColumns(this.#vocabulary);
    this.#order = new OrderCheck(head.dataset);
    this.#rows = new RowsDraft(rows, this.#vocabulary, head.source);
    this.#columns = this.#plan.columns.map(draftOf);
    this.#words = new WordsDraft(this.#searched(), this.#plan.searchedLists, this.#plan.searchedTexts);
    this.#presence = this.#plan.presence.map((field) => new PresenceDraft(field));
    this.#nullable = this.#vocabulary.fields.filter(({ nullable }) => nullable).map(({ name }) => name);
    this.#filled = new Float64Array(this.#nullable.length);
  }

  get wantsFlush(): boolean {
    return this.#rows.wantsFlush;
  }

  flush(): Promise<void> {
    return this.#rows.flush();
  }

  add(ranked: RankedRow): void {
    this.#order.add(ranked);
    const { row } = ranked;
    this.#rows.add(ranked);
    for (const column of this.#columns) column.add(row);
    for (const presence of this.#presence) presence.add(row, this.#ranks.length);
    for (const digests of this.#digests) digests.add(row);
    this.#words.add(row);
    this.#ranks.push(ranked.rank);
    for (let at = 0; at < this.#nullable.length; at++) if (isPresent(row[this.#nullable[at]!])) this.#filled[at]!++;
    this.#noteUpdate(row.updated_at);
  }

  async seal(checkpoint: () => void): Promise<Sealed> {
    const drafts = new SectionDrafts();
    const rows = this.#ranks.length;
    const ranges = this.#order.finish();
    await this.#rows.draft(drafts);
    drafts.add('rank', this.#ranks.view());
    const presence = this.#presence.map((draft, at) => draft.draft(drafts, `present${at}`, rows));
    for (const digests of this.#digests) digests.draft(drafts);
    const context = { rows, presence };
    const { columns, finals } = this.#draftColumns(drafts, context, checkpoint);
    const phrases = this.#words.draft(drafts, finals, context, checkpoint);
    const shares = this.#nullable.map((name, at): [string, number] => [name, rows === 0 ? 0 : this.#filled[at]! / rows]);
    const common = { ...this.#head, rows, fill: Object.fromEntries(shares), updatedAt: this.#newest?.text ?? null };
    const meta: SegmentMeta = { ...common, ranges, columns, presence: this.#plan.presence, phrases, looseFields: this.#plan.searchedTexts };
    drafts.addJson('meta', meta);
    const countries = Object.fromEntries(ranges.flatMap(([country, start, end]) => (country === null ? [] : [[country, end - start]])));
    return { drafts, summary: { ...common, countries, indexBytes: 0, rowsBytes: this.#rows.bytes } };
  }

  #draftColumns(drafts: SectionDrafts, context: PostingsContext, checkpoint: () => void): { columns: ColumnMeta[]; finals: Uint32Array[] } {
    const finals = new Map<PlannedColumn, Uint32Array>();
    const columns = this.#plan.columns.map((planned, at): ColumnMeta => {
      checkpoint();
      const column = this.#columns[at]!;
      const scale = column instanceof NumbersDraft ? column.draft(drafts, `column${at}`) : null;
      if (column instanceof TextsDraft) finals.set(planned, column.draft(drafts, `column${at}`, context));
      if (column instanceof LookupDraft) column.draft(drafts, `column${at}`);
      return { name: planned.spec.name, form: planned.form, listed: planned.listed, scale };
    });
    return { columns, finals: this.#plan.searchedColumns.map((column) => finals.get(column)!) };
  }

  #searched(): TextsDraft[] {
    const drafts = this.#columns.filter((column) => column instanceof TextsDraft);
    return this.#plan.searchedColumns.map((planned) => drafts.find(({ plan }) => plan === planned)!);
  }

  #noteUpdate(text: Row[string] | undefined): void {
    const ms = typeof text === 'string' ? Date.parse(text) : Number.NaN;
    if (typeof text === 'string' && !Number.isNaN(ms) && (this.#newest === null || ms > this.#newest.ms)) this.#newest = { ms, text };
  }
}

function draftOf(planned: PlannedColumn): TextsDraft | LookupDraft | NumbersDraft {
  switch (planned.form) {
    case 'texts': return new TextsDraft(planned);
    case 'lookup': return new LookupDraft(planned.spec);
    case 'numbers': return new NumbersDraft(planned.spec);
    default: return planned.form satisfies never;
  }
}
