/** A value of Thrift's compact protocol: a struct by the numbers of its fields. Integers are those that a double holds exactly. */
export type ThriftValue = number | boolean | Uint8Array | readonly ThriftValue[] | ThriftStruct;
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

const TYPE = { true: 1, false: 2, byte: 3, i16: 4, i32: 5, i64: 6, double: 7, binary: 8, list: 9, set: 10, struct: 12 } as const;
const LONG_LIST = 15;

/** Reads what is written in Thrift's compact protocol, as the heads of Parquet files are. Bytes beyond the end read as zeros: see `at`. */
export class ThriftReader {
  /** Where the next value begins; beyond the bytes' length where they were too few. */
  at: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  struct(): ThriftStruct {
    const fields = new Map<number, ThriftValue>();
    let number = 0;
    for (let head = this.#byte(); head !== 0; head = this.#byte()) {
      number = head >>> 4 === 0 ? this.#integer() : number + (head >>> 4);
      const type = head & 0x0f;
      fields.set(number, type === TYPE.true ? true : type === TYPE.false ? false : this.#value(type));
    }
    return fields;
  }

  #value(type: number): ThriftValue {
    switch (type) {
      case TYPE.true: case TYPE.false: return this.#byte() === TYPE.true;
      case TYPE.byte: return (this.#byte() << 24) >> 24;
      case TYPE.i16: case TYPE.i32: case TYPE.i64: return this.#integer();
      case TYPE.double: return new DataView(new Uint8Array(this.#take(8)).buffer).getFloat64(0, true);
      case TYPE.binary: return this.#take(this.#unsigned());
      case TYPE.list: case TYPE.set: return this.#list();
      case TYPE.struct: return this.struct();
      default: throw new Error(`a value of type ${type} is not read`);
    }
  }

  #list(): ThriftValue[] {
    const head = this.#byte();
    const length = head >>> 4 === LONG_LIST ? this.#unsigned() : head >>> 4;
    const items: ThriftValue[] = [];
    while (items.length < length && this.at <= this.#bytes.length) items.push(this.#value(head & 0x0f));
    return items;
  }

  #take(length: number): Uint8Array {
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  #byte(): number {
    return this.#bytes[this.at++] ?? 0;
  }

  /** The sign is the lowest bit. */
  #integer(): number {
    const folded = this.#unsigned();
    return folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
  }

  #unsigned(): number {
    let number = 0;
    for (let unit = 1; ; unit *= 128) {
      const byte = this.#byte();
      number += (byte & 0x7f) * unit;
      if (byte < 0x80) return number;
    }
  }
}
