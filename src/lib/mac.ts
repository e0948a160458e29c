import { hash } from 'node:crypto';
import { putLetters } from './letters.ts';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;

/** What a message has before it, for `MacKey` to write to. */
export const MAC_ROOM_BYTES = BLOCK_BYTES;

/**
 * HMAC-SHA-256 (RFC 2104) under one key. Two hashes in one call each: `createHmac` makes a stream that the garbage collector has to end,
 * which costs a short message twice as much as its hashing; and a hash given as a buffer costs three times one given as a text.
 *
 *   inner   key ^ 0x36.. (64) | message
 *   outer   key ^ 0x5c.. (64) | hash of inner (32)
 */
export class MacKey {
  readonly #inner = Buffer.alloc(BLOCK_BYTES, 0x36);
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c);

  constructor(secret: Uint8Array) {
    const key = secret.length > BLOCK_BYTES ? hash('sha256', secret, 'buffer') : secret;
    for (let at = 0; at < key.length; at += 1) {
      this.#inner[at]! ^= key[at]!;
      this.#outer[at]! ^= key[at]!;
    }
  }

  /** Of the bytes from `MAC_ROOM_BYTES` up to `end`, as a text of one character a byte; in the room before them stands nothing to be kept, or to be shown. */
  of(bytes: Uint8Array, end: number): string {
    bytes.set(this.#inner);
    const inner = hash('sha256', bytes.subarray(0, end), 'binary');
    putLetters(this.#outer, BLOCK_BYTES, inner, DIGEST_BYTES);
    return hash('sha256', this.#outer, 'binary');
  }
}
