import { LIMITS } from '../config/limits.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { CommandInput } from './command.ts';
import { table } from './table.ts';

/** The store of the configuration, for as long as `use` takes. A running server may have it open too. */
export async function withStore<T>(input: CommandInput, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(await input.config());
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** A whole list, read page by page. */
export async function every<Row extends { readonly id: string }>(read: (page: { afterId: string | null; rowsMax: number }) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = await read({ afterId: rows.at(-1)?.id ?? null, rowsMax: LIMITS.storePageRows });
    rows.push(...page);
    if (page.length < LIMITS.storePageRows) return rows;
  }
}

/** A list for a script or for a reader; ids and emails are never cut, since they are what the next command is given. */
export async function printList(input: CommandInput, columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  await input.terminal.out(input.values['json'] === true ? `${JSON.stringify(rows)}\n` : table(columns, rows, Number.POSITIVE_INFINITY));
}
