import type { TruthColumn } from '../../src/ingest/truth/footer.ts';

/** A value of one entry of a column. An entry of a list is one of its texts, or that it is empty or null. */
export type HandCell = string | number | readonly string[] | null;
/** So many entries by their numbers in the dictionary, or as they are. */
export type HandPage = { readonly entries: number; readonly byDictionary: boolean };
export type HandColumn = { readonly column: TruthColumn; readonly cells: readonly HandCell[]; readonly pages: readonly HandPage[] };

type Entry = { readonly follows: 0 | 1; readonly level: number; readonly value: string | number | null };
type Thrift = number | Buffer | readonly ThriftFields[] | ThriftFields;
type ThriftFields = { readonly [field: number]: Thrift };

const LITERAL_MAX = 1 << 16;

/** A Parquet file of one group as the engine would write it, but with pages that end wherever they are told to, amid a list too. */
export function handParquet(rows: number, columns: readonly HandColumn[]): Buffer {
  const parts: Buffer[] = [Buffer.from('PAR1')];
  let offset = 4;
  const chunks = columns.map((told) => {
    const chunk = chunkOf(told);
    parts.push(chunk);
    offset += chunk.length;
    return { 3: { 4: 1, 7: chunk.length, 9: offset - chunk.length } };
  });
  const footer = struct({ 2: [{ 4: Buffer.from('root') }, ...columns.flatMap(({ column }) => elementsOf(column))], 4: [{ 1: chunks, 3: rows }] });
  const tail = Buffer.alloc(8, 'PAR1PAR1');
  tail.writeUInt32LE(footer.length);
  return Buffer.concat([...parts, footer, tail]);
}

function elementsOf({ name, kind }: TruthColumn): ThriftFields[] {
  const named = Buffer.from(name);
  if (kind !== 'texts') return [{ 1: kind === 'text' ? 6 : 2, 3: 1, 4: named }];
  return [{ 3: 1, 4: named, 5: 1 }, { 3: 2, 4: Buffer.from('list'), 5: 1 }, { 1: 6, 3: 1, 4: Buffer.from('element') }];
}

function chunkOf({ column: { kind }, cells, pages }: HandColumn): Buffer {
  const entries = cells.flatMap((cell): Entry[] => {
    if (Array.isArray(cell) && cell.length > 0) return (cell as readonly string[]).map((value, at) => ({ follows: at === 0 ? 0 : 1, level: 3, value }));
    const value = cell as string | number | null;
    return [Array.isArray(cell) ? { follows: 0, level: 1, value: null } : { follows: 0, level: value === null ? 0 : 1, value }];
  });
  const dictionary = [...new Set(entries.flatMap(({ value }) => (value === null ? [] : [value])))];
  const written: Buffer[] = [page(2, Buffer.concat(dictionary.map(plain)), { 1: dictionary.length, 2: 0 })];
  let at = 0;
  for (const { entries: count, byDictionary } of [...pages, { entries: entries.length, byDictionary: true }]) {
    const own = entries.slice(at, at + count);
    at += own.length;
    const values = own.flatMap(({ value }) => (value === null ? [] : [value]));
    const body = [
      ...(kind === 'texts' ? [levels(own.map(({ follows }) => follows))] : []), levels(own.map(({ level }) => level)),
      byDictionary ? Buffer.from([16, ...runs(values.map((value) => dictionary.indexOf(value)), 2)]) : Buffer.concat(values.map(plain)),
    ];
    if (own.length > 0) written.push(page(0, Buffer.concat(body), { 1: own.length, 2: byDictionary ? 8 : 0 }));
  }
  return Buffer.concat(written);
}

function plain(value: string | number): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : Buffer.alloc(8);
  if (typeof value === 'number') bytes.writeBigInt64LE(BigInt(value));
  const length = Buffer.alloc(typeof value === 'string' ? 4 : 0);
  if (length.length > 0) length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function levels(numbers: readonly number[]): Buffer {
  const packed = Buffer.from(runs(numbers, 1));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(packed.length);
  return Buffer.concat([length, packed]);
}

/** Each number a run of its own. */
function runs(numbers: readonly number[], valueBytes: 1 | 2): number[] {
  return numbers.flatMap((number) => [2, ...(valueBytes === 1 ? [number] : [number & 0xff, number >>> 8])]);
}

function page(type: number, unpacked: Buffer, held: ThriftFields): Buffer {
  const literals: Buffer[] = [Buffer.from(varint(unpacked.length))];
  for (let at = 0; at < unpacked.length; at += LITERAL_MAX) {
    const literal = unpacked.subarray(at, at + LITERAL_MAX);
    literals.push(Buffer.from([61 << 2, (literal.length - 1) & 0xff, (literal.length - 1) >>> 8]), literal);
  }
  const packed = Buffer.concat(literals);
  return Buffer.concat([struct({ 1: type, 2: unpacked.length, 3: packed.length, [type === 2 ? 7 : 5]: held }), packed]);
}

function struct(fields: ThriftFields): Buffer {
  const bytes: number[] = [];
  for (const [id, value] of Object.entries(fields)) {
    const type = typeof value === 'number' ? 6 : Buffer.isBuffer(value) ? 8 : Array.isArray(value) ? 9 : 12;
    // The number of the field stands behind, as it does where it is more than 15 above the last.
    bytes.push(type, ...varint(Number(id) * 2));
    if (typeof value === 'number') bytes.push(...varint(value * 2));
    else if (Buffer.isBuffer(value)) bytes.push(...varint(value.length), ...value);
    else if (Array.isArray(value)) bytes.push(0xfc, ...varint(value.length), ...(value as readonly ThriftFields[]).flatMap((item) => [...struct(item)]));
    else bytes.push(...struct(value as ThriftFields));
  }
  return Buffer.from([...bytes, 0]);
}

export function varint(number: number): number[] {
  return number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...varint(number >>> 7)];
}
