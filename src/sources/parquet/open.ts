import { availableParallelism } from 'node:os';
import { LIMITS } from '../../config/limits.ts';
import { SourceFailure, type FailureCode, type Figures, type ForeignSettings, type ForeignSource, type FoundRow, type RowsRequest, type Search } from '../source.ts';
import type { Reading } from '../sql/columns.ts';
import type { Sql } from '../sql/dialect.ts';
import type { Counted } from '../sql/facet.ts';
import { TableSource, type TableEngine, type Tally, type Where } from '../sql/table_source.ts';
import { unlessStopped } from '../stopped.ts';
import { Connections } from './connect.ts';
import { readColumns, readFigures } from './describe.ts';
import { FileList, type Files } from './files.ts';
import { whereabouts } from './find_files.ts';
import { countStatement, facetStatement, readingOf, rowsOf, tableOf, unsureStatement, type ParquetTable } from './query.ts';
import { scanTable, tellMissing } from './scan.ts';

type Settings = ForeignSettings & { readonly config: Extract<ForeignSettings['config'], { readonly kind: 'parquet' }> };

export function openParquet(settings: Settings): ForeignSource {
  return new TableSource(settings, new ParquetEngine(settings));
}

/** What one of the files may be to blame for. */
const OF_FILES: ReadonlySet<FailureCode> = new Set(['broken', 'malformed']);

/** What the files of a signature are as one table. */
type Described = { readonly signature: string; readonly table: Promise<ParquetTable>; isDone: boolean; isTaken: boolean };

/** Parquet files, read where they are. */
class ParquetEngine implements TableEngine<ParquetTable> {
  readonly #settings: Settings;
  readonly #connections: Connections;
  readonly #files: FileList;
  #described: Described | null = null;
  #figured: { readonly signature: string; readonly figures: Figures } | null = null;

  constructor(settings: Settings) {
    const { path, memory_mb: memoryMb, threads } = settings.config;
    const place = whereabouts(path);
    this.#settings = settings;
    this.#connections = new Connections({
      folders: [place.folder],
      files: place.isPattern ? [] : [place.pattern],
      memoryMb: memoryMb ?? LIMITS.parquetMemoryMbDefault,
      threads: threads ?? Math.max(1, availableParallelism() - 1),
    });
    this.#files = new FileList(place, this.#connections);
  }

  /** Files that changed are another table. */
  async look(known: ParquetTable | null, signal: AbortSignal): Promise<ParquetTable> {
    if (known === null) this.#files.forget();
    const files = await this.#files.now(signal);
    if (known?.files.signature === files.signature) return known;
    const described = this.#describe(files, known === null);
    const table = await unlessStopped(described.table, signal);
    described.isTaken = true;
    return table;
  }

  /**
   * One description at a time: all who come meanwhile share it, and it goes on when they have left. Of many files it takes longer than a search may
   * wait, and would never come to its end where every search began it anew, or every file that came. `anew`: one that nobody has had yet.
   */
  #describe(files: Files, anew: boolean): Described {
    const known = this.#described;
    if (known !== null && (known.signature === files.signature ? !anew || !known.isTaken : !anew && !known.isDone)) return known;
    const table = this.#readTable(files, AbortSignal.timeout(LIMITS.parquetLookMs));
    const own: Described = { signature: files.signature, table, isDone: false, isTaken: false };
    this.#described = own;
    table.catch(() => { if (this.#described === own) this.#described = null; }).finally(() => { own.isDone = true; });
    return own;
  }

  async #readTable(files: Files, signal: AbortSignal): Promise<ParquetTable> {
    const { config, vocabulary } = this.#settings;
    return { source: config.name, table: tableOf(files.sound, files.partsDiffer), files, ...await readColumns(this.#connections, files, vocabulary, config, signal) };
  }

  #lookAnew(known: ParquetTable, signal: AbortSignal): Promise<ParquetTable> {
    this.#files.forget();
    return this.look(known, signal);
  }

  async *rows(table: ParquetTable, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
    let given = false;
    try {
      for await (const batch of scanTable(this.#connections, table, request, signal)) {
        given ||= batch.length > 0;
        yield batch;
      }
    } catch (error) {
      // A file that went since the last look, or is another by now, is no failure of the others, as long as nothing was given by the old list.
      const again = given || signal.aborted || !(error instanceof SourceFailure) || !OF_FILES.has(error.code) ? table : await this.#lookAnew(table, signal);
      if (again === table) throw error;
      yield* scanTable(this.#connections, again, request, signal);
    }
  }

  reading(table: ParquetTable): Reading { return readingOf(table); }

  async count(table: ParquetTable, search: Search, signal: AbortSignal): Promise<Tally> {
    tellMissing(table);
    const statement = countStatement(table, search);
    if (statement === null) return { sure: rowsOf(table), unsure: 0, at: [] };
    const [[sure, unsure]] = await this.#connections.all(statement, 'long', signal) as [[string, string | null]];
    const at = unsure === null ? [] : JSON.parse(unsure) as Where[];
    return { sure: Number(sure), unsure: at.length, at };
  }

  async *unsure(table: ParquetTable, search: Search, at: readonly Where[], signal: AbortSignal): AsyncGenerator<readonly string[]> {
    const wanted = new Set(at.map(([file, row]) => `${row} ${file}`));
    let found = 0;
    for await (const [jsons, files, rows] of this.#connections.batches(unsureStatement(table, search, at), 'long', signal)) {
      const read = (jsons as string[]).filter((_, nth) => wanted.has(`${rows![nth]} ${files![nth]}`));
      found += read.length;
      yield read;
    }
    if (found < wanted.size) throw new SourceFailure('broken', 'a file was replaced while it was counted');
  }

  async values(table: ParquetTable, value: Sql, search: Search, signal: AbortSignal): Promise<Counted> {
    tellMissing(table);
    const counted = await this.#connections.all(facetStatement(table, value, search), 'long', signal) as [unknown, string][];
    // Left out here: to leave them out there the engine would make each value twice.
    return counted.filter(([each]) => each !== null && each !== '').slice(0, LIMITS.facetRowsMax);
  }

  /** Every row is looked at for them: once, as long as the files are the same. */
  async figures(table: ParquetTable, signal: AbortSignal): Promise<Figures> {
    const { signature } = table.files;
    if (this.#figured?.signature === signature) return this.#figured.figures;
    const figures = await readFigures(this.#connections, table, signal);
    // Where that took too long there may be more time when they are next asked for.
    if (Object.keys(figures.fill).length > 0) this.#figured = { signature, figures };
    return figures;
  }

  trouble({ files: { missing, partsDiffer }, clashing, alike }: ParquetTable): string | null {
    const troubles = [
      ...(missing === null ? [] : [missing]),
      ...(partsDiffer ? ['the files are not all in folders of the same names, as country=US/: those are no columns'] : []),
      ...(clashing.length > 0 ? [`columns that are of one type in some files and of another in others are left out: ${clashing.join(', ')}`] : []),
      ...(alike.length > 0 ? [`of columns of one name, but for the case of its letters, the first of a file is read: ${alike.join(', ')}`] : []),
    ];
    return troubles.join('; ') || null;
  }

  close(): Promise<void> { return this.#connections.close(); }
}
