/**
 * Reads `count` numbers of `width` bits (at most 32) from `at` on, as Parquet packs levels and the numbers of a dictionary: runs of one number, and
 * groups of eight that lie bit by bit. Numbers go to `to[0, count)`.
 */
export function unpackNumbers(bytes: Buffer, at: number, width: number, count: number, to: Int32Array | Uint8Array): void {
  let filled = 0;
  while (filled < count) {
    let head = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes.readUInt8(at++);
      head += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    const run = Math.floor(head / 2);
    if (head % 2 === 0) {
      const end = Math.min(count, filled + run);
      const valueBytes = (width + 7) >>> 3;
      to.fill(valueBytes === 0 ? 0 : bytes.readUIntLE(at, valueBytes), filled, end);
      at += valueBytes;
      filled = end;
    } else {
      const end = Math.min(count, filled + run * 8);
      unpackGroups(bytes, at, width, filled, end, to);
      at += run * width;
      filled = end;
    }
    if (run === 0) throw new Error('packed numbers are damaged');
  }
}

/** Numbers [from, end) that lie bit by bit, the lowest bit first. */
function unpackGroups(bytes: Buffer, at: number, width: number, from: number, end: number, to: Int32Array | Uint8Array): void {
  if (width > 24) throw new Error(`numbers of ${width} bits are not read`);
  if (at + Math.ceil(((end - from) * width) / 8) > bytes.length) throw new Error('packed numbers are damaged');
  const mask = 2 ** width - 1;
  let pending = 0;
  let bits = 0;
  for (let place = from; place < end; place++) {
    while (bits < width) {
      pending |= bytes[at++]! << bits;
      bits += 8;
    }
    to[place] = pending & mask;
    pending >>>= width;
    bits -= width;
  }
}
