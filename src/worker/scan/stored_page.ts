import { joinedRanges } from '../../filter/reading.ts';
import { windowEnd } from '../../filter/windows.ts';
import { NumberList } from '../../lib/number_list.ts';
import type { Page, PageInput } from './page.ts';

/** Rows of the first window: a page of a broad search ends within it. */
const FIRST_WINDOW = 2_048;

const SHARED_ROWS = 65_536;
// Shared by all pages of a thread that fit: the rows of one leave it before another is begun, and memory outside of the heap is dear to make.
const SHARED = new NumberList(SHARED_ROWS);

function listFor(rowsMax: number): NumberList {
  if (rowsMax >= SHARED_ROWS) return new NumberList();
  SHARED.length = 0;
  return SHARED;
}

/**
 * Rows by number: valid until the next page, but for how many they are. It looks for one row more than it gives, so that the last page says
 * `end`. The first look for what struck is the caller's.
 */
export function storedPage({ segment: { table, spread, rows: rowsTotal }, reading, matcher, request, interrupt }: PageInput): Page {
  const { rowsMax, bytesMax } = request;
  const rows = listFor(rowsMax);
  let bytes = 0;
  let full = rowsMax === 0;
  let { after } = request;
  const bytesOf = (first: number, end: number): number => spread * (table.start(end) - table.start(first));
  if (full) return { rows: rows.view(), stop: 'full', after };
  let windowRows = FIRST_WINDOW;
  for (const [start, end] of joinedRanges(reading)) {
    for (let from = Math.max(start, request.after + 1); from < end;) {
      const stop = windowRows === FIRST_WINDOW ? null : interrupt.struck() ?? (after > request.after && interrupt.spent() ? 'full' : null);
      if (stop !== null) return { rows: rows.view(), stop: full ? 'full' : stop, after };
      const to = windowEnd(from, end, Math.min(windowRows, matcher.windowRowsMax));
      const { list, count } = matcher.rows(from, to, rowsMax + 1 - rows.length);
      if (count === to - from && rows.length + count < rowsMax && bytes + bytesOf(from, to) < bytesMax) {
        rows.append(list.subarray(0, count));
        bytes += bytesOf(from, to);
      } else {
        for (let at = 0; at < count; at++) {
          if (full) return { rows: rows.view(), stop: 'full', after };
          const row = list[at]!;
          rows.push(row);
          bytes += bytesOf(row, row + 1);
          full = rows.length === rowsMax || bytes >= bytesMax;
          after = row;
        }
      }
      if (!full) after = to - 1;
      from = to;
      windowRows *= 2;
    }
  }
  return { rows: rows.view(), stop: 'end', after: full ? after : Math.max(after, rowsTotal - 1) };
}
