import type { FileHandle } from 'node:fs/promises';
import { ThriftReader, type ThriftStruct, type ThriftValue } from '../../lib/thrift.ts';

/** A column of the file: an integer, a text or a list of texts, each of which may be null. */
export type TruthColumn = { readonly name: string; readonly kind: 'integer' | 'text' | 'texts' };

/** The pages of one column in one group of rows: bytes [offset, offset + bytes) of the file. */
type Chunk = { readonly offset: number; readonly bytes: number };
export type RowGroup = { readonly rows: number; readonly chunks: readonly Chunk[] };

/** What a Parquet file says of itself at its end: the columns, and where their pages lie, in the same order. */
export type Footer = { readonly columns: readonly TruthColumn[]; readonly groups: readonly RowGroup[] };

const MAGIC = 'PAR1';
const TAIL_BYTES = 8;

/** The numbers that Parquet's definition gives to what is read of it. */
const FILE = { schema: 2, groups: 4 } as const;
const ELEMENT = { type: 1, repetition: 3, name: 4, children: 5 } as const;
const GROUP = { columns: 1, rows: 3 } as const;
const COLUMN_META = 3;
const META = { codec: 4, bytes: 7, dataAt: 9, dictionaryAt: 11 } as const;
const TYPE = { int64: 2, bytes: 6 } as const;
const OPTIONAL = 1;
const REPEATED = 2;
const SNAPPY = 1;
/** One read gives less than 2 GiB. */
const READ_BYTES_MAX = 1 << 30;

/** Reads it of a file that the engine wrote of a table of texts, lists of texts and integers, packed by Snappy. Another is refused: nobody else writes them. */
export async function readFooter(file: FileHandle): Promise<Footer> {
  const { size } = await file.stat();
  const tail = await readAt(file, Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
  const bytes = tail.readUInt32LE(0);
  if (tail.toString('latin1', 4) !== MAGIC || bytes + TAIL_BYTES > size) throw new Error('the file is no Parquet');
  const head = new ThriftReader(await readAt(file, size - TAIL_BYTES - bytes, bytes)).struct();
  return { columns: columnsOf(structs(head.get(FILE.schema))), groups: structs(head.get(FILE.groups)).map(groupOf) };
}

/** Exactly so many bytes, into `to` where it has room for them. */
export async function readAt(file: FileHandle, offset: number, bytes: number, to: Buffer = Buffer.allocUnsafe(bytes)): Promise<Buffer> {
  for (let filled = 0; filled < bytes;) {
    const { bytesRead } = await file.read(to, filled, Math.min(bytes - filled, READ_BYTES_MAX), offset + filled);
    if (bytesRead === 0) throw new Error('the file ends too early');
    filled += bytesRead;
  }
  return to.subarray(0, bytes);
}

/** The schema is a tree, told from the root on; the children of a list are `list` and, in it, `element`. */
function columnsOf([, ...elements]: readonly ThriftStruct[]): TruthColumn[] {
  const columns: TruthColumn[] = [];
  for (let at = 0; at < elements.length;) {
    const element = elements[at]!;
    const name = Buffer.from(element.get(ELEMENT.name) as Uint8Array).toString();
    const listed = element.get(ELEMENT.children) !== undefined;
    const leaf = listed ? elements[at + 2] : element;
    const asWritten = element.get(ELEMENT.repetition) === OPTIONAL && leaf?.get(ELEMENT.repetition) === OPTIONAL;
    if (!asWritten || (listed && elements[at + 1]!.get(ELEMENT.repetition) !== REPEATED)) throw new Error(`column ${name} has another form than the engine writes`);
    columns.push({ name, kind: kindOf(name, listed, leaf.get(ELEMENT.type)) });
    at += listed ? 3 : 1;
  }
  return columns;
}

function kindOf(name: string, listed: boolean, type: ThriftValue | undefined): TruthColumn['kind'] {
  if (type === TYPE.bytes) return listed ? 'texts' : 'text';
  if (type === TYPE.int64 && !listed) return 'integer';
  throw new Error(`column ${name} is of a type that is not read`);
}

function groupOf(group: ThriftStruct): RowGroup {
  const chunks = structs(group.get(GROUP.columns)).map((column): Chunk => {
    const meta = column.get(COLUMN_META) as ThriftStruct;
    if (meta.get(META.codec) !== SNAPPY) throw new Error('a column is packed by another codec than Snappy');
    const offset = Math.min(numberOf(meta, META.dataAt), (meta.get(META.dictionaryAt) as number | undefined) ?? Infinity);
    return { offset, bytes: numberOf(meta, META.bytes) };
  });
  return { rows: numberOf(group, GROUP.rows), chunks };
}

function structs(value: ThriftValue | undefined): readonly ThriftStruct[] {
  return value as readonly ThriftStruct[];
}

function numberOf(struct: ThriftStruct, field: number): number {
  const value = struct.get(field);
  if (typeof value !== 'number' || value < 0) throw new Error('the head of the file is damaged');
  return value;
}
