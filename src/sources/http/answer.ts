import { LIMITS } from '../../config/limits.ts';
import { isCount, isObject, type JsonObject } from '../../model/json.ts';
import type { TotalRelation } from '../../model/outcome.ts';
import { SourceFailure, type FailureCode } from '../source.ts';

/** The last line of an answer. */
export type End = {
  readonly total: number | null;
  readonly relation: TotalRelation;
  readonly partial: boolean;
  /** Null where no row is left. */
  readonly nextCursor: string | null;
  readonly facets: JsonObject;
  /** Of them, those that not all of its own sources counted: a gateway says so in a warning. */
  readonly uncounted: readonly string[];
};

type Item =
  | { readonly kind: 'row'; readonly value: JsonObject }
  | { readonly kind: 'junk' }
  | { readonly kind: 'cursor'; readonly cursor: string }
  /** A source of the other side has ended before it gave all of its rows: those of the others go on without them. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'end'; readonly end: End };

/**
 * Reads the lines of one answer, each once. An answer is whole when it ended with its `@end` and brought as many rows as that says; whatever
 * else it ends with, it was cut. Control lines that nobody here knows are passed over.
 */
export class AnswerReader {
  #lines = 0;
  #rows = 0;
  #junk = 0;
  #ended = false;

  /** Null for a line that says nothing. */
  read(line: string): Item | null {
    if (line.trim() === '') return null;
    if (this.#ended) throw new SourceFailure('malformed', 'a line stands behind the last');
    this.#lines += 1;
    const value = parse(line);
    if (value === null) return this.#junkLine();
    const names = Object.keys(value);
    if (names.length !== 1 || !names[0]!.startsWith('@')) {
      this.#rows += 1;
      return { kind: 'row', value };
    }
    return this.#control(names[0]!, value[names[0]!]);
  }

  /** To be asked when no line is left. */
  assertEnded(): void {
    if (!this.#ended) throw new SourceFailure('broken', 'the answer was cut: it has no last line');
  }

  /** For a row that is not what was agreed, too. */
  countJunk(): void {
    this.#junk += 1;
    if (this.#junk > LIMITS.httpJunkRowsMax) throw new SourceFailure('malformed', `more than ${LIMITS.httpJunkRowsMax} rows are not what was agreed`);
  }

  #junkLine(): Item {
    // No stream of rows begins with anything else.
    if (this.#lines === 1) throw new SourceFailure('malformed', 'the answer is no NDJSON');
    this.#rows += 1;
    return { kind: 'junk' };
  }

  #control(name: string, value: unknown): Item | null {
    switch (name) {
      case '@end': this.#ended = true; return { kind: 'end', end: this.#endOf(value) };
      case '@error': throw saidError(value);
      case '@source': return isObject(value) && LOST.has(value['status']) ? { kind: 'lost' } : null;
      case '@cursor': return isCursor(value) ? { kind: 'cursor', cursor: value } : null;
      default: return null;
    }
  }

  #endOf(value: unknown): End {
    if (!isObject(value)) throw new SourceFailure('malformed', 'the last line is not what was agreed');
    const { returned, next_cursor: next, total, total_relation: relation, facets, warnings, partial } = value;
    if (typeof returned === 'number' && returned !== this.#rows) throw new SourceFailure('broken', `${this.#rows} rows came of ${returned}`);
    // What is neither a cursor nor nothing, such as the number of a page, is no end: the rows behind it would be missing without a word.
    const isLast = next === undefined || next === null || next === '' || next === false;
    if (!isLast && !isCursor(next)) throw new SourceFailure('malformed', `next_cursor is neither null nor a text of 1 to ${LIMITS.cursorCharactersMax} characters`);
    return {
      total: isCount(total) ? total : null,
      relation: relationOf(relation),
      partial: !WHOLE.has(partial),
      nextCursor: isLast ? null : next,
      facets: isObject(facets) ? facets : {},
      uncounted: Array.isArray(warnings) ? warnings.flatMap(uncountedBy) : [],
    };
  }
}

const LOST: ReadonlySet<unknown> = new Set(['partial', 'failed', 'skipped']);

/** What says that no row is missing. Anything else that stands there may say that some are, such as `"true"` or a reason. */
const WHOLE: ReadonlySet<unknown> = new Set([undefined, null, false, 'false', 0, '']);

/** As `federation/outcome` words it. */
function uncountedBy(warning: unknown): string[] {
  return typeof warning === 'string' ? / did not count the facets? (.+): /.exec(warning)?.[1]!.split(', ') ?? [] : [];
}

const RELATIONS: readonly TotalRelation[] = ['eq', 'gte', 'lte', 'approx'];

/** Where nothing is said the total is what matches; of what is said in words that nobody here knows, one thing is sure: it is not just that. */
function relationOf(said: unknown): TotalRelation {
  if (said === undefined || said === null) return 'eq';
  return RELATIONS.find((known) => known === said) ?? 'approx';
}

const BY_ERROR: Readonly<Record<string, FailureCode>> = {
  rate_limited: 'overloaded', overloaded: 'overloaded', starting: 'overloaded', shutting_down: 'overloaded', store_unavailable: 'overloaded',
  sources_unreachable: 'unreachable', internal: 'broken', loop_detected: 'looped',
};

function saidError(value: unknown): SourceFailure {
  const { error, detail } = isObject(value) ? value : { error: undefined, detail: undefined };
  const code = typeof error === 'string' && Object.hasOwn(BY_ERROR, error) ? BY_ERROR[error]! : 'refused';
  return new SourceFailure(code, `${told(error)}: ${told(detail)}`.slice(0, LIMITS.httpFailureBytesMax));
}

/** Whatever it is: an object may have a member of its own where it would be turned to a text. */
function told(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value) ?? 'nothing';
}

/** Without the mark that some programs begin a text with, and JSON does not know. */
function parse(line: string): JsonObject | null {
  const text = line.trim();
  if (!text.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isCursor(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LIMITS.cursorCharactersMax;
}
