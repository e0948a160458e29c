/** An array of zeros of the narrowest width that holds numbers up to `max`. */
export function narrowArray(length: number, max: number): Uint8Array | Uint16Array | Uint32Array {
  if (max < 0x100) return new Uint8Array(length);
  return max < 0x10000 ? new Uint16Array(length) : new Uint32Array(length);
}
