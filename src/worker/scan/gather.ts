import { LIMITS } from '../../config/limits.ts';
import { identityOf } from '../../model/identity.ts';
import { unpackKey } from '../../segment/layout.ts';
import { readRow, type Segment } from '../../segment/reader.ts';
import { ownText } from './compact_text.ts';
import type { Page } from './page.ts';

/** Rows as they leave the thread: see `ScanReply`. */
type Gathered = { readonly table: Float64Array; readonly bytes: Uint8Array | null };

/** `ranked`: in the order of identity, which each row tells. */
type GatherInput = { readonly segment: Segment; readonly page: Page; readonly copy: boolean; readonly ranked: boolean };

/**
 * Lays out the rows of a page. Where they are copied, neighbours are copied in one go. A key that does not stand in its row as it is
 * compared is written behind the rows, which then must be copied.
 */
export function gather(input: GatherInput): Gathered {
  const { segment, page: { rows }, copy, ranked } = input;
  const odd = ranked ? oddKeys(segment, rows) : new Map<number, Buffer>();
  const copies = copy || segment.bytes.resident === null || odd.size > 0;
  if (segment.stencils !== null && (copies || ranked)) return gatherCompact(input, odd);
  if (rows.length === 0) return { table: new Float64Array(), bytes: copies ? new Uint8Array() : null };
  if (isRun(input)) return gatherRun(segment, rows, copies);
  const runs = copies ? runsOf(segment, rows) : [];
  const keysAt = runs.length === 0 ? 0 : endOf(runs.at(-1)!);
  const bytes = copies ? copyRuns(segment, runs, odd, keysAt) : null;
  if (bytes === null) touch(segment, rows);
  return { table: tableOf(input, runs, odd, keysAt), bytes };
}

/** The text of compact rows, which those who left them where they are make themselves. */
function gatherCompact(input: GatherInput, odd: ReadonlyMap<number, Buffer>): Gathered {
  const { segment, page: { rows }, ranked } = input;
  if (rows.length === 0) return { table: new Float64Array(), bytes: new Uint8Array() };
  const ends = isRun(input) ? null : new Float64Array(rows.length);
  const { bytes, length } = ownText(segment, { rows, ends, behind: [...odd.values()] });
  if (ends === null) return { table: Float64Array.of(0, length - 1, rows[0]!), bytes };
  const table = new Float64Array(rows.length * (ranked ? 6 : 3));
  for (let at = 0; at < rows.length; at++) {
    table[at] = at === 0 ? 0 : ends[at - 1]!;
    table[rows.length + at] = ends[at]! - 1;
  }
  return { table: withMarks(input, table, odd, length), bytes };
}

/** Whether the rows lie one behind the other, by ascending marks. */
function isRun({ page: { rows }, ranked }: GatherInput): boolean {
  return !ranked && rows[0]! + rows.length - 1 === rows.at(-1);
}

/** Rows that lie one behind the other need no line each in the table. */
function gatherRun({ table, bytes }: Segment, rows: Uint32Array, copies: boolean): Gathered {
  const first = rows[0]!;
  const [start, end] = [table.start(first), table.end(rows.at(-1)!)];
  if (!copies) {
    touchPages(bytes.resident!, start, end, -1);
    return { table: Float64Array.of(start, ...partEnds(table, rows), end, first), bytes: null };
  }
  const own = Buffer.allocUnsafeSlow(end + 1 - start);
  bytes.read(start, end + 1, own, 0);
  return { table: Float64Array.of(0, end - start, first), bytes: own };
}

/** Where the rows end behind which such rows may be parted, but for the last. */
function* partEnds(table: Segment['table'], rows: Uint32Array): Generator<number> {
  for (let at = LIMITS.runPartRows; at < rows.length; at += LIMITS.runPartRows) yield table.end(rows[at - 1]!);
}

const PAGE_BYTES = 4_096;
/** Written so that no compiler takes the reads away. */
let touched = 0;

/**
 * Has the kernel bring mapped rows that are not in memory: here, where that holds up a scan, and not in the thread that answers. Each page
 * is touched once: a byte that no cache holds costs more than all else that is done for a row.
 */
function touch({ table, bytes: { resident } }: Segment, rows: Uint32Array): void {
  if (resident === null) return;
  let seen = -1;
  for (const row of rows) seen = touchPages(resident, table.start(row), table.end(row), seen);
}

