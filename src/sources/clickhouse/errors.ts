import { LIMITS } from '../../config/limits.ts';
import { SourceFailure, type FailureCode } from '../source.ts';

/** https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp; whatever is not here is a statement it would not run. */
const BY_CODE: Readonly<Record<string, FailureCode>> = {
  // A server behind the one that was asked: its connection was lost, or never came about.
  32: 'broken', 33: 'broken', 102: 'broken', 198: 'unreachable', 279: 'unreachable',
  // Its user is unknown there, has another password, or may not come from here: a server that is set up anew, and no fault of the search.
  192: 'unreachable', 193: 'unreachable', 194: 'unreachable', 195: 'unreachable', 516: 'unreachable',
  159: 'broken', 160: 'broken', 173: 'overloaded', 201: 'overloaded', 202: 'overloaded', 203: 'overloaded', 209: 'broken', 210: 'broken', 241: 'overloaded', 242: 'overloaded', 243: 'overloaded',
  394: 'broken', 395: 'broken', 425: 'broken', 439: 'overloaded', 735: 'broken', 745: 'overloaded',
};
const NAMED = /Code: (\d+)[.,]/;
/** Said with 241 of the limit of one statement, which the same search meets each time; those of its user and of the server are shared with others. */
const OWN_MEMORY = /Memory limit \(for query\) exceeded|Query memory limit exceeded/;

/** What a proxy says that has no server to pass a statement on to; the server itself names a code whatever the status. */
const NO_SERVER: ReadonlySet<number> = new Set([502, 503]);

/** What the server says in place of an answer, or amid one. */
export function saidFailure(text: string, status = 200): SourceFailure {
  const [, code = ''] = NAMED.exec(text) ?? [];
  const message = text.slice(0, LIMITS.foreignFailureCharactersMax);
  if (code === '241' && OWN_MEMORY.test(text)) return new SourceFailure('refused', message);
  if (code !== '') return new SourceFailure(BY_CODE[code] ?? 'refused', message);
  return new SourceFailure(NO_SERVER.has(status) ? 'unreachable' : 'broken', status === 200 ? message : `HTTP ${status}: ${message}`);
}

/** What is asked is a view, or a table of which no column can be read before the others. */
export function saysNoPrewhere(error: unknown): boolean {
  return error instanceof SourceFailure && NAMED.exec(error.message)?.[1] === '182';
}
