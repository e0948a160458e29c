import { IN_DATA_FOLDER, UsageError, type Command } from './command.ts';
import { counted } from './counted.ts';
import { namedFileBytes } from './named_file.ts';
import { rewriteOrder, tell, writing } from './rewriting.ts';

export const eraseCommand: Command = {
  help: `Usage: lds erase --source NAME --ids FILE [--json]

Publishes the lake source NAME without the rows whose ids are in FILE. FILE has one id per line, NAME:KEY or KEY alone,
where KEY may be written as in the file that was ingested. Unknown ids are counted and skipped.

A running gateway leaves the rows out of new searches within seconds. Earlier cursors can still read them for 15 minutes,
and streams that run then, until they end, for an hour more at most; then they are removed from the disk. To hide rows
at once, in running streams too, add them to the suppressions as well: see lds suppress.

  --source NAME   the lake source; lds sources lists them
  --ids FILE      the ids to erase
  --json          print the outcome as JSON

Example:
  lds erase --source crm --ids erasure-requests.txt

${IN_DATA_FOLDER}
Exits with 0 when done, whether or not all ids were known, 1 when it failed, 2 for a mistake in the command or the configuration.
`,
  options: { source: { type: 'string' }, ids: { type: 'string' }, json: { type: 'boolean' } },
  run: (input) => writing('erase', input, async () => {
    const { ids } = input.values;
    if (typeof ids !== 'string' || ids === '') throw new UsageError('--ids is to be a file of ids, one a line');
    const order = await rewriteOrder(input);
    await namedFileBytes(ids);
    const { eraseRows } = await import('../ingest/rewrite.ts');
    const erasure = await eraseRows(order, ids);
    const { asked, erased, kept } = erasure;
    return tell(input, { source: order.source, ...erasure }, `${order.source}: ${erased.toLocaleString('en')} of ${counted(asked, 'id')} erased, ${counted(kept, 'row stays', 'rows stay')}\n`);
  }),
};
