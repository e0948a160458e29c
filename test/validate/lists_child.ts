import { writeSync } from 'node:fs';
import { writeOwnList } from '../../src/validate/lists/own.ts';

/** A process for tests to record: it replaces a list, and says each time what its names are now. */
const [folder] = process.argv.slice(2) as [string];
writeSync(1, 'none\n');
for (const names of [['first.com'], Array.from({ length: 300 }, (_, at) => `second${at}.com`)]) {
  await writeOwnList(folder, 'disposable', names, 'test.txt', '2026-01-01');
  writeSync(1, `${names.join()}\n`);
}
