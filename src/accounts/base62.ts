import { randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Most significant digit first, padded with `0`. Digits sort as their numbers do. */
export function base62(value: number, digits: number): string {
  let text = '';
  for (let rest = value; text.length < digits; rest = Math.floor(rest / 62)) text = ALPHABET[rest % 62]! + text;
  return text;
}

/** `randomInt` draws again rather than favour the low digits. */
export function randomBase62(digits: number): string {
  return Array.from({ length: digits }, () => ALPHABET[randomInt(62)]).join('');
}

/** Sorts by age; its random part alone is 131 bits. */
export function freshId(prefix: string, nowMs: number): string {
  return `${prefix}_${base62(nowMs, 8)}${randomBase62(22)}`;
}
