import { NumberList } from '../lib/number_list.ts';
import { Matcher } from './matcher.ts';
import type { Reading } from './reading.ts';
import { windowEnd } from './windows.ts';

/** The numbers of all rows that match, ascending: for what is asked rarely or has few answers. */
export function matchingRows(reading: Omit<Reading, 'part'>): Uint32Array {
  const matcher = new Matcher(reading);
  const rows = new NumberList();
  for (const [start, end] of reading.ranges) {
    for (let from = start; from < end;) {
      const to = windowEnd(from, end, matcher.windowRowsMax);
      const { list, count } = matcher.rows(from, to);
      rows.append(list.subarray(0, count));
      from = to;
    }
  }
  return rows.view().slice();
}
