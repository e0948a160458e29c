import { compactSource } from '../ingest/rewrite.ts';
import type { Command } from './command.ts';
import { counted } from './counted.ts';
import { rewriteOrder, tell, writing } from './rewriting.ts';

export const compactCommand: Command = {
  help: `Usage: lds compact --source NAME [--rows balanced|text|compact] [--json]

Rewrites the lake source NAME from its Parquet files as few segments as its size asks for, in the present format and
with the extra columns that are declared now. A running server picks it up by itself; the rows and their ids stay the same.

  --source NAME   the lake source; lds sources lists them
  --rows F        store rows as text, the fastest to stream; compact, down to half of the disk and page cache; or
                  balanced between the two; as they were where it is not given
  --json          the outcome for scripts
`,
  options: { source: { type: 'string' }, rows: { type: 'string' }, json: { type: 'boolean' } },
  run: (input) => writing('compact', input.terminal, async () => {
    const order = await rewriteOrder(input);
    const compaction = await compactSource(order);
    return tell(input, { source: order.source, ...compaction }, `${order.source}: ${counted(compaction.rows, 'row')} rewritten\n`);
  }),
};
