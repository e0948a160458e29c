import type { CatalogSource } from './catalog.ts';

export type SourceNews = { readonly what: 'mounted' | 'degraded' | 'down' | 'gone'; readonly source: CatalogSource };

/** What an operator is told when one catalog takes the place of another: only of sources that became another, or came, or went. */
export function sourceNews(before: readonly CatalogSource[], after: readonly CatalogSource[]): SourceNews[] {
  const known = new Map(before.map((source) => [placeOf(source), source]));
  const present = new Set(after.map(placeOf));
  return [
    ...after.filter((source) => isNews(known.get(placeOf(source)), source)).map((source): SourceNews => ({ what: source.status === 'ok' ? 'mounted' : source.status, source })),
    ...before.filter((source) => !present.has(placeOf(source))).map((source): SourceNews => ({ what: 'gone', source })),
  ];
}

function placeOf({ dataset, name }: CatalogSource): string {
  return `${dataset}/${name}`;
}

function isNews(before: CatalogSource | undefined, { status, trouble, snapshot }: CatalogSource): boolean {
  return before === undefined || before.status !== status || before.trouble !== trouble || before.snapshot !== snapshot;
}
