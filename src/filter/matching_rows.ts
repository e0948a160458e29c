import { NumberList } from '../lib/number_list.ts';
import { Matcher } from './matcher.ts';
import type { Reading } from './reading.ts';
import { eachWindow } from './windows.ts';

/** The numbers of all rows that match, ascending: for what is asked rarely or has few answers. */
export function matchingRows(reading: Omit<Reading, 'part'>): Uint32Array {
  const matcher = new Matcher(reading);
  const rows = new NumberList();
  eachWindow(reading.ranges, (from, to) => {
    const { list, count } = matcher.rows(from, to);
    rows.append(list.subarray(0, count));
  }, matcher.windowRowsMax);
  return rows.view().slice();
}
