/** 32 bits of a text (FNV-1a over its UTF-16 units, then mixed so that the top bits serve as a bucket). Part of the segment format. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

/** `hashText` of the lower case of a text that stands in bytes of ASCII. */
export function hashLowerAscii(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ LOWER_ASCII[bytes[at]!]!, 0x01000193);
  return mixed(hash);
}

/** Each byte of ASCII in lower case, any other as it is. */
export const LOWER_ASCII = Uint8Array.from({ length: 256 }, (_, byte) => (byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte));

function mixed(fnv: number): number {
  let hash = Math.imul(fnv ^ (fnv >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
