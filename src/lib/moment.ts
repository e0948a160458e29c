/** The one form of a point in time in rows and facets: ISO 8601 in UTC, with a fraction only where there is one. */
export function momentText(unixMs: number): string {
  return new Date(unixMs).toISOString().replace('.000Z', 'Z');
}
