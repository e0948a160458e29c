import { join } from 'node:path';
import type { RowForm } from '../segment/row_form.ts';
import { writeGone } from '../sources/lake/gone.ts';
import type { Row } from '../model/field.ts';
import type { Manifest } from '../sources/lake/manifest.ts';
import { newSegmentId, type KeptSegment } from '../sources/lake/publish.ts';
import type { Duck } from './duckdb.ts';
import { isMuchGone, KEEPING, rewrittenWith, type Keeping } from './rewritten.ts';
import { StandingSegment } from './standing.ts';

type Entry = Manifest['segments'][number];

/** What of the published segments is written anew, and what stays. */
type Division = { readonly rewritten: Manifest['segments']; readonly kept: Manifest['segments'] };

/** A segment that is written anew, and how its rows are stored. */
export type Doomed = { readonly entry: Entry; readonly form: RowForm };

/**
 * The published segments while it is decided which of them are written anew. Ids are looked for in those that would stay; of the others the engine reads
 * all rows anyway.
 */
export class Standings {
  readonly #dir: string;
  readonly #entries: readonly Entry[];
  readonly #keeping: Keeping;
  /** Written anew whatever else is: they cannot be read, or hold what must leave the disk. */
  readonly #must = new Set<string>();
  /** Those of them that cannot be read. */
  readonly #unreadable = new Set<string>();
  #opened: StandingSegment[] = [];

  constructor(dir: string, entries: readonly Entry[], keeping: Keeping = KEEPING) {
    this.#dir = dir;
    this.#entries = entries;
    this.#keeping = keeping;
  }

  /** Marks the rows that rows of the same ids replace. */
  async markReplaced(duck: Duck, ids: string, fresh: number): Promise<void> {
    await this.#eachId(duck, ids, await this.#open(this.divide(fresh).kept), (segment, id) => {
      const row = segment.find(id);
      if (row !== null) segment.mark(row);
      if (isMuchGone(segment, this.#keeping.goneShareMax)) this.#must.add(segment.id);
    });
  }

  /** The ids among those given of which there is a row, into a table; says which segments were not asked, since they would be written anew. */
  async findKnown(duck: Duck, ids: string, fresh: number, table: string): Promise<Manifest['segments']> {
    const asked = await this.#open(this.divide(fresh).kept);
    const known: string[] = [];
    await this.#eachId(duck, ids, asked, (segment, id) => {
      if (segment.find(id) !== null) known.push(id);
    });
    await duck.list(table, 'id', known);
    return this.#entries.filter(({ id }) => this.#must.has(id) || !asked.some((segment) => segment.id === id));
  }

  /** Those of some rows of which the source has a row of the same id that is as wanted. */
  async rowsFound(rows: readonly Row[], isWanted: (found: Row, row: Row) => boolean): Promise<readonly Row[]> {
    const segments = await this.#open(this.#entries);
    return rows.filter((row) => segments.some((segment) => this.#reading(segment, () => {
      const at = segment.find(row.id as string);
      return at !== null && isWanted(segment.read(at), row);
    })));
  }

  /** Nothing that was looked at is to be written anew whatever the rows are. */
  get isSound(): boolean {
    return this.#must.size === 0;
  }

  /** Has every segment written anew that holds a row of one of the ids, be it gone. True where any does, or cannot be read. */
  async doom(duck: Duck, ids: string): Promise<boolean> {
    await this.#eachId(duck, ids, await this.#open(this.#entries), (segment, id) => {
      if (segment.holds(id)) this.#must.add(segment.id);
    });
    return this.#must.size > 0;
  }

  /** The segments that are doomed; null where one of those cannot be read, so that nobody can tell what else is wrong with it. */
  doomed(): readonly Doomed[] | null {
    if (this.#unreadable.size > 0) return null;
    return this.#entries.flatMap((entry) => (this.#must.has(entry.id) ? [{ entry, form: this.#stateOf(entry.id)!.form }] : []));
  }

  /** As `divide`, where those that would stay can be read: of one that cannot, the damage would be published again. */
  async divideWhole(fresh: number): Promise<Division> {
    await this.#open(this.divide(fresh).kept);
    return this.divide(fresh);
  }

  divide(fresh: number): Division {
    const rewritten = rewrittenWith(fresh, this.#states(), this.#must, this.#keeping);
    return { rewritten: this.#entries.filter(({ id }) => rewritten.has(id)), kept: this.#entries.filter(({ id }) => !rewritten.has(id)) };
  }

  /** How many rows of those that stay are marked. */
  markedIn(kept: readonly Entry[]): number {
    return kept.reduce((sum, { id, rows }) => sum + rows - (this.#stateOf(id)?.rows ?? rows), 0);
  }

  /** The segments that stay, for a snapshot, with files in a folder of what is gone of them. */
  stage(kept: readonly Entry[], workDir: string, snapshot: number): Promise<KeptSegment[]> {
    return Promise.all(kept.map(async (entry, part): Promise<KeptSegment> => {
      const segment = this.#stateOf(entry.id);
      const gone = segment?.goneRows() ?? null;
      if (segment === undefined || gone === null) return { entry, gone: null };
      const file = join(workDir, `segment-${part}.gone`);
      return { entry: { ...entry, ...segment.left(), gone: await writeGone(file, newSegmentId(snapshot, part, true), gone) }, gone: file };
    }));
  }

  close(): void {
    for (const segment of this.#opened) segment.close();
    this.#opened = [];
  }

  #states(): { readonly id: string; readonly rows: number; readonly gone: number }[] {
    return this.#entries.map((entry) => this.#stateOf(entry.id) ?? { id: entry.id, rows: entry.rows, gone: entry.gone?.rows ?? 0 });
  }

  #stateOf(id: string): StandingSegment | undefined {
    return this.#opened.find((segment) => segment.id === id);
  }

  /** Those of them that can be opened. */
  async #open(entries: readonly Entry[]): Promise<readonly StandingSegment[]> {
    for (const entry of entries) {
      if (this.#must.has(entry.id) || this.#stateOf(entry.id) !== undefined) continue;
      const segment = await StandingSegment.open(this.#dir, entry);
      if (segment === null) this.#giveUp(entry.id);
      else this.#opened.push(segment);
    }
    return entries.flatMap(({ id }) => this.#stateOf(id) ?? []);
  }

  async #eachId(duck: Duck, query: string, segments: readonly StandingSegment[], look: (segment: StandingSegment, id: string) => void): Promise<void> {
    const left = (): readonly StandingSegment[] => segments.filter(({ id }) => !this.#must.has(id));
    if (left().length === 0) return;
    for await (const [ids] of duck.batches(query)) {
      for (const segment of left()) {
        this.#reading(segment, () => {
          for (const id of ids as readonly string[]) if (!this.#must.has(segment.id)) look(segment, id);
          return true;
        });
      }
    }
  }

  /** A segment that turns out not to be readable is written anew from its truth. */
  #reading(segment: StandingSegment, look: () => boolean): boolean {
    if (this.#must.has(segment.id)) return false;
    try {
      return look();
    } catch {
      this.#giveUp(segment.id);
      return false;
    }
  }

  #giveUp(id: string): void {
    this.#must.add(id);
    this.#unreadable.add(id);
  }
}
