import { acquireLock } from '../../../src/sources/lake/lock.ts';

/** Another process that holds the lock of a lake until it is killed. */
await acquireLock(process.argv[2]!);
process.stdout.write('ready\n');
setInterval(() => undefined, 1_000);
