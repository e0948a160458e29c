import { LIMITS } from '../config/limits.ts';
import { words as wordsOf } from '../lib/fold.ts';
import { lowerBound } from '../lib/search.ts';
import type { Term } from '../model/query.ts';
import { readRow, type Segment } from '../segment/reader.ts';
import { siftPart, type Leaf } from './leaf.ts';
import { holdsPhrase, wordsOfRow } from './matches.ts';
import { matchingRows } from './matching_rows.ts';
import type { Clause, RowClause } from './reading.ts';
import type { Span } from './span.ts';
import { anyOfLists, type PostingLists } from './union.ts';

/** What a term asks of a segment; null where it can match no row. */
type TermReading = { readonly clauses: readonly Clause[]; readonly rowClauses: readonly RowClause[] } | null;

const ANY: TermReading = { clauses: [], rowClauses: [] };

export function readTerm(segment: Segment, term: Term, span: Span): TermReading {
  switch (term.kind) {
    case 'word': return readWord(segment, term);
    case 'prefix': return readPrefix(segment, term, span);
    case 'phrase': return readPhrase(segment, term, span);
    default: return term.kind satisfies never;
  }
}

function readWord({ words }: Segment, { words: [word], negated }: Term): TermReading {
  const code = words.dictionary.find(word!);
  return readClause({ negated, leaves: code < 0 ? [] : [words.rows.open(code)], disjoint: true, coded: null });
}

function readPrefix({ words }: Segment, { words: [prefix], negated }: Term, span: Span): TermReading {
  const [from, to] = words.dictionary.prefixed(prefix!);
  const lists = Uint32Array.from({ length: to - from }, (_, at) => from + at);
  return readClause(anyOfLists([{ postings: words.rows, lists }], { span, negated, disjoint: false, coded: null }));
}

function readClause(clause: Clause): TermReading {
  if (clause.leaves.length === 0) return clause.negated ? ANY : null;
  return { clauses: [clause], rowClauses: [] };
}

/**
 * A common pair of words has a list of its rows. Else rows with the phrase in a held value are known without reading a row, and of the
 * rest only rows whose loose texts have all the words can hold it: few of them are read now, many as the scan comes to them.
 */
function readPhrase(segment: Segment, { words: phrase, negated }: Term, span: Span): TermReading {
  const codes = phrase.map((word) => segment.words.dictionary.find(word));
  if (codes.includes(-1)) return negated ? ANY : null;
  const pairs = codes.slice(1).map((code, at) => segment.words.pairs.find(codes[at]!, code));
  const listed = pairs.length === 1 && pairs[0] !== -1 ? segment.words.pairs.rowsOf(pairs[0]!) : null;
  if (listed !== null) return readClause({ negated, leaves: [listed], disjoint: true, coded: null });
  const sure = heldClause(segment, phrase, pairs, span);
  const maybe = looseCandidates(segment, codes, sure, span);
  const test = (row: number): boolean => wordsOfRow(readRow(segment, row), segment.meta.looseFields).some((text) => holdsPhrase(phrase, text));
  if (maybe.length <= LIMITS.phraseRowsMax) {
    const verified = maybe.filter(test);
    return readClause({ ...sure, negated, leaves: verified.length === 0 ? sure.leaves : [...sure.leaves, { form: 'rows', rows: verified }] });
  }
  const among: Leaf = { form: 'rows', rows: maybe };
  const certain = readClause({ ...sure, negated, leaves: negated ? sure.leaves : [...sure.leaves, among] });
  return certain && { clauses: certain.clauses, rowClauses: [{ among, wanted: !negated, test }] };
}

/** The rows of every held value that contains the phrase: of a pair all that have it, of more words those that hold all the pairs as they stand. */
function heldClause({ words }: Segment, phrase: readonly string[], pairs: readonly number[], span: Span): Clause {
  const held: PostingLists[] = [];
  const values = pairs.includes(-1) ? new Uint32Array() : intersect(pairs.map((pair) => words.pairs.valuesOf(pair)));
  let disjoint = true;
  let at = 0;
  for (const { source, keys, rows, single } of words.phrases) {
    const end = lowerBound(values, source.base + source.size, at);
    const codes = values.subarray(at, end).map((value) => value - source.base);
    const lists = pairs.length === 1 ? codes : codes.filter((code) => holdsPhrase(phrase, wordsOf(keys.text(code))));
    if (lists.length > 0) {
      disjoint = held.length === 0 && single;
      held.push({ postings: rows, lists });
    }
    at = end;
  }
  return anyOfLists(held, { span, negated: false, disjoint, coded: null });
}

/** The items that stand in all of the ascending lists. */
function intersect(lists: readonly Uint32Array[]): Uint32Array {
  const [shortest, ...others] = lists.toSorted((a, b) => a.length - b.length);
  const kept = shortest!.slice();
  const count = others.reduce((left, other) => siftPart({ form: 'rows', items: other, first: 0, last: other.length }, true, kept, left), kept.length);
  return kept.subarray(0, count);
}

/** The rows that may have every word of the phrase in a loose text, less those that hold it for sure. */
function looseCandidates({ words }: Segment, codes: readonly number[], sure: Clause, { from, to }: Span): Uint32Array {
  const clauses: Clause[] = [{ ...sure, negated: true }];
  for (const code of new Set(codes)) {
    const rows = words.looseRows(code);
    if (rows === null) return new Uint32Array();
    clauses.push({ negated: false, leaves: [rows], disjoint: true, coded: null });
  }
  return matchingRows({ ranges: [[from, to]], clauses, numbers: [], rowClauses: [] });
}
