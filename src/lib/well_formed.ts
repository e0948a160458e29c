const LONE_SURROGATE = /\p{Surrogate}/u;

/** False where a surrogate stands alone: such a text cannot be written as UTF-8. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}
