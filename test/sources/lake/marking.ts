import { ReadMarks } from '../../../src/sources/lake/read_marks.ts';

/** Another process that reads a snapshot of a lake until it is killed. */
await new ReadMarks((error) => { throw error; }).make({ dir: process.argv[2]!, snapshot: Number(process.argv[3]) });
process.stdout.write('ready\n');
setInterval(() => undefined, 1_000);
