/**
 * A statement of DuckDB with one more row behind its own, and a column behind theirs that only that row has. An engine that fails amid the
 * rows of a stream ends it, and does not say that it failed: what ends without that row was cut.
 */
export function withEnd(statement: string): string {
  return `FROM (${statement}) UNION ALL BY NAME SELECT TRUE AS "@end"`;
}

/** Takes that column off a batch, and that row where it has come: true where it has. */
export function takeEnd(columns: unknown[][]): boolean {
  const isEnd = columns.pop()!.at(-1) === true;
  if (isEnd) for (const column of columns) column.pop();
  return isEnd;
}
