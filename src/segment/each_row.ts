import { ARRAY, BITMAP, BLOCK_ROWS, BLOCK_WORDS } from './layout.ts';
import type { RowList } from './postings.ts';

/** Visits the rows of a list in their order. */
export function eachRow(list: RowList, visit: (row: number) => void): void {
  if (list.form === 'rows') {
    for (const row of list.rows) visit(row);
    return;
  }
  const { containers } = list;
  for (let at = 0; at < containers.length; at += 1) {
    const base = containers.block(at) * BLOCK_ROWS;
    const form = containers.form(at);
    const start = form === BITMAP ? containers.bitsAt(at) : containers.halvesAt(at);
    if (form === ARRAY) for (const row of containers.halves.subarray(start, start + containers.size(at))) visit(base + row);
    else if (form === BITMAP) eachBit(containers.bits.subarray(start, start + BLOCK_WORDS), base, visit);
    else for (let row = 0; row < containers.size(at); row += 1) visit(base + row);
  }
}

function eachBit(words: Int32Array, base: number, visit: (row: number) => void): void {
  for (let word = 0; word < words.length; word += 1) {
    for (let bits = words[word]!; bits !== 0; bits &= bits - 1) visit(base + word * 32 + 31 - Math.clz32(bits & -bits));
  }
}
