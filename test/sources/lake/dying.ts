import { AsyncLocalStorage } from 'node:async_hooks';
import type { FileHandle } from 'node:fs/promises';
import { createRequire, syncBuiltinESMExports } from 'node:module';

type Calls = Record<string, (...args: never[]) => Promise<unknown>>;
type Life = { readonly callsMax: number; calls: number; readonly died: () => void; readonly opened: (() => unknown)[] };

// The module itself, whose members can be replaced, and not a view of it.
const files = createRequire(import.meta.url)('node:fs/promises') as Calls;
const CALLS = ['open', 'readFile', 'readdir', 'rename', 'rm', 'stat', 'writeFile', 'mkdir'];
const HANDLE_CALLS = ['writeFile', 'write', 'sync', 'truncate', 'close'];
const lives = new AsyncLocalStorage<Life>();

/**
 * Runs a writer as far as its first `callsMax` calls to the file system. The next one never returns, so that nothing comes after it, no
 * cleaning up either: what is on the disk then is what a writer that is killed there leaves. Gives the calls of one that got to its end.
 */
export function livingFor(callsMax: number, work: () => Promise<unknown>): Promise<number | 'died'> {
  return new Promise((resolve, reject) => {
    const opened: Life['opened'] = [];
    const life: Life = { callsMax, calls: 0, opened, died: () => { for (const close of opened) close(); resolve('died'); } };
    lives.run(life, work).then(() => resolve(life.calls), reject);
  });
}

function mortal(call: (...args: never[]) => Promise<unknown>): (...args: never[]) => Promise<unknown> {
  return (...args) => {
    const life = lives.getStore();
    if (life === undefined || (life.calls += 1) <= life.callsMax) return call(...args);
    life.died();
    return new Promise(() => {});
  };
}

for (const name of CALLS) files[name] = mortal(files[name]!);
const open = files['open']!;
files['open'] = async (...args) => {
  const handle = await open(...args) as FileHandle & Calls;
  lives.getStore()?.opened.push(handle.close.bind(handle));
  for (const name of HANDLE_CALLS) Object.defineProperty(handle, name, { value: mortal(handle[name]!.bind(handle)) });
  return handle;
};
syncBuiltinESMExports();
