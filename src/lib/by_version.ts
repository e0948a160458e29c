/** What is made anew only when the version has changed. */
export function byVersion<T>(version: () => number, make: () => T): () => T {
  let made: { readonly version: number; readonly value: T } | null = null;
  return () => {
    const current = version();
    if (made?.version !== current) made = { version: current, value: make() };
    return made.value;
  };
}
