import { LIMITS } from '../config/limits.ts';
import { words as wordsOf } from '../lib/fold.ts';
import type { Term } from '../model/query.ts';
import { readRow, type Segment } from '../segment/reader.ts';
import { siftPart, type Leaf } from './leaf.ts';
import { holdsPhrase, wordsOfRow } from './matches.ts';
import { matchingRows } from './matching_rows.ts';
import type { Clause, RowClause } from './reading.ts';
import { anyOf } from './union.ts';

/** What a term asks of a segment; null where it can match no row. */
export type TermReading = { readonly clauses: readonly Clause[]; readonly rowClauses: readonly RowClause[] } | null;

export function readTerm(segment: Segment, term: Term): TermReading {
  switch (term.kind) {
    case 'word': return readLeaves(segment, leavesOfWord(segment, term.words[0]!), term.negated);
    case 'prefix': return readLeaves(segment, leavesOfPrefix(segment, term.words[0]!), term.negated);
    case 'phrase': return readPhrase(segment, term);
    default: return term.kind satisfies never;
  }
}

function readLeaves({ rows }: Segment, leaves: readonly Leaf[], negated: boolean): TermReading {
  if (leaves.length === 0) return negated ? { clauses: [], rowClauses: [] } : null;
  return { clauses: [anyOf(leaves, { rows, negated, disjoint: false })], rowClauses: [] };
}

function leavesOfWord({ words }: Segment, word: string): Leaf[] {
  const code = words.dictionary.find(word);
  return code < 0 ? [] : [words.held, words.loose].filter((postings) => postings.count(code) > 0).map((postings) => postings.open(code));
}

function leavesOfPrefix({ words }: Segment, prefix: string): Leaf[] {
  const [from, to] = words.dictionary.prefixed(prefix);
  const leaves: Leaf[] = [];
  for (let code = from; code < to; code++) {
    for (const postings of [words.held, words.loose]) if (postings.count(code) > 0) leaves.push(postings.open(code));
  }
  return leaves;
}

/**
 * Rows with the phrase in a held value are known without reading a row. Of the rest only rows whose loose texts have all the words
 * can hold it: few of them are read now, many as the scan comes to them.
 */
function readPhrase(segment: Segment, { words: phrase, negated }: Term): TermReading {
  const codes = phrase.map((word) => segment.words.dictionary.find(word));
  if (codes.includes(-1)) return negated ? { clauses: [], rowClauses: [] } : null;
  const sure = heldLeaves(segment, phrase, codes);
  const maybe = looseCandidates(segment, codes);
  const test = (row: number): boolean => wordsOfRow(readRow(segment, row), segment.meta.looseFields).some((text) => holdsPhrase(phrase, text));
  if (maybe.length <= LIMITS.phraseRowsMax) {
    const verified = maybe.filter(test);
    return readLeaves(segment, verified.length === 0 ? sure : [...sure, { form: 'rows', rows: verified }], negated);
  }
  const among: Leaf = { form: 'rows', rows: maybe };
  const unless = sure.length === 0 ? [] : anyOf(sure, { rows: segment.rows, negated: false, disjoint: false }).leaves;
  const certain = readLeaves(segment, negated ? sure : [...sure, among], negated);
  return certain && { clauses: certain.clauses, rowClauses: [{ among, unless, wanted: !negated, test }] };
}

/** The rows of every held value that contains the phrase. */
function heldLeaves({ words }: Segment, phrase: readonly string[], codes: readonly number[]): Leaf[] {
  const values = intersect(codes.map((code) => words.valuesOf(code)));
  const leaves: Leaf[] = [];
  let at = 0;
  for (const { source, keys, rows } of words.phrases) {
    for (; at < values.length && values[at]! < source.base + source.size; at++) {
      const code = values[at]! - source.base;
      if (holdsPhrase(phrase, wordsOf(keys.text(code)))) leaves.push(rows.open(code));
    }
  }
  return leaves;
}

/** The items that stand in all of the ascending lists. */
function intersect(lists: readonly Uint32Array[]): Uint32Array {
  const [shortest, ...others] = lists.toSorted((a, b) => a.length - b.length);
  const kept = shortest!.slice();
  const count = others.reduce((left, other) => siftPart({ form: 'rows', items: other, first: 0, last: other.length }, true, kept, left), kept.length);
  return kept.subarray(0, count);
}

/** The rows whose loose texts have every word of the phrase. */
function looseCandidates(segment: Segment, codes: readonly number[]): Uint32Array {
  const { loose } = segment.words;
  if (codes.some((code) => loose.count(code) === 0)) return new Uint32Array();
  const leaves = [...new Set(codes)].map((code) => loose.open(code));
  const clauses = leaves.map((leaf): Clause => ({ negated: false, leaves: [leaf], disjoint: true }));
  return matchingRows({ ranges: [[0, segment.rows]], clauses, numbers: [], rowClauses: [] });
}
