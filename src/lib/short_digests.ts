import { LOWER_ASCII } from './hash.ts';
import { SHORT_DIGESTS_MODULE } from './short_digests_module.ts';
import { whereRoom } from './wasm_room.ts';

/** Texts that are hashed in one go; a multiple of four. */
const TEXTS = 64;
const BLOCK_BYTES = 64;
/** The bit behind a text, and how many bits it has. */
const PADDING_BYTES = 9;
const BLOCKS_MAX = 3;

/** See `short_digests.wat`. */
const TEXTS_AT = 1_440;
type Module = { readonly memory: WebAssembly.Memory; readonly digest: (texts: number, blocks: number) => void };

/** Takes the first 32 bits of a digest, and what its text was given with. */
type Tell = (place: number, first: number) => void;

/**
 * The first 32 bits of the SHA-256 of short texts in lower case, told some time after each is given: many are hashed at once, four in step, which
 * takes 75 ns for each 64 bytes where a call of the library takes 250 whatever it hashes, and needs no text to be made.
 */
export class ShortDigests {
  readonly #lead: Buffer;
  readonly #tell: Tell;
  readonly #module: Module | null = threadModule();
  /** Texts of one block, of two, and so on. */
  readonly #batches: readonly Batch[];

  /** `lead`: what stands before each text. */
  constructor(lead: string, tell: Tell) {
    this.#lead = Buffer.from(lead);
    this.#tell = tell;
    this.#batches = Array.from({ length: BLOCKS_MAX }, (_, at) => new Batch(at + 1));
  }

  /** Takes the text in [from, to) of the bytes, which is ASCII, in either case. False where it is not short, or the system has no room for the module. */
  add(bytes: Uint8Array, from: number, to: number, place: number): boolean {
    const blocks = (this.#lead.length + to - from + PADDING_BYTES + BLOCK_BYTES - 1) >>> 6;
    if (blocks > BLOCKS_MAX || this.#module === null) return false;
    const batch = this.#batches[blocks - 1]!;
    batch.add(this.#lead, bytes, from, to, place);
    if (batch.length === TEXTS) batch.tell(this.#module, this.#tell);
    return true;
  }

  /** Tells what has not been told. */
  finish(): void {
    if (this.#module !== null) for (const batch of this.#batches) batch.tell(this.#module, this.#tell);
  }
}

/** Texts of so many blocks each, padded. */
class Batch {
  length = 0;
  readonly #blocks: number;
  readonly #bytes: Uint8Array;
  readonly #places = new Float64Array(TEXTS);

  constructor(blocks: number) {
    this.#blocks = blocks;
    this.#bytes = new Uint8Array(TEXTS * blocks * BLOCK_BYTES);
  }

  add(lead: Uint8Array, bytes: Uint8Array, from: number, to: number, place: number): void {
    const padded = this.#bytes;
    const stride = this.#blocks * BLOCK_BYTES;
    let at = this.length * stride;
    const end = at + stride;
    const bits = (lead.length + to - from) * 8;
    for (let byte = 0; byte < lead.length; byte++) padded[at++] = lead[byte]!;
    for (let byte = from; byte < to; byte++) padded[at++] = LOWER_ASCII[bytes[byte]!]!;
    padded[at++] = 0x80;
    while (at < end - 2) padded[at++] = 0;
    padded[at++] = bits >>> 8;
    padded[at] = bits;
    this.#places[this.length++] = place;
  }

  tell({ memory, digest }: Module, tell: Tell): void {
    if (this.length === 0) return;
    new Uint8Array(memory.buffer).set(this.#bytes, TEXTS_AT);
    digest(TEXTS, this.#blocks);
    const words = new Uint32Array(memory.buffer, TEXTS_AT);
    for (let text = 0; text < this.length; text++) tell(this.#places[text]!, words[text * this.#blocks * (BLOCK_BYTES / 4)]!);
    this.length = 0;
  }
}

let shared: Module | null | undefined;

/** One for the thread; null where the system has no room for its memory. */
function threadModule(): Module | null {
  if (shared === undefined) shared = whereRoom(() => new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(SHORT_DIGESTS_MODULE, 'base64'))).exports as Module);
  return shared;
}
