import { LIMITS } from '../../config/limits.ts';
import { SourceFailure, type FailureCode } from '../source.ts';

/** https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp; whatever is not here is a statement it would not run. */
const BY_CODE: Readonly<Record<string, FailureCode>> = {
  // A server behind the one that was asked: its connection was lost, or never came about.
  32: 'broken', 33: 'broken', 102: 'broken', 198: 'unreachable', 279: 'unreachable',
  159: 'broken', 160: 'broken', 201: 'overloaded', 202: 'overloaded', 203: 'overloaded', 209: 'broken', 210: 'broken', 241: 'overloaded', 242: 'overloaded',
  394: 'broken', 395: 'broken', 425: 'broken', 439: 'overloaded',
};
const NAMED = /Code: (\d+)[.,]/;

/** What the server says in place of an answer, or amid one. */
export function saidFailure(text: string): SourceFailure {
  const [, code = ''] = NAMED.exec(text) ?? [];
  return new SourceFailure(code === '' ? 'broken' : BY_CODE[code] ?? 'refused', text.slice(0, LIMITS.foreignFailureCharactersMax));
}
