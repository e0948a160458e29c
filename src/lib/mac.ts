import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const KEPT_BYTES = 4_096;

/**
 * HMAC-SHA-256 (RFC 2104) under one key. Two hashes in one call each: `createHmac` makes a stream that the garbage collector has to end,
 * which costs a short message twice as much as its hashing; and a hash given as a buffer costs three times one given as a text.
 *
 *   inner   key ^ 0x36.. (64) | message
 *   outer   key ^ 0x5c.. (64) | hash of inner (32)
 */
export class MacKey {
  readonly #inner = Buffer.alloc(KEPT_BYTES, 0x36);
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0x5c);
  readonly #mac = Buffer.alloc(DIGEST_BYTES);

  constructor(secret: Uint8Array) {
    const key = secret.length > BLOCK_BYTES ? hash('sha256', secret, 'buffer') : secret;
    for (let at = 0; at < key.length; at += 1) {
      this.#inner[at]! ^= key[at]!;
      this.#outer[at]! ^= key[at]!;
    }
  }

  /** Of the text as UTF-8, and the bytes behind it. Valid until the next. */
  of(text: string, bytes: Uint8Array): Buffer {
    const inner = this.#roomFor(3 * text.length + bytes.length);
    const bytesAt = BLOCK_BYTES + inner.write(text, BLOCK_BYTES);
    inner.set(bytes, bytesAt);
    this.#outer.write(hash('sha256', inner.subarray(0, bytesAt + bytes.length), 'binary'), BLOCK_BYTES, 'binary');
    this.#mac.write(hash('sha256', this.#outer, 'binary'), 'binary');
    return this.#mac;
  }

  /** A long message has memory of its own, which is not kept. */
  #roomFor(messageBytes: number): Buffer {
    if (BLOCK_BYTES + messageBytes <= KEPT_BYTES) return this.#inner;
    const inner = Buffer.allocUnsafe(BLOCK_BYTES + messageBytes);
    inner.set(this.#inner.subarray(0, BLOCK_BYTES));
    return inner;
  }
}
