import type { Field } from '../../model/field.ts';
import type { Term } from '../../model/query.ts';
import { any, behind, exact, exactWherePlain, not, pushing, type Bounds } from './bounds.ts';
import type { Reading } from './columns.ts';
import { GAP, type Sql } from './dialect.ts';

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
  const sieves = fields.map(({ name }) => reading.columns.sieve?.(name, [longest]) ?? null);
  const found = any(reading.dialect, fields.map((field, at) => {
    const bounds = textBounds(term, [field], reading);
    const sieve = sieves[at]!;
    return sieve === null ? bounds : behind(sieve.before, bounds);
  }));
  const pushed = sieves.flatMap((sieve) => sieve?.pushed ?? []);
  return pushed.length < fields.length ? found : pushing(`(${pushed.join(' OR ')})`, found);
}

/** Of fields that are joined to one text. */
function textBounds({ kind, words }: Term, fields: readonly Field[], { dialect, columns, bind }: Reading): Bounds {
  const values = (lists: boolean) => fields.filter(({ type }) => (type === 'strings') === lists).map(({ name }) => columns.untrimmed?.(name) ?? columns.value(name));
  const folded = dialect.searched(values(false), values(true));
  const plain = dialect.isPlainSearched(folded);
  const isPlain = words.every((word) => PLAIN_WORDS.test(word));
  // A phrase may not go across two fields; a text that holds the gap itself looks like two.
  const strict = isPlain ? patternOf(kind, words, `[^a-z0-9${GAP}]+`) : null;
  const loose = isPlain ? patternOf(kind, words, '[^a-z0-9]+') : null;
  const finds = (pattern: string | null): Sql => (pattern === null ? dialect.no : dialect.finds(folded, pattern, bind));
  const { sure } = exactWherePlain(dialect, folded, finds(strict), plain);
  if (dialect.odd === null) return { sure, maybe: exactWherePlain(dialect, folded, finds(loose), plain).maybe };
  // One look at the text instead of two.
  return { sure, maybe: finds(loose === null ? dialect.odd : `${loose}|${dialect.odd}`) };
}

/** Of plain words in plain texts: a word ends where no letter or digit follows. */
function patternOf(kind: Term['kind'], words: readonly string[], between: string): string {
  return `(^|[^a-z0-9])${words.join(between)}${kind === 'prefix' ? '' : '($|[^a-z0-9])'}`;
}
