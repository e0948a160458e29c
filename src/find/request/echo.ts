import { LIMITS } from '../../config/limits.ts';

const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** The one offending name of a request as an answer may repeat it: quoted, printable, short. */
export function echoed(name: string): string {
  const printable = name.slice(0, LIMITS.echoedNameCharactersMax).replace(UNPRINTABLE, '?');
  return `"${printable}${name.length > LIMITS.echoedNameCharactersMax ? '...' : ''}"`;
}
