import type { Term } from '../../model/query.ts';
import { exact, exactWherePlain, not, type Bounds } from './bounds.ts';
import type { Reading } from './columns.ts';
import { GAP, type Sql } from './dialect.ts';

const PLAIN_WORDS = /^[a-z0-9]+$/;

/** Words in the searchable fields, folded and joined to one text. */
export function termBounds({ kind, words, negated }: Term, { dialect, columns, bind }: Reading): Bounds {
  const { searchable, fields } = columns.vocabulary;
  const having = fields.filter(({ name }) => searchable.includes(name) && columns.has(name));
  if (having.length === 0) return exact(negated ? dialect.yes : dialect.no);
  const values = (lists: boolean) => having.filter(({ type }) => (type === 'strings') === lists).map(({ name }) => columns.value(name));
  const folded = dialect.searched(values(false), values(true));
  const plain = dialect.isPlainSearched(folded);
  const isPlain = words.every((word) => PLAIN_WORDS.test(word));
  const finds = (between: string): Sql => (isPlain ? dialect.finds(folded, patternOf(kind, words, between), bind) : dialect.no);
  // A phrase may not go across two fields; a text that holds the gap itself looks like two.
  const found = words.length === 1
    ? exactWherePlain(dialect, folded, finds(''), plain)
    : { sure: exactWherePlain(dialect, folded, finds(`[^a-z0-9${GAP}]+`), plain).sure, maybe: exactWherePlain(dialect, folded, finds('[^a-z0-9]+'), plain).maybe };
  return negated ? not(dialect, found) : found;
}

/** Of plain words in plain texts: a word ends where no letter or digit follows. */
function patternOf(kind: Term['kind'], words: readonly string[], between: string): string {
  return `(^|[^a-z0-9])${words.join(between)}${kind === 'prefix' ? '' : '($|[^a-z0-9])'}`;
}
