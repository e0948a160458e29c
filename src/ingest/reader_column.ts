/**
 * `repeated`: the file holds its different values once for many rows. `fraction`: its values are numbers to the file too, whose point groups no digits.
 * `records`: each value is a record of any keys, or a list of records, which says nothing of one field. `folder`: the file itself has it not, one of its folders says it.
 */
export type ReaderColumn = { readonly name: string; readonly sql: string; readonly repeated: boolean; readonly fraction: boolean; readonly records: boolean; readonly folder?: true };

export function hasFraction(type: unknown): boolean {
  return typeof type === 'string' && /^(?:DOUBLE|FLOAT|DECIMAL\(\d+,\s*\d+\))$/.test(type);
}

/** A whole number is written without a point, also by what knows no whole ones, or writes as many digits of each: a phone or a postal code has none. */
export function readNumber(text: string, type: string): string {
  return hasFraction(type) ? `regexp_replace(${text}, '[.]0+$', '')` : text;
}
