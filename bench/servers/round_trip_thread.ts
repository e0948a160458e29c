import { statSync } from 'node:fs';
import { workerData, type MessagePort } from 'node:worker_threads';
import { openRowBytes, type RowBytes } from '../../src/segment/row_bytes.ts';
import { seeded } from '../support/figures.ts';
import { FarEnd, type TripMemory } from '../support/round_trip.ts';

/** Pages of so many rows, as long as the memory's pages are, of the bytes that stand in files. The first ping says that the thread is ready. */
export type CopyOrder = { readonly files: readonly string[]; readonly pageRows: number; readonly memory: TripMemory; readonly pings: MessagePort };

/** Of all places where a row may begin, those of one file are [from, to). */
type Extent = { readonly rows: RowBytes; readonly from: number; readonly to: number };

const SEED = 1;
const LINE_BYTES = 64;
const PAGE_BYTES = 4_096;

const { files, pageRows, memory, pings } = workerData as CopyOrder;
const rowBytes = Math.floor(memory.pageBytes / pageRows);
const extents = extentsOf();
const places = extents.at(-1)!.to;
const chance = seeded(SEED);
const found = Array.from({ length: pageRows }, () => extents[0]!);
const starts = new Float64Array(pageRows);
/** Written so that no compiler takes the reads away. */
let fetched = 0;

touchPages();
pings.postMessage(null);
const far = new FarEnd(memory, pings);
for (;;) {
  const page = far.next();
  draw();
  fetchLines();
  for (let row = 0; row < pageRows; row++) found[row]!.rows.read(starts[row]!, starts[row]! + rowBytes, page, row * rowBytes);
  far.done();
}

/** Mapped as the service maps them, and read where it would read them. */
function extentsOf(): Extent[] {
  let to = 0;
  const all = files.map((file): Extent => {
    const bytes = statSync(file).size;
    const from = to;
    to += Math.max(0, bytes - rowBytes);
    return { rows: openRowBytes({ file, bytes, mapped: true }, bytes), from, to };
  });
  if (to === 0) throw new Error(`no file has more than the ${rowBytes} bytes of one row`);
  return all;
}

/** So that no page is looked for on the disk, or in the page cache, while requests are timed. */
function touchPages(): void {
  let sum = 0;
  for (const { rows: { resident } } of extents) for (let at = 0; at < (resident?.length ?? 0); at += PAGE_BYTES) sum ^= resident![at]!;
  fetched ^= sum;
}

/** In no order, and hardly two side by side. */
function draw(): void {
  for (let row = 0; row < pageRows; row++) {
    const place = Math.floor(chance() * places);
    let file = 0;
    while (place >= extents[file]!.to) file++;
    found[row] = extents[file]!;
    starts[row] = place - extents[file]!.from;
  }
}

/** As the service does before it copies rows that lie apart (`worker/scan/page_text`): all wait for their memory at once. */
function fetchLines(): void {
  let sum = 0;
  for (let row = 0; row < pageRows; row++) sum ^= found[row]!.rows.resident?.[starts[row]!] ?? 0;
  for (let row = 0; row < pageRows; row++) {
    const { resident } = found[row]!.rows;
    if (resident === null) continue;
    const end = starts[row]! + rowBytes;
    for (let at = starts[row]! + LINE_BYTES; at < end; at += LINE_BYTES) sum ^= resident[at]!;
  }
  fetched ^= sum;
}
