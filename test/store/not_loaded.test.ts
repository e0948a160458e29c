import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { openStore } from '../../src/store/open.ts';
import { folderOf } from '../support/folder.ts';

const compiled = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

/** What a start and `lds doctor` say in a process that gets no native module but the one that is thrown at it. */
function told(dataDir: string, thrown: string): unknown {
  const script = `
    process.dlopen = () => { throw Object.assign(new Error('The module\\nwas compiled for another Node'), ${thrown}); };
    const { openStore } = await import(${compiled('store/open.js')});
    const { checkStore } = await import(${compiled('cli/doctor/store.js')});
    const dataDir = ${JSON.stringify(dataDir)};
    const { message } = await openStore({ dataDir }).catch((error) => error);
    const [{ status, detail, advice }] = checkStore({ dataDir, databaseUrl: null });
    console.log(JSON.stringify([message, status, detail, advice].map((text) => text.replaceAll(dataDir, ''))));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }));
}

test('where the library of SQLite does not load, that is what is said and to be mended, and no backup takes the place of a file that is whole', async (t) => {
  const dataDir = folderOf(t);
  await (await openStore({ dataDir })).close();
  const advice = 'run npm rebuild better-sqlite3 with the Node that runs the service; nothing is said of the file';
  for (const [thrown, why] of [
    [`{ code: 'ERR_DLOPEN_FAILED' }`, 'The module was compiled for another Node'],
    [`{ code: 'MODULE_NOT_FOUND' }`, 'its native part is not there'],
  ] as const) {
    const said = `better-sqlite3 does not load (${why})`;
    assert.deepEqual(told(dataDir, thrown), [`the store /store.sqlite cannot be opened: ${said}; ${advice}`, 'fail', `/store.sqlite cannot be used: ${said}`, advice]);
  }
});
