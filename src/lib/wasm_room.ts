/** What memories are made of. */
export const WASM_PAGE_BYTES = 65_536;

/** What takes a memory of WebAssembly; null where the system has no room for one, which is given ten gigabytes of addresses however little it uses. */
export function whereRoom<T>(make: () => T): T | null {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return null;
  }
}
