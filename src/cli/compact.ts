import { IN_DATA_FOLDER, type Command } from './command.ts';
import { counted } from './counted.ts';
import { rewriteOrder, tell, writing } from './rewriting.ts';

export const compactCommand: Command = {
  help: `Usage: lds compact --source NAME [--rows balanced|text|compact] [--json]

Rewrites the lake source NAME from its Parquet files: in the present format, in as few segments as its size allows,
with the extra columns that are now declared, and without the rows that were replaced. Rows and ids stay the same. A
running gateway picks it up by itself.

  --source NAME   the lake source; lds sources lists them
  --rows F        how to store rows: text (fastest to stream), compact (down to half of the disk and page cache) or
                  balanced between the two; without it as they were
  --json          print the outcome as JSON

Example:
  lds compact --source crm --rows compact

${IN_DATA_FOLDER}
Exits with 0 when done, 1 when it failed, 2 for a mistake in the command or the configuration.
`,
  options: { source: { type: 'string' }, rows: { type: 'string' }, json: { type: 'boolean' } },
  run: (input) => writing('compact', input, async () => {
    const order = await rewriteOrder(input);
    const { compactSource } = await import('../ingest/rewrite.ts');
    const compaction = await compactSource(order);
    return tell(input, { source: order.source, ...compaction }, `${order.source}: ${counted(compaction.rows, 'row')} rewritten\n`);
  }),
};
