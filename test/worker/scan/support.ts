import { isRun } from '../../../src/federation/run.ts';
import { comparable, filteredNumber, filteredTexts, isPresent } from '../../../src/model/compare.ts';
import type { Row } from '../../../src/model/field.ts';
import type { FilterSpec } from '../../../src/model/filter.ts';
import type { RowOrder } from '../../../src/model/query.ts';
import { identityOf } from '../../../src/model/identity.ts';
import type { TrayWriter } from '../../../src/pool/tray_protocol.ts';
import type { ScanReply, ScanRequest, TextAt } from '../../../src/pool/protocol.ts';
import type { Segment } from '../../../src/segment/reader.ts';
import { scanBatch } from '../../../src/worker/scan/batch.ts';
import { Tallies } from '../../../src/worker/scan/tallies.ts';
import { Dead, Readings, type ScanTarget } from '../../../src/worker/scan/target.ts';

export type Scanned = Extract<ScanReply<TextAt>, { readonly ok: true }>;

const FLAGS = new Int32Array(new SharedArrayBuffer(16));

export function targetOf(segment: Segment, dead: Dead | null = null): ScanTarget {
  return { segment, dead, readings: new Readings(segment) };
}

/** Every so many rows are dead, from the first on; 0 for none. */
export type DeadEvery = { readonly suppressed: number; readonly gone: number };

export function isDeadEvery({ suppressed, gone }: DeadEvery, row: number): boolean {
  return (suppressed > 0 && row % suppressed === 0) || (gone > 0 && row % gone === 0);
}

export function deadEvery({ suppressed, gone }: DeadEvery, rows: number): Dead | null {
  const bits = new Uint8Array(new SharedArrayBuffer(Math.ceil(rows / 8)));
  if (suppressed > 0) for (let row = 0; row < rows; row += suppressed) bits[row >>> 3]! |= 1 << (row & 7);
  const goneRows = Uint32Array.from({ length: gone === 0 ? 0 : Math.ceil(rows / gone) }, (_, at) => at * gone);
  return Dead.of({ dead: suppressed === 0 ? null : bits.buffer, gone: goneRows }, rows);
}

export function requestOf(given: Partial<ScanRequest>): ScanRequest {
  return {
    segment: 's', slot: 0, ticket: 0, deadlineMs: Infinity, filters: [], terms: [], order: 'stored', after: -1,
    rowsMax: 1_000_000, bytesMax: Infinity, copy: false, form: 'rows', fields: null, count: false, facets: [], beside: [], ...given,
  };
}

/** A scan alone in its batch, with all the time it needs. */
export function scan(target: ScanTarget, request: ScanRequest, cancelFlags: Int32Array, trays: TrayWriter | null = null): ScanReply<TextAt> {
  const thread = { id: 1, cancelFlags, targets: new Map([[request.segment, target]]), tallies: new Tallies(), trays };
  return scanBatch(thread, [request], Infinity)[0]!;
}

export function scanned(target: ScanTarget, given: Partial<ScanRequest>): Scanned {
  const reply = scan(target, requestOf(given), FLAGS);
  if (!reply.ok) throw new Error(reply.detail);
  return reply;
}

export type TakenRow = { readonly row: Row; readonly mark: number; readonly identity: { readonly class: number; readonly key: string } | null };

/** The rows of a reply, parsed from where its table says they are. */
export function taken(segment: Segment, { table, bytes, rows }: Scanned, order: RowOrder = 'stored'): TakenRow[] {
  const source = bytes ?? segment.bytes.resident!;
  const from = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const columns = order === 'identity' ? 6 : 3;
  if (order === 'stored' && isRun(table, rows)) return takenRun(from, table, rows);
  if (table.length !== rows * columns) throw new Error('the table is of another length');
  return Array.from({ length: rows }, (_, at) => {
    const [start, end, mark, keyClass, keyStart, keyEnd] = Array.from({ length: columns }, (_, column) => table[column * rows + at]);
    if (from[end!] !== 0x0a) throw new Error('no newline stands at the end of the row');
    const identity = order === 'identity' ? { class: keyClass!, key: from.toString('utf8', keyStart, keyEnd) } : null;
    return { row: JSON.parse(from.toString('utf8', start, end)) as Row, mark: mark!, identity };
  });
}

/** Rows that lie one behind the other. */
function takenRun(from: Buffer, table: Float64Array, rows: number): TakenRow[] {
  const [start, end, mark] = [table[0], table.at(-2), table.at(-1)];
  if (from[end!] !== 0x0a) throw new Error('no newline stands at the end of the last row');
  const lines = from.toString('utf8', start, end).split('\n');
  if (lines.length !== rows) throw new Error('there are other rows in the run');
  return lines.map((line, at) => ({ row: JSON.parse(line) as Row, mark: mark! + at, identity: null }));
}

export function identityIn(segment: Segment, row: Row): { class: number; key: string } {
  return identityOf(segment.meta.dataset, row);
}

/** The plain count of a filter's values over rows, by comparable value. */
export function plainFacet(spec: FilterSpec, rows: readonly Row[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) for (const value of new Set(facetKeys(spec, row))) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function facetKeys(spec: FilterSpec, row: Row): string[] {
  if (spec.compares === 'presence') return [String(isPresent(row[spec.field]))];
  if (spec.compares !== 'number' && spec.compares !== 'date') return filteredTexts(spec, row).map((text) => comparable(spec.compares, text));
  const number = filteredNumber(spec, row);
  if (number === null) return [];
  return [spec.compares === 'date' ? new Date(number).toISOString().replace('.000Z', 'Z') : String(number)];
}

/** A facet's values by what they compare as. */
export function comparableFacet(spec: FilterSpec, values: readonly (readonly [string, number])[]): Map<string, number> {
  const isText = spec.compares !== 'presence' && spec.compares !== 'number' && spec.compares !== 'date';
  return new Map(values.map(([value, count]) => [isText ? comparable(spec.compares, value) : value, count]));
}
