import { eraseRows } from '../ingest/rewrite.ts';
import { UsageError, type Command } from './command.ts';
import { counted } from './counted.ts';
import { namedFileBytes } from './named_file.ts';
import { rewriteOrder, tell, writing } from './rewriting.ts';

export const eraseCommand: Command = {
  help: `Usage: lds erase --source NAME --ids FILE [--json]

Publishes the lake source NAME without the rows whose ids stand in FILE, one a line, as NAME:KEY or KEY alone, where KEY
may be as it stood in the file that was ingested. Ids that are not there are counted and passed over. A running server
stops returning the rows to new searches by itself. Cursors that were cut before may still read them for 15 minutes, and
streams that run already until they end, after an hour at most; then they are removed from the disk. What must not be
seen from this moment on is to be suppressed as well: that reaches running streams too. See lds suppress.

  --source NAME   the lake source; lds sources lists them
  --ids FILE      the ids to erase
  --json          the outcome for scripts

Example:
  lds erase --source crm --ids erasure-requests.txt
`,
  options: { source: { type: 'string' }, ids: { type: 'string' }, json: { type: 'boolean' } },
  run: (input) => writing('erase', input.terminal, async () => {
    const { ids } = input.values;
    if (typeof ids !== 'string' || ids === '') throw new UsageError('--ids is to be a file of ids, one a line');
    const order = await rewriteOrder(input);
    await namedFileBytes(ids);
    const erasure = await eraseRows(order, ids);
    const { asked, erased, kept } = erasure;
    return tell(input, { source: order.source, ...erasure }, `${order.source}: ${erased.toLocaleString('en')} of ${counted(asked, 'id')} erased, ${counted(kept, 'row stays', 'rows stay')}\n`);
  }),
};
