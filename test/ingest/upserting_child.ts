import { ingest } from '../support/ingested.ts';
import { SMALL } from './small.ts';

/** A process for tests to kill: it upserts a file into the contacts in `crm`, and keeps what it can of their segments. */
const [dataDir, file] = process.argv.slice(2) as [string, string];
await ingest(dataDir, 'crm', file, { keeping: SMALL });
