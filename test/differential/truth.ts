import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { fold, words } from '../../src/lib/fold.ts';
import { SEARCHABLE, type Row } from '../../src/model/field.ts';
import { FILTERS, type Filter, type FilterSpec, type Interval } from '../../src/model/filter.ts';
import type { Term } from '../../src/model/query.ts';

/** What the engine makes of a text under the rule of folding, as far as it has the means. */
const FOLDED = (sql: string): string => `trim(lower(strip_accents(${sql})))`;
const WORDS = (sql: string): string => `regexp_extract_all(${FOLDED(sql)}, '[\\p{L}\\p{Nd}\\p{M}]+')`;
const SINGLE = SEARCHABLE.contacts.filter((field) => field !== 'skills');

/** The rows that live of the Parquet that a lake was made of, searched by DuckDB. */
export class Truth {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  /** Ids of the rows whose texts the engine folds and cuts otherwise than the service: what it says of them proves nothing. */
  readonly #elsewise = new Set<string>();
  /** By id: the number of the segment that has the row. */
  readonly #parts = new Map<string, number>();

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  /** `living`: see `livingTruth`. */
  static async open(living: string, folder: string): Promise<Truth> {
    const instance = await DuckDBInstance.create(':memory:', { temp_directory: `${folder}/spill`, threads: '1' });
    const truth = new Truth(instance, await instance.connect());
    await truth.#connection.run(`CREATE TABLE truth AS SELECT row_number() OVER (ORDER BY part, file_row_number) - 1 AS n, * FROM ${living}`);
    await truth.#findElsewise();
    await truth.#findParts();
    return truth;
  }

  /** Whether what the engine says of the row can be compared. */
  compares({ id }: Row): boolean {
    return !this.#elsewise.has(id as string);
  }

  get left(): number {
    return this.#elsewise.size;
  }

  /** The ids of all matches that can be compared, in the order of the lake. */
  async find(filters: readonly Filter[], terms: readonly Term[]): Promise<string[]> {
    const conditions = [...filters.map(filterSql), ...terms.map(termSql), 'true'];
    const found = await this.#connection.runAndReadAll(`SELECT id FROM truth WHERE ${conditions.join(' AND ')} ORDER BY n`);
    return found.getColumns()[0]?.map(String).filter((id) => !this.#elsewise.has(id)) ?? [];
  }

  /** The JSON of rows, those of one segment in the order in which they are given. */
  inParts(lines: readonly string[]): string[] {
    const partOf = (line: string): number => this.#parts.get((JSON.parse(line) as { id: string }).id)!;
    return lines.map((line) => ({ line, part: partOf(line) })).sort((a, b) => a.part - b.part).map(({ line }) => line);
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  async #findParts(): Promise<void> {
    const found = await this.#connection.runAndReadAll('SELECT id, part FROM truth');
    for (const [id, part] of found.getRowsJS() as [string, number][]) this.#parts.set(id, part);
  }

  async #findElsewise(): Promise<void> {
    const columns = [...new Set([...FILTERS.contacts.filter(({ compares }) => compares === 'folded' || compares === 'enum').map(({ field }) => field), ...SINGLE])];
    const texts = [...columns.map((column) => `SELECT id, ${column} AS text FROM truth WHERE ${column} IS NOT NULL`), 'SELECT id, unnest(skills) AS text FROM truth'];
    const found = await this.#connection.runAndReadAll(`SELECT id, text, ${FOLDED('text')}, ${WORDS('text')} FROM (${texts.join(' UNION ALL ')})`);
    for (const [id, text, folded, cut] of found.getRowsJS() as [string, string, string, string[]][]) {
      const ours = fold(text);
      if (ours.trim() !== folded || words(ours).join(' ') !== cut.join(' ')) this.#elsewise.add(id);
    }
  }
}

function filterSql(filter: Filter): string {
  const spec = FILTERS.contacts.find(({ name }) => name === filter.name)!;
  switch (filter.kind) {
    case 'presence': return `CASE WHEN ${spec.field} IS NOT NULL THEN ${filter.present} ELSE ${filter.absent} END`;
    case 'terms': {
      const among = (values: readonly string[]): string => `coalesce(${comparableSql(spec)} IN (${values.map(literal).join(', ')}), false)`;
      return [...(filter.include === null ? [] : [among(filter.include)]), ...(filter.exclude.length === 0 ? [] : [`NOT ${among(filter.exclude)}`]), 'true'].join(' AND ');
    }
    case 'intervals': {
      const within = (intervals: readonly Interval[]): string => `coalesce(${intervals.map((interval) => intervalSql(spec, interval)).join(' OR ')}, false)`;
      return [...(filter.include === null ? [] : [within(filter.include)]), ...(filter.exclude.length === 0 ? [] : [`NOT ${within(filter.exclude)}`]), 'true'].join(' AND ');
    }
    default: return filter satisfies never;
  }
}

function comparableSql({ name, field, compares }: FilterSpec): string {
  if (name === 'email_domain') return "lower(split_part(email, '@', -1))";
  // Domains stand in a lake as A-labels already.
  const isLower = compares === 'lower' || compares === 'domain' || compares === 'email';
  return compares === 'country' ? field : isLower ? `lower(${field})` : FOLDED(field);
}

function intervalSql({ field }: FilterSpec, [min, max]: Interval): string {
  const ms = `epoch_ms(${field}::TIMESTAMP)`;
  const sides = [`${field} IS NOT NULL`, ...(Number.isFinite(min) ? [`${ms} >= ${min}`] : []), ...(Number.isFinite(max) ? [`${ms} <= ${max}`] : [])];
  return `(${sides.join(' AND ')})`;
}

function termSql({ kind, words, negated }: Term): string {
  const holds = (text: string): string => {
    switch (kind) {
      case 'word': return `list_contains(${WORDS(text)}, ${literal(words[0]!)})`;
      case 'prefix': return `len(list_filter(${WORDS(text)}, lambda word: starts_with(word, ${literal(words[0]!)}))) > 0`;
      case 'phrase': return `contains(' ' || array_to_string(${WORDS(text)}, ' ') || ' ', ${literal(` ${words.join(' ')} `)})`;
      default: return kind satisfies never;
    }
  };
  const single = SINGLE.map((field) => `coalesce(${holds(field)}, false)`);
  const skills = `coalesce(list_bool_or(list_transform(skills, lambda skill: ${holds('skill')})), false)`;
  return `(${[...single, skills].join(' OR ')}) = ${!negated}`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
