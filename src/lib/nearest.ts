/** The candidate that a mistyped name most likely meant: at most a third of its letters away, else null. Cost: letters squared a candidate. */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  const wanted = name.slice(0, LETTERS_MAX).toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** ` (did you mean X?)`, or nothing. */
export function suggestion(name: string, candidates: Iterable<string>): string {
  const meant = likely(name, candidates);
  return meant === null ? '' : ` (did you mean ${meant}?)`;
}

/** The nearest, else one of the same words. */
export function likely(name: string, candidates: Iterable<string>): string | null {
  // What is given may be read but once.
  const known = [...candidates];
  return nearest(name, known) ?? sharing(name.slice(0, LETTERS_MAX).toLowerCase(), known);
}

const LETTERS_MAX = 64;

/** The first whose words hold all of the name's, or are all held by them: `title` and `job_title`, `company_size` and `size`. Not for what people call things: no word of `U.S.` is its own. */
function sharing(wanted: string, candidates: readonly string[]): string | null {
  const asked = wordsOf(wanted);
  for (const candidate of candidates) {
    const known = wordsOf(candidate.toLowerCase());
    const [few, many] = asked.length < known.length ? [asked, known] : [known, asked];
    if (few.length > 0 && few.every((word) => many.includes(word))) return candidate;
  }
  return null;
}

function wordsOf(name: string): string[] {
  return name.split(/[^a-z0-9]+/).filter((word) => word !== '');
}

/** Insertions, deletions, replacements, and neighbours that changed places. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(above[column]! + 1, line[column - 1]! + 1, above[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, before[column - 2]! + 1);
      line.push(cost);
    }
    before = above;
    above = line;
  }
  return above[b.length]!;
}
