import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import wabt from 'wabt';

const LINE_LETTERS = 140;

/** Holds `PATH_module.ts`, which has this text of base64, to be what `PATH.wat` says; both below `src`. */
export async function holdModule(path: string, module: string): Promise<void> {
  const source = new URL(`../../../src/${path}.wat`, import.meta.url);
  const wanted = await assembled(source);
  if (process.env['LDS_WRITE_MODULE'] !== undefined) {
    const file = new URL(`../../../src/${path}_module.ts`, import.meta.url);
    const lines = wanted.match(new RegExp(`.{1,${LINE_LETTERS}}`, 'g'))!.map((line) => `  '${line}',\n`);
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\[\n[^]*\]/, `[\n${lines.join('')}]`));
  }
  assert.equal(module, wanted, 'write it anew by LDS_WRITE_MODULE=1 npm test -- _module, then build');
}

/** The module as text of base64. */
async function assembled(source: URL): Promise<string> {
  const parsed = (await wabt()).parseWat(source.pathname, readFileSync(source, 'utf8'), { simd: true, mutable_globals: true });
  try {
    return Buffer.from(parsed.toBinary({}).buffer).toString('base64');
  } finally {
    parsed.destroy();
  }
}
