const LITERAL = 0;
const NEAR = 1;
const FAR = 2;
/** A literal of more bytes than this says in 1 to 4 bytes of its own how many it has. */
const SHORT_LITERAL = 60;
/** Runs of more bytes are worth a call. */
const INLINE_MAX = 48;

/**
 * Unpacks a raw Snappy block into the beginning of `to`, and says how many bytes that were; of a damaged one it throws. `to` must have room for
 * them, which the caller knows, and for 8 bytes more: runs are copied four bytes at a time.
 */
export function unpackSnappy(from: Buffer, to: Buffer): number {
  const read = new DataView(from.buffer, from.byteOffset, from.length);
  const write = new DataView(to.buffer, to.byteOffset, to.length);
  let at = 0;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = read.getUint8(at++);
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (length + 8 > to.length) throw new Error('a block unpacks to more than there is room for');
  let filled = 0;
  while (at < from.length) {
    const tag = read.getUint8(at++);
    const kind = tag & 3;
    let run = (tag >>> 2) + 1;
    if (kind === LITERAL) {
      if (run > SHORT_LITERAL) {
        const bytes = run - SHORT_LITERAL;
        run = from.readUIntLE(at, bytes) + 1;
        at += bytes;
      }
      if (run > from.length - at || run > length - filled) throw new Error('a block is damaged');
      if (run > INLINE_MAX || at + run + 4 > from.length) from.copy(to, filled, at, at + run);
      else for (let word = 0; word < run; word += 4) write.setInt32(filled + word, read.getInt32(at + word, true), true);
      at += run;
    } else {
      let back: number;
      if (kind === NEAR) {
        run = ((tag >>> 2) & 7) + 4;
        back = ((tag >>> 5) << 8) | read.getUint8(at++);
      } else if (kind === FAR) {
        back = read.getUint16(at, true);
        at += 2;
      } else {
        back = read.getUint32(at, true);
        at += 4;
      }
      if (back === 0 || back > filled || run > length - filled) throw new Error('a block is damaged');
      // A run may reach into itself: then what it copies is being written meanwhile.
      if (back >= 4) for (let word = 0; word < run; word += 4) write.setInt32(filled + word, write.getInt32(filled + word - back, true), true);
      else for (let byte = 0; byte < run; byte++) write.setUint8(filled + byte, write.getUint8(filled + byte - back));
    }
    filled += run;
  }
  if (filled !== length) throw new Error('a block is damaged');
  return length;
}
