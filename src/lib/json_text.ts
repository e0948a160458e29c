const PLAIN = /^[ !#-[\]-~]*$/;

/** `JSON.stringify` of a text or null: of one that needs no escaping, as most do, without its cost. */
export function quoted(text: string | null): string {
  return text === null ? 'null' : PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
