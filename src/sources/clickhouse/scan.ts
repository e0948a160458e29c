import type { FoundRow, RowsRequest } from '../source.ts';
import type { Page, PageStretch, Stretch } from '../sql/phase.ts';
import { pageOf, walkPhases } from '../sql/walk.ts';
import type { Apart } from './columns.ts';
import type { Connections } from './connect.ts';
import { pageByKeys } from './page.ts';
import { phasesOf, rowsStatement, type ClickhouseTable } from './query.ts';
import { RowReader } from './rows.ts';

/**
 * Rows that share a whole number as their key, as duplicates do that are yet to be merged, come in another order each time they are asked for.
 * An order by all that they are made of has all of that read of every row: the key is taken for unique until two rows are seen that share it.
 * The last row of a statement may share its key with one that was cut off: it is given when the next has come.
 */
export function scanTable(connections: Connections, table: ClickhouseTable, request: RowsRequest, signal: AbortSignal): AsyncGenerator<readonly FoundRow[]> {
  const reader = new RowReader(table.columns.rowFields(request.fields), table.columns);
  async function* read(stretch: Stretch, at: number, apart: Apart, keys: readonly string[] | null = null): AsyncGenerator<readonly FoundRow[]> {
    const phase = { at, keyClass: stretch.phase.keyClass };
    const settings = stretch.rowsMax === null ? table.sorting : {};
    for await (const lines of connections.lines(rowsStatement(table, request, stretch, apart, keys), 'short', signal, settings)) yield reader.found(lines, phase);
  }
  async function readPage(stretch: PageStretch, at: number, apart: Apart): Promise<Page> {
    const page = await pageByKeys(connections, table, request, stretch, signal, (keys) => read(stretch, at, apart, keys));
    return page ?? pageOf(read(stretch, at, apart), stretch);
  }
  const mayRepeat = table.columns.key?.whole === true;
  return walkPhases({ phases: phasesOf(table, request.order), hashed: table.columns.hashed }, request, {
    async *whole(stretch, at) {
      if (!mayRepeat || table.seen.repeats) return yield* read(stretch, at, 'all');
      let held: readonly FoundRow[] = [];
      let passed = { key: stretch.fromKey, rows: 0 };
      let isRepeated = false;
      for await (const batch of read(stretch, at, 'key')) {
        const rows = [...held, ...batch];
        const twin = twinAt(rows);
        isRepeated = twin !== -1;
        held = rows.slice(twin);
        const told = rows.slice(0, rows.length - held.length);
        passed = passedBy(told, passed);
        yield told;
        if (isRepeated) break;
      }
      if (!isRepeated) return yield held;
      // The first statement has been stopped by now: streams that each held one and waited for another would wait for each other.
      table.seen.repeats = true;
      yield* without(passed, read({ ...stretch, fromKey: held[0]!.key }, at, 'all'));
    },
    async page(stretch, at) {
      if (mayRepeat && !table.seen.repeats) {
        const longer = { ...stretch, rowsMin: stretch.rowsMin + 1, rowsMax: stretch.rowsMax + 1 };
        const { rows, isLast } = await readPage(longer, at, 'key');
        if (twinAt(rows) === -1) return { rows: isLast ? rows : rows.slice(0, -1), isLast };
        table.seen.repeats = true;
      }
      return readPage(stretch, at, 'all');
    },
  });
}

/** Where a row stands whose key, in its order and its own, the next has too; -1 where none does. */
function twinAt(rows: readonly FoundRow[]): number {
  return rows.findIndex((row, at) => rows[at + 1]?.key === row.key && ownKey(rows[at + 1]!) === ownKey(row));
}

/** The beginning of a row tells its id. */
function ownKey({ json }: FoundRow): string {
  const text = json.toString();
  return text.slice(0, text.indexOf(',"source":'));
}

/** How many rows of the last key have been given. */
type Passed = { readonly key: string | null; readonly rows: number };

function passedBy(rows: readonly FoundRow[], before: Passed): Passed {
  const key = rows.at(-1)?.key;
  if (key === undefined) return before;
  const others = rows.findLastIndex((row) => row.key !== key);
  return { key, rows: rows.length - 1 - others + (others === -1 && before.key === key ? before.rows : 0) };
}

/** Rows from a key on, less those of it that were given before. */
async function* without({ key, rows: passed }: Passed, batches: AsyncGenerator<readonly FoundRow[]>): AsyncGenerator<readonly FoundRow[]> {
  let left = passed;
  for await (const batch of batches) {
    const old = batch.findIndex((row, at) => at === left || row.key !== key);
    const dropped = old === -1 ? batch.length : old;
    left -= dropped;
    yield batch.slice(dropped);
  }
}
