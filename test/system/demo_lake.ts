import { existsSync } from 'node:fs';
import { cp, mkdtemp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { SHARED_DIR } from '../support/shared_dir.ts';

/** Puts the demonstration lake, which takes many seconds to make, into an empty data folder: of one run of the tests it is made once, and copied. */
export async function putDemoLake(dataDir: string): Promise<void> {
  const shared = process.env[SHARED_DIR];
  if (shared === undefined) return make(dataDir);
  const made = join(shared, 'demo');
  if (!existsSync(made)) {
    const making = await mkdtemp(join(shared, 'demo.making-'));
    await make(making);
    // Whoever made the same meanwhile may have come first; how a file system says so differs.
    await rename(making, made).catch((error: unknown) => { if (!existsSync(made)) throw error; });
  }
  await cp(made, dataDir, { recursive: true });
}

/** Only who makes it takes the time to load the engine that does. */
async function make(dataDir: string): Promise<void> {
  const { makeDemoLake } = await import('../../src/ingest/demo/demo.ts');
  return makeDemoLake({ dataDir, signal: new AbortController().signal, stage: (_name, _extent, work) => work(() => undefined) });
}
