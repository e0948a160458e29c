/**
 * `repeated`: the file holds its different values once for many rows. `fraction`: its values are numbers to the file too, whose point groups no digits.
 * `records`: each value is a record of any keys, or a list of records, which says nothing of one field. `folder`: the file itself has it not, one of its folders says it.
 * `roundedFrom`: its numbers from there on stand for several whole ones each.
 */
export type ReaderColumn = {
  readonly name: string;
  readonly sql: string;
  readonly repeated: boolean;
  readonly fraction: boolean;
  readonly records: boolean;
  readonly folder?: true;
  readonly roundedFrom?: number;
};

/** Two of one name, as one with a dot in its own and one within a record may have, are one: what the first has nothing for the second says. */
export function oneByName(columns: readonly ReaderColumn[]): ReaderColumn[] {
  const found = new Map<string, ReaderColumn>();
  for (const column of columns) {
    const before = found.get(column.name);
    found.set(column.name, before === undefined ? column : both(before, column));
  }
  return [...found.values()];
}

function both(first: ReaderColumn, second: ReaderColumn): ReaderColumn {
  const rounded = [first, second].flatMap(({ roundedFrom }) => roundedFrom ?? []);
  return {
    ...first, sql: `coalesce(${first.sql}, ${second.sql})`, repeated: first.repeated && second.repeated, fraction: first.fraction && second.fraction,
    records: first.records && second.records, ...(rounded.length > 0 && { roundedFrom: Math.min(...rounded) }),
  };
}

export function hasFraction(type: unknown): boolean {
  return typeof type === 'string' && /^(?:DOUBLE|FLOAT|DECIMAL\(\d+,\s*\d+\))$/.test(type);
}

/** A whole number is written without a point, also by what knows no whole ones, or writes as many digits of each: a phone or a postal code has none. */
export function readNumber(text: string, type: string): string {
  return hasFraction(type) ? `regexp_replace(${text}, '[.]0+$', '')` : text;
}
