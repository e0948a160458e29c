import { LIMITS } from '../../config/limits.ts';
import { SourceFailure, type FailureCode } from '../source.ts';

/** The engine begins its messages with the class of what befell it. Whatever is not here is a statement it would not run. */
const BY_CLASS: readonly (readonly [begins: string, code: FailureCode])[] = [
  ['INTERRUPT', 'broken'], ['IO', 'broken'], ['Out of Memory', 'overloaded'], ['Invalid', 'malformed'], ['Conversion', 'malformed'], ['Serialization', 'malformed'],
  ['TProtocol', 'malformed'], ['Corrupt', 'malformed'], ['INTERNAL', 'broken'], ['FATAL', 'broken'],
];

/** What the engine said, sorted. The message may hold paths and pieces of rows: it is for the operator, and not as it stands. */
export function failureOf(error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  const [, code] = BY_CLASS.find(([begins]) => message.startsWith(begins)) ?? [];
  return new SourceFailure(code ?? 'refused', message.slice(0, LIMITS.foreignFailureCharactersMax));
}
