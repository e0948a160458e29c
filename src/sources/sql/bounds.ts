import type { Dialect, Sql } from './dialect.ts';

/**
 * What an engine can tell of a condition: every row of `sure` matches, and no row outside `maybe` does. What lies between is told by
 * the exact test on the row itself. Where the engine can tell it all the two are one.
 *
 *   all rows ⊇ maybe ⊇ matches ⊇ sure
 */
export type Bounds = { readonly sure: Sql; readonly maybe: Sql };

export function exact(condition: Sql): Bounds {
  return { sure: condition, maybe: condition };
}

export function isExact({ sure, maybe }: Bounds): boolean {
  return sure === maybe;
}

/** A condition that holds for texts in ASCII alone; of any other text the engine cannot tell. */
export function exactWherePlain(dialect: Dialect, text: Sql, condition: Sql, plain = dialect.isPlain(text)): Bounds {
  return { sure: `(${plain} AND ${condition})`, maybe: `(NOT ${plain} OR ${condition})` };
}

export function not(dialect: Dialect, { sure, maybe }: Bounds): Bounds {
  return sure === maybe ? exact(dialect.not(sure)) : { sure: dialect.not(maybe), maybe: dialect.not(sure) };
}

export function all(dialect: Dialect, bounds: readonly Bounds[]): Bounds {
  const join = (parts: readonly Sql[]): Sql => {
    const asked = parts.filter((part) => part !== dialect.yes);
    if (asked.includes(dialect.no)) return dialect.no;
    return asked.length === 0 ? dialect.yes : asked.map((part) => `(${part})`).join(' AND ');
  };
  return { sure: join(bounds.map(({ sure }) => sure)), maybe: join(bounds.map(({ maybe }) => maybe)) };
}

export function any(dialect: Dialect, bounds: readonly Bounds[]): Bounds {
  const join = (parts: readonly Sql[]): Sql => (parts.length === 0 ? dialect.no : `(${parts.map((part) => `(${part})`).join(' OR ')})`);
  return { sure: join(bounds.map(({ sure }) => sure)), maybe: join(bounds.map(({ maybe }) => maybe)) };
}

export function pushing(pushed: Sql, { sure, maybe }: Bounds): Bounds {
  return { sure: `(${pushed} AND ${sure})`, maybe: `(${pushed} AND ${maybe})` };
}

/** As a choice: the two of an AND are worked out in whatever order the engine thinks best. */
export function behind(before: Sql, { sure, maybe }: Bounds): Bounds {
  return { sure: `(CASE WHEN ${before} THEN ${sure} END)`, maybe: `(CASE WHEN ${before} THEN ${maybe} END)` };
}

export function unknown(dialect: Dialect): Bounds {
  return { sure: dialect.no, maybe: dialect.yes };
}
