import type { Field } from '../../model/field.ts';
import type { Term } from '../../model/query.ts';
import { any, behind, exact, exactWherePlain, not, pushing, type Bounds } from './bounds.ts';
import type { Reading } from './columns.ts';
import { GAP, type Sql } from './dialect.ts';
import { sieveOf } from './sieve.ts';

const PLAIN_WORDS = /^[a-z0-9]+$/;

/** Words in the searchable fields, folded. */
export function termBounds(term: Term, reading: Reading): Bounds {
  const { dialect, columns } = reading;
  const { searchable, fields } = columns.vocabulary;
  const having = fields.filter(({ name }) => searchable.includes(name) && columns.has(name));
  if (having.length === 0) return exact(term.negated ? dialect.yes : dialect.no);
  const found = dialect.searchesApart ? apart(term, having, reading) : textBounds(term, having, reading);
  return term.negated ? not(dialect, found) : found;
}

/** Each field by itself: few of them hold the longest word. */
function apart(term: Term, fields: readonly Field[], reading: Reading): Bounds {
  const longest = term.words.toSorted((a, b) => b.length - a.length)[0]!;
  const sieves = fields.map(({ name }) => sieveOf(name, [longest], reading));
  const found = any(reading.dialect, fields.map((field, at) => {
    const bounds = textBounds(term, [field], reading);
    const sieve = sieves[at]!;
    return sieve === null ? bounds : behind(sieve.before, bounds);
  }));
  const pushed = sieves.flatMap((sieve) => sieve?.pushed ?? []);
  return reading.dialect.sieving?.isPushed !== true || pushed.length < fields.length ? found : pushing(`(${pushed.join(' OR ')})`, found);
}

/** Of fields that are joined to one text. */
function textBounds({ kind, words }: Term, fields: readonly Field[], { dialect, columns, bind }: Reading): Bounds {
  const texts = fields.map(({ name }) => columns.searched?.(name) ?? columns.value(name));
  const isList = ({ name, type }: Field): boolean => type === 'strings' && (columns.searched?.(name) ?? null) === null;
  const folded = dialect.searched(texts.filter((_, at) => !isList(fields[at]!)), texts.filter((_, at) => isList(fields[at]!)));
  const plain = dialect.isPlainSearched(folded);
  if (!words.every((word) => PLAIN_WORDS.test(word))) return { sure: dialect.no, maybe: `(NOT ${plain})` };
  const finds = (pattern: string): Sql => dialect.finds(folded, pattern, bind);
  // A phrase may not go across two fields; a text that holds the gap itself looks like two.
  const strict = patternOf(kind, words, `[^a-z0-9${GAP}]+`);
  const loose = patternOf(kind, words, '[^a-z0-9]+');
  return {
    // In this order: most texts do not match, and each mention of one makes it anew.
    sure: `(${finds(strict)} AND ${plain})`,
    maybe: dialect.odd === null ? exactWherePlain(dialect, folded, finds(loose), plain).maybe : finds(`${loose}|${dialect.odd}`),
  };
}

/** Of plain words in plain texts: a word ends where no letter or digit follows. */
function patternOf(kind: Term['kind'], words: readonly string[], between: string): string {
  return `(^|[^a-z0-9])${words.join(between)}${kind === 'prefix' ? '' : '($|[^a-z0-9])'}`;
}