/** Those of [start, end] but for the last that was touched; gives which that is now. */
function touchPages(resident: Uint8Array, start: number, end: number, seen: number): number {
  const first = Math.floor(start / PAGE_BYTES);
  const last = Math.floor(end / PAGE_BYTES);
  for (let page = first === seen ? first + 1 : first; page <= last; page++) touched ^= resident[page * PAGE_BYTES]!;
  return last;
}

/** Bytes [start, end) of the segment that hold the rows from `first` on, up to the next run's; copied to `at`. */
type Run = { readonly first: number; readonly start: number; end: number; readonly at: number };

function endOf({ start, end, at }: Run): number {
  return at + end - start;
}

function runsOf({ table, bytes }: Segment, rows: Uint32Array): Run[] {
  const gapMax = bytes.resident === null ? LIMITS.rowsGapBytesMax : 0;
  const runs: Run[] = [];
  for (let place = 0; place < rows.length; place++) {
    const start = table.start(rows[place]!);
    const end = table.start(rows[place]! + 1);
    const last = runs.at(-1);
    if (last !== undefined && start >= last.end && start - last.end <= gapMax) last.end = end;
    else runs.push({ first: place, start, end, at: last === undefined ? 0 : endOf(last) });
  }
  return runs;
}

function copyRuns({ bytes }: Segment, runs: readonly Run[], odd: ReadonlyMap<number, Buffer>, keysAt: number): Uint8Array {
  const size = [...odd.values()].reduce((sum, key) => sum + key.length, keysAt);
  // A buffer of its own, not of the pool: it is transferred.
  const out = Buffer.allocUnsafeSlow(size);
  for (const { start, end, at } of runs) bytes.read(start, end, out, at);
  let at = keysAt;
  for (const key of odd.values()) at += key.copy(out, at);
  return out;
}

function tableOf(input: GatherInput, runs: readonly Run[], odd: ReadonlyMap<number, Buffer>, keysAt: number): Float64Array {
  const { segment, page: { rows }, ranked } = input;
  const count = rows.length;
  const out = new Float64Array(count * (ranked ? 6 : 3));
  let run = -1;
  let shift = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at]!;
    if (runs[run + 1]?.first === at) {
      run++;
      shift = runs[run]!.at - runs[run]!.start;
    }
    out[at] = segment.table.start(row) + shift;
    out[count + at] = segment.table.end(row) + shift;
  }
  return withMarks(input, out, odd, keysAt);
}

/** A table of where rows begin and end, with what else it tells of them. */
function withMarks({ segment, page: { rows }, ranked }: GatherInput, out: Float64Array, odd: ReadonlyMap<number, Buffer>, keysAt: number): Float64Array {
  const count = rows.length;
  let keyAt = keysAt;
  for (let at = 0; at < count; at++) {
    const row = rows[at]!;
    out[2 * count + at] = ranked ? segment.ranks[row]! : row;
    if (ranked) keyAt = putIdentity(out, { at, count }, { packed: segment.keys[row]!, start: out[at]!, odd: odd.get(row), keyAt });
  }
  return out;
}

type Key = { readonly packed: number; readonly start: number; readonly odd: Buffer | undefined; readonly keyAt: number };

/** Gives where the next odd key stands. */
function putIdentity(out: Float64Array, { at, count }: { readonly at: number; readonly count: number }, { packed, start, odd, keyAt }: Key): number {
  const key = unpackKey(packed);
  const keyStart = odd === undefined ? start + key.offset : keyAt;
  const length = odd?.length ?? key.length;
  out[3 * count + at] = key.keyClass;
  out[4 * count + at] = keyStart;
  out[5 * count + at] = keyStart + length;
  return odd === undefined ? keyAt : keyAt + length;
}

/** The keys that their rows do not hold as they are compared, by row in the order of the rows. */
function oddKeys(segment: Segment, rows: Uint32Array): Map<number, Buffer> {
  const odd = new Map<number, Buffer>();
  for (const row of rows) {
    if (unpackKey(segment.keys[row]!).length === 0) odd.set(row, Buffer.from(identityOf(segment.meta.dataset, readRow(segment, row)).key));
  }
  return odd;
}
