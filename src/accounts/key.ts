import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyKind } from '../model/account.ts';
import { base62, randomBase62 } from './base62.ts';

const PREFIX: Record<KeyKind, string> = { external: 'ldx_', admin: 'lda_' };
const SHAPE = /^ld[xa]_[0-9A-Za-z]{38}$/;
const CHECKED_CHARACTERS = 36;
const HINT_CHARACTERS = 8;

/** CRC-32 (ISO-HDLC) of the text, as six base62 digits. */
export function checksum(text: string): string {
  return base62(crc32(text), 6);
}

export function mintKey(kind: KeyKind): string {
  const body = PREFIX[kind] + randomBase62(32);
  return body + checksum(body);
}

/** Whether the text can be a key at all: a mistyped one is told apart without a look-up. */
export function isKey(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, CHECKED_CHARACTERS)) === text.slice(CHECKED_CHARACTERS);
}

/** SHA-256. A slow hash would guard nothing: keys have 190 random bits. */
export function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** Enough to tell one's keys apart, and 24 bits of 190. */
export function hintOf(key: string): string {
  return key.slice(0, HINT_CHARACTERS);
}
