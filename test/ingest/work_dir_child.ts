import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inWorkDir } from '../../src/ingest/work_dir.ts';

/** Works in a folder below the one that it is given until it is killed, and says when it has begun. */
await inWorkDir(process.argv[2]!, async (workDir) => {
  writeFileSync(join(workDir, 'rows.csv'), 'id,email\n1,jo@example.com\n');
  process.stdout.write('begun\n');
  await new Promise((resolve) => { setTimeout(resolve, 60_000); });
});
