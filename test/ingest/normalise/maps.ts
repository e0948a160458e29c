import assert from 'node:assert/strict';

export function maps<T>(normalise: (text: string) => T, cases: readonly (readonly [string, T])[]): void {
  for (const [text, wanted] of cases) assert.deepEqual(normalise(text), wanted, JSON.stringify(text));
}
