/** One frame of one block of up to 255 bytes, as they are. */
export function zstdOf(bytes: Buffer): Buffer {
  const block = bytes.length * 8 + 1;
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x20, bytes.length, block & 0xff, block >> 8, 0]), bytes]);
}
