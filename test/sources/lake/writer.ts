import { acquireLock } from '../../../src/sources/lake/lock.ts';
import { publish } from '../../../src/sources/lake/publish.ts';
import { stagedSegment } from './staged.ts';

/** Another process, to be killed: one that holds the lock, or one that publishes without end. */
const [task, dir] = process.argv.slice(2) as [string, string];
await acquireLock(dir);
process.stdout.write('ready\n');
if (task === 'hold') setInterval(() => undefined, 1_000);
else await publishForEver();

async function publishForEver(): Promise<never> {
  for (let n = 0; ; n += 1) {
    const added = [await stagedSegment(dir, `${process.pid}-${n}`)];
    await publish(dir, { dataset: 'contacts', source: 'crm', demo: false, extras: [], kept: [], added });
  }
}
