import { decodeHeader, type SectionEntry, type SectionKind } from './header.ts';
import { SegmentRefused } from './refused.ts';

type SectionArray = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

type SectionDraft = { readonly name: string; readonly kind: SectionKind; readonly bytes: Uint8Array };

/** The sections of a segment in the making, in the order in which they will lie. */
export class SectionDrafts {
  readonly list: SectionDraft[] = [];

  add(name: string, array: SectionArray): void {
    this.list.push({ name, kind: kindOf(array), bytes: new Uint8Array(array.buffer, array.byteOffset, array.byteLength) });
  }

  addJson(name: string, value: unknown): void {
    this.list.push({ name, kind: 'json', bytes: Buffer.from(JSON.stringify(value)) });
  }
}

/** The sections of a sealed buffer, viewed in place. */
export class Sections {
  readonly #index: ArrayBufferLike;
  readonly #entries: ReadonlyMap<string, SectionEntry>;

  constructor(index: ArrayBufferLike, header: ReturnType<typeof decodeHeader>) {
    this.#index = index;
    this.#entries = new Map(header.sections.map((entry) => [entry.name, entry]));
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  u8(name: string): Uint8Array {
    const { offset, length } = this.#entry(name, 'u8');
    return new Uint8Array(this.#index, offset, length);
  }

  u32(name: string): Uint32Array {
    const { offset, length } = this.#entry(name, 'u32');
    return new Uint32Array(this.#index, offset, length / 4);
  }

  i32(name: string): Int32Array {
    const { offset, length } = this.#entry(name, 'i32');
    return new Int32Array(this.#index, offset, length / 4);
  }

  u16(name: string): Uint16Array {
    const { offset, length } = this.#entry(name, 'u16');
    return new Uint16Array(this.#index, offset, length / 2);
  }

  f64(name: string): Float64Array {
    const { offset, length } = this.#entry(name, 'f64');
    return new Float64Array(this.#index, offset, length / 8);
  }

  /** An array of unsigned numbers of whatever width the writer chose, or of doubles. */
  numbers(name: string): Uint8Array | Uint16Array | Uint32Array | Float64Array {
    const kind = this.#entries.get(name)?.kind;
    switch (kind) {
      case 'u8': return this.u8(name);
      case 'u16': return this.u16(name);
      case 'u32': return this.u32(name);
      case 'f64': return this.f64(name);
      case 'json': case 'i32': case undefined: throw new SegmentRefused('malformed', `section ${name} holds no numbers`);
      default: return kind satisfies never;
    }
  }

  json(name: string): unknown {
    const { offset, length } = this.#entry(name, 'json');
    return JSON.parse(Buffer.from(this.#index, offset, length).toString());
  }

  #entry(name: string, kind: SectionKind): SectionEntry {
    const entry = this.#entries.get(name);
    if (entry?.kind !== kind) throw new SegmentRefused('malformed', `no section ${name} of kind ${kind}`);
    return entry;
  }
}

function kindOf(array: SectionArray): SectionKind {
  if (array instanceof Uint8Array) return 'u8';
  if (array instanceof Uint16Array) return 'u16';
  if (array instanceof Uint32Array) return 'u32';
  return array instanceof Int32Array ? 'i32' : 'f64';
}
