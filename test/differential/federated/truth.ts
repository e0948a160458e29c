import type { Row } from '../../../src/model/field.ts';

/**
 * What a search means, written from the contract and from nothing of the service: slow, and a few dozen lines. `Asked` is a body whose values are
 * given as the contract spells them.
 */
export type Terms = { readonly include?: readonly string[]; readonly exclude?: readonly string[] };
export type Range = { readonly min?: string; readonly max?: string };
export type Asked = {
  readonly type: 'contacts'; readonly query?: string; readonly filters?: Readonly<Record<string, Terms | Range | readonly string[]>>; readonly dedupe?: boolean;
  readonly sources?: { readonly only: readonly string[] }; readonly facets?: readonly string[]; readonly fields?: readonly string[]; readonly count?: 'exact' | 'none';
};

export const SEARCHABLE = ['full_name', 'job_title', 'company_name', 'city', 'skills'];
const LOWER = new Set(['id', 'email', 'email_domain', 'company_domain', 'linkedin_url']);
const SPELT: Readonly<Record<string, string>> = { ł: 'l', ø: 'o', đ: 'd', ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ı: 'i' };

export function folded(text: string): string {
  const bare = text.normalize('NFKD').replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1').toLowerCase();
  return bare.replace(/[łøđßæœþı]/g, (letter) => SPELT[letter]!).trim();
}

function textsOf(row: Row, name: string): string[] {
  const value = row[name === 'email_domain' ? 'email' : name];
  const texts = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  return texts.map((text) => (name === 'email_domain' ? text.slice(text.lastIndexOf('@') + 1) : text)).filter((text) => text.trim() !== '');
}

/** What is one value to a filter. */
export function formOf(name: string, text: string): string {
  if (name === 'country') return text.trim().toUpperCase().replace(/^UK$/, 'GB');
  return LOWER.has(name) ? text.trim().toLowerCase() : folded(text);
}

function passes(row: Row, name: string, asked: Terms | Range | readonly string[]): boolean {
  if (name.startsWith('has_')) {
    const isThere = row[{ has_email: 'email', has_phone: 'phone', has_linkedin: 'linkedin_url' }[name]!] !== null;
    return (asked as readonly string[]).includes(String(isThere));
  }
  if (name === 'updated_at') {
    const { min, max } = asked as Range;
    const at = row.updated_at === null ? null : Date.parse(String(row.updated_at));
    return at !== null && (min === undefined || at >= Date.parse(min)) && (max === undefined || at <= Date.parse(max));
  }
  const { include, exclude } = (Array.isArray(asked) ? { include: asked } : asked) as Terms;
  const held = new Set(textsOf(row, name).map((text) => formOf(name, text)));
  const among = (values: readonly string[]): boolean => values.some((value) => held.has(formOf(name, value)));
  return (include === undefined || among(include)) && (exclude === undefined || !among(exclude));
}

export const wordsOf = (text: string): string[] => folded(text).match(/[\p{L}\p{Nd}\p{M}]+/gu) ?? [];

function speaks(row: Row, query: string): boolean {
  const fields = SEARCHABLE.flatMap((field) => textsOf(row, field)).map(wordsOf);
  const terms = query.match(/-?(?:"[^"]*"|\S+)/g) ?? [];
  return terms.every((term) => {
    const isNegated = term.startsWith('-');
    const text = isNegated ? term.slice(1) : term;
    const words = wordsOf(text);
    const isPrefix = text.endsWith('*');
    const found = text.startsWith('"')
      ? fields.some((field) => field.some((_, at) => words.every((word, next) => field[at + next] === word)))
      : words.every((word) => fields.some((field) => field.some((one) => (isPrefix ? one.startsWith(word) : one === word))));
    return found !== isNegated;
  });
}

export function matching(rows: readonly Row[], { filters = {}, query }: Asked): Row[] {
  return rows.filter((row) => Object.entries(filters).every(([name, asked]) => passes(row, name, asked)) && (query === undefined || speaks(row, query)));
}

const lowerAscii = (text: Row[string]): string => String(text).replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Class, then key: rows of one identity are side by side, in the order of both. */
export function identityOf(row: Row): readonly [keyClass: number, key: string] {
  if (row.email !== null) return [0, lowerAscii(row.email)];
  return row.linkedin_url === null ? [2, String(row.id)] : [1, lowerAscii(row.linkedin_url)];
}

/** A row of the answer: the owner's, and for each field that it lacks the values that the next source with one has. */
export type Merged = { readonly row: Row; readonly sources: readonly string[]; readonly fills: Readonly<Record<string, readonly Row[string][]>> };

/** `bySource`: the matches of every source, in the order of precedence. */
export function merged(bySource: ReadonlyMap<string, readonly Row[]>): Merged[] {
  const groups = new Map<string, Map<string, Row[]>>();
  for (const [source, rows] of bySource) {
    for (const row of rows) {
      const key = identityOf(row).join(' ');
      const group = groups.get(key) ?? new Map<string, Row[]>();
      groups.set(key, group.set(source, [...group.get(source) ?? [], row]));
    }
  }
  return [...groups.values()].flatMap((group) => {
    const [owner, ...others] = [...group.values()];
    return owner!.map((row): Merged => ({
      row, sources: [...group.keys()],
      fills: Object.fromEntries(Object.keys(row).filter((name) => row[name] === null).map((name) => [name, fillOf(others, name)])),
    }));
  });
}

/** Of several rows of the next source any may lend. */
function fillOf(others: readonly (readonly Row[])[], name: string): Row[string][] {
  const donor = others.map((rows) => rows.map((row) => row[name] ?? null).filter((value) => value !== null)).find((values) => values.length > 0);
  return donor ?? [null];
}

/** How many rows have each value of a facet. */
export function facetOf(rows: readonly Row[], name: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const values = name.startsWith('has_') ? [String(!passes(row, name, ['false']))]
      : name === 'updated_at' ? [row.updated_at].flatMap((at) => (at === null ? [] : [String(at)]))
      : textsOf(row, name).map((text) => formOf(name, text));
    for (const value of new Set(values)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
