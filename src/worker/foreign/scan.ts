import type { MessagePort } from 'node:worker_threads';
import { LIMITS } from '../../config/limits.ts';
import type { FacetCounts } from '../../model/answer.ts';
import { Suppressions } from '../../model/suppression/suppressions.ts';
import type { TotalRelation } from '../../model/outcome.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import type { CountedMessage, ForeignRequest, Struck } from '../../pool/foreign_protocol.ts';
import { countValues } from '../../sources/facet.ts';
import { readPlace } from '../../sources/place.ts';
import { SourceFailure, type ForeignSource, type FoundRow, type Place, type RowsRequest } from '../../sources/source.ts';
import { stopped } from '../../sources/stopped.ts';
import { Dropped } from './dropped.ts';
import { Line } from './line.ts';
import { Passed } from './passed.ts';
import { Patience } from './patience.ts';
import { Piece } from './piece.ts';
import { readRow } from './read_row.ts';
import { Residual } from './residual.ts';

/** One scan of a foreign source, from its first message to its last. Never rejects. */
export async function scanForeign(open: () => ForeignSource, vocabulary: Vocabulary, request: ForeignRequest, port: MessagePort): Promise<void> {
  const patience = new Patience(request.deadlineMs - LIMITS.foreignMarginMs);
  const line = new Line(port, patience, request.whole ? LIMITS.foreignPiecesAhead : 1);
  const scan = new Scan(open, vocabulary, request, line);
  try {
    await scan.run();
    line.send({ kind: 'over' });
  } catch (error) {
    const struck = struckBy(error, patience);
    scan.sendRest(struck);
    line.send({ kind: 'failed', ...struck });
  } finally {
    patience.end();
    line.close();
  }
}

type Matched = { readonly rows: number | null; readonly relation: TotalRelation };
const UNKNOWN: Matched = { rows: null, relation: 'eq' };

class Scan {
  readonly #open: () => ForeignSource;
  readonly #request: ForeignRequest;
  readonly #line: Line;
  readonly #suppressions: Suppressions | null;
  readonly #dropped: Dropped | null;
  readonly #residual: Residual;
  /** For rows that are looked at once more, to be counted. */
  readonly #counted: Residual;
  readonly #rows: RowsRequest;
  readonly #from: Place | null;
  readonly #piece = new Piece();
  readonly #vocabulary: Vocabulary;
  /** What was kept before the counting began, where facets are asked for. */
  readonly #found: FoundRow[] = [];
  #kept = 0;
  /** Of them, those that have been handed over. */
  #sent = 0;
  /** Some shared their key. */
  #repeats = false;
  #counting: Promise<void> | null = null;
  #matched: Matched = UNKNOWN;
  readonly #facets: FacetCounts[] = [];
  /** Why not all could be counted. */
  #missed: Struck | null = null;
  #toldCounts = false;

  constructor(open: () => ForeignSource, vocabulary: Vocabulary, request: ForeignRequest, line: Line) {
    this.#open = open;
    this.#request = request;
    this.#line = line;
    this.#vocabulary = vocabulary;
    const suppressions = request.suppressions === null ? null : new Suppressions(request.suppressions);
    this.#suppressions = suppressions;
    this.#dropped = suppressions === null || suppressions.isEmpty ? null : new Dropped(suppressions, vocabulary);
    this.#residual = new Residual(request, vocabulary, suppressions, (row) => this.#dropped?.note(row));
    this.#counted = new Residual(request, vocabulary, suppressions, () => {});
    this.#from = readPlace(request.after);
    this.#rows = {
      filters: request.filters, terms: request.terms, order: request.order, from: this.#from,
      // The answer is cut down to what was asked for where it is written.
      fields: request.fields === null ? null : [...request.fields, ...this.#residual.reads, ...this.#fieldsOfFacets(vocabulary)],
      // One row more is looked for than is given: the last piece is then known to be the last.
      rowsWanted: request.whole ? null : request.rowsMax + 1,
      ...(request.whole && request.rowsEnough !== undefined && { rowsEnough: request.rowsEnough + 1 }),
      dropped: (rows) => line.send({ kind: 'dropped', rows }),
      incomplete: () => line.send({ kind: 'incomplete' }),
      ...(request.hops !== undefined && { hops: request.hops }),
    };
  }

