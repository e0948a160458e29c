import type { Lists } from './postings_writer.ts';

/**
 * Rows by list, from two passes over (list, row) pairs that come by ascending row: the first counts, the second fills.
 */
export function gatherLists(lists: number, eachPair: (visit: (list: number, row: number) => void) => void): Lists {
  const starts = new Uint32Array(lists + 1);
  eachPair((list) => { starts[list + 1]!++; });
  for (let list = 0; list < lists; list++) starts[list + 1]! += starts[list]!;
  const next = starts.slice(0, lists);
  const rows = new Uint32Array(starts[lists]!);
  eachPair((list, row) => { rows[next[list]!++] = row; });
  return { starts, rows };
}

/** Likewise of the lists that each row tells it is in, in any order and as often as it likes. */
export function gatherRows(lists: number, rows: number, eachOfRow: (row: number, visit: (list: number) => void) => void): Lists {
  const seen = new Uint32Array(lists);
  return gatherLists(lists, (visit) => {
    seen.fill(0);
    let row = 0;
    const once = (list: number): void => {
      if (seen[list] === row + 1) return;
      seen[list] = row + 1;
      visit(list, row);
    };
    for (; row < rows; row++) eachOfRow(row, once);
  });
}
