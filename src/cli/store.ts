import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FILE } from '../config/folder.ts';
import { LIMITS } from '../config/limits.ts';
import { openStore } from '../store/open.ts';
import type { Store } from '../store/store.ts';
import type { CommandInput } from './command.ts';
import { table } from './table.ts';

/** The store of the configuration, for as long as `use` takes. A running server may have it open too. */
export async function withStore<T>(input: CommandInput, use: (store: Store) => Promise<T>): Promise<T> {
  const config = await input.config();
  const isNew = !config.databaseUrl && !existsSync(join(config.dataDir, STORE_FILE));
  const store = await openStore({ ...config, onWait: () => input.terminal.note('Another process changes the tables of the store: waiting for it.\n') });
  // Not before: of a folder that its user may not look into nobody knows what it holds, and nothing begins there.
  if (isNew) tellOfNew(config.dataDir, 'accounts: a new store begins there', input);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** A key that went to another folder than the gateway's opens nothing, and rows there are never found; and nobody would know why. */
export function tellOfNew(dataDir: string, held: string, { terminal }: CommandInput): void {
  terminal.note(`${dataDir} held no ${held}. For a gateway with another data folder, set LDS_DATA_DIR or LDS_CONFIG as it has them.\n`);
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