  async run(): Promise<void> {
    const source = this.#open();
    if (this.#request.whole || this.#request.rowsMax === 0) this.#beginCounting(source);
    if (this.#request.rowsMax > 0) await this.#sendRows(source);
    // A page that holds all matches needs no count.
    if (this.#counting === null && this.#from === null) this.#sendCounts(this.#countHere());
    else this.#beginCounting(source);
    await this.#counting;
  }

  /** They are counted where the page holds all matches; those of suppressed rows are taken out. */
  #fieldsOfFacets({ filters }: Vocabulary): string[] {
    return filters.filter(({ name }) => this.#request.facets.includes(name)).map(({ field }) => field);
  }

  /** What came before the scan failed is delivered all the same. */
  sendRest(struck: Struck): void {
    if (this.#piece.rows > 0) this.#sendPiece(false);
    if (!this.#hasCountedAll) this.#missed ??= struck;
    if (this.#counting !== null) this.#sendCounts(this.#countSoFar());
  }

  /** What is struck may just then have come to its end, and only not have been told yet. */
  get #hasCountedAll(): boolean {
    const { count, facets } = this.#request;
    return (!count || this.#matched.rows !== null) && this.#facets.length === facets.length;
  }

  async #sendRows(source: ForeignSource): Promise<void> {
    const passed = new Passed(this.#from);
    for await (const batch of source.rows(this.#rows, this.#line.patience.signal)) {
      for (const row of batch) {
        const seen = passed.count(row);
        if (seen === null || !this.#residual.keeps(row)) continue;
        if (this.#isFull()) await this.#handOver(source);
        this.#piece.add(row, seen);
        this.#kept += 1;
        if (this.#counting === null && this.#request.facets.length > 0) this.#found.push(row);
        this.#repeats ||= seen > 1;
      }
      if (this.#isEnough()) await this.#rest(source);
    }
    await this.#creditOrStop();
    this.#sendPiece(true);
  }

  #isFull(): boolean {
    return this.#piece.rows === this.#request.rowsMax || this.#piece.bytes >= LIMITS.chunkBytes;
  }

  /** All rows that the call asks for have been read, and one that tells that there are more. A merge takes several for one of them where they share their identity. */
  #isEnough(): boolean {
    return this.#kept > this.#rowsEnough && (this.#request.order === 'stored' || !this.#repeats);
  }

  get #rowsEnough(): number {
    const { whole, rowsMax, rowsEnough = Infinity } = this.#request;
    return whole ? rowsEnough : rowsMax;
  }

  /** Nothing more is read of the source before the reader asks for it: a page seldom does. */
  async #rest(source: ForeignSource): Promise<void> {
    if (this.#sent < this.#rowsEnough) await this.#handOver(source);
    if (!await this.#line.wanted()) throw stopped();
  }

  async #handOver(source: ForeignSource): Promise<void> {
    await this.#creditOrStop();
    this.#sendPiece(false);
    this.#beginCounting(source);
  }

  /** A scan that is struck while it waits has not come to its end, and must not seem to. */
  async #creditOrStop(): Promise<void> {
    if (!await this.#line.credit()) throw stopped();
  }

  #sendPiece(last: boolean): void {
    this.#sent += this.#piece.rows;
    const message = this.#piece.take(last);
    this.#line.send(message, [message.bytes.buffer as ArrayBuffer, message.table.buffer as ArrayBuffer]);
  }

  /** Of a page that holds all matches. */
  #countHere(): CountedMessage {
    const { count, facets } = this.#request;
    const rows = this.#found.map(({ json, row }) => row ?? readRow(json));
    const values = facets.map((name) => ({ name, values: countValues(this.#vocabulary.filters.find((spec) => spec.name === name)!, rows) }));
    return { kind: 'counted', matched: count ? this.#kept : null, atMost: false, atLeast: false, facets: facets.length > 0 ? values : null, missed: null };
  }

  /** Once, beside the rows. */
  #beginCounting(source: ForeignSource): void {
    this.#found.length = 0;
    if (this.#counting !== null) return;
    this.#counting = this.#count(source).then(() => this.#sendCounts(this.#countSoFar()));
    // It is awaited behind the rows: until then a failure, which can be a bug alone, would be nobody's, and end the thread of all sources.
    this.#counting.catch(() => {});
  }

  /** What cannot be counted in time leaves the rest as it is. */
  async #count(source: ForeignSource): Promise<void> {
    const { count, facets } = this.#request;
    const { patience } = this.#line;
    const orMissed = async (counted: Promise<void>): Promise<void> => { await counted.catch((error: unknown) => { this.#missed ??= struckBy(error, patience); }); };
    await Promise.all([...(count ? [orMissed(this.#countMatches(source))] : []), ...facets.map((name) => orMissed(this.#countFacet(source, name)))]);
  }

  async #countMatches(source: ForeignSource): Promise<void> {
    const { sure, unsure, relation = 'eq' } = await source.count(this.#request, this.#line.patience.signal);
    if (unsure !== null) this.#matched = { rows: sure + unsure.filter((json) => this.#counted.keeps({ json, sure: false })).length, relation };
    // Too many to look at: as many as match for sure there are. None for sure says less than the rows themselves.
    else if (sure > 0) this.#matched = { rows: sure, relation: 'gte' };
  }

  async #countFacet(source: ForeignSource, name: string): Promise<void> {
    const counts = await source.facet(name, this.#request, this.#line.patience.signal);
    if (counts !== null) this.#facets.push(counts);
  }

  #countSoFar(): CountedMessage {
    const { rows, relation } = this.#matched;
    // Of a source that did not count, the rows that are returned stand in the total, and nobody who is suppressed is among those.
    const atMost = rows !== null && (this.#suppressions?.isEmpty === false || relation === 'lte' || relation === 'approx');
    const facets = this.#facets.map((one) => this.#dropped?.without(one) ?? one);
    return {
      kind: 'counted', matched: rows, atMost, atLeast: relation === 'gte' || relation === 'approx', facets: this.#request.facets.length > 0 ? facets : null, missed: this.#missed,
    };
  }

  /** Once: what is known later is not told. */
  #sendCounts(counts: CountedMessage): void {
    if (!this.#toldCounts) this.#line.send(counts);
    this.#toldCounts = true;
  }
}

function struckBy(error: unknown, { struck }: Patience): Struck {
  if (struck !== null) return { code: struck, detail: '' };
  if (error instanceof SourceFailure) return { code: error.code, detail: error.message };
  return { code: 'crashed', detail: error instanceof Error ? error.stack ?? error.message : String(error) };
}
