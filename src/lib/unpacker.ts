import { UNPACK_MODULE } from './unpack_module.ts';

/** Bytes that may be read behind what is packed, and written behind what is unpacked: both lie in memory with others. */
export const UNPACK_SPARE_BYTES = 32;

/** See `unpack.wat`. */
type Unpack = {
  readonly snappy: (at: number, end: number, to: number, room: number) => number;
  readonly numbers: (at: number, end: number, width: number, count: number, to: number) => number;
};

/** Unpacks within a memory what Parquet packs, sixteen bytes at a time. */
export class Unpacker {
  readonly #unpack: Unpack;

  constructor(memory: WebAssembly.Memory) {
    const module = new WebAssembly.Module(Buffer.from(UNPACK_MODULE, 'base64'));
    this.#unpack = new WebAssembly.Instance(module, { unpacker: { memory } }).exports as Unpack;
  }

  /** A raw Snappy block at [at, end) to `to`, of at most `room` bytes; says how many it has. Of a damaged one it throws. */
  snappy(at: number, end: number, to: number, room: number): number {
    return whole(() => this.#unpack.snappy(at, end, to, room), 'a block is damaged, or unpacks to more than there is room for');
  }

  /**
   * Numbers of `width` bits (at most 24) at [at, end), as Parquet packs levels and the numbers of a dictionary: runs of one number, and groups of eight that lie bit by
   * bit. To `to`, 4 bytes each, as many as there are, at most `count`; says how many.
   */
  numbers(at: number, end: number, width: number, count: number, to: number): number {
    return whole(() => this.#unpack.numbers(at, end, width, count, to), 'packed numbers are damaged');
  }
}

function whole(unpack: () => number, damaged: string): number {
  try {
    return unpack();
  } catch (error) {
    throw error instanceof WebAssembly.RuntimeError ? new Error(damaged) : error;
  }
}
