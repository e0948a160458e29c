import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import wabt from 'wabt';
import { EXPAND_MODULE } from '../../src/segment/expand_module.ts';

const LINE_LETTERS = 140;
const SOURCE = new URL('../../../src/segment/expand.wat', import.meta.url);
const MODULE = new URL('../../../src/segment/expand_module.ts', import.meta.url);

/** The module as text of base64. */
async function assembled(): Promise<string> {
  const parsed = (await wabt()).parseWat('expand.wat', readFileSync(SOURCE, 'utf8'), { simd: true, mutable_globals: true });
  try {
    return Buffer.from(parsed.toBinary({}).buffer).toString('base64');
  } finally {
    parsed.destroy();
  }
}

test('the module that spells rows is what its source says', async () => {
  const wanted = await assembled();
  if (process.env['LDS_WRITE_MODULE'] !== undefined) {
    const lines = wanted.match(new RegExp(`.{1,${LINE_LETTERS}}`, 'g'))!.map((line) => `  '${line}',\n`);
    writeFileSync(MODULE, readFileSync(MODULE, 'utf8').replace(/\[\n[^]*\]/, `[\n${lines.join('')}]`));
  }
  assert.equal(EXPAND_MODULE, wanted, 'write it anew by LDS_WRITE_MODULE=1 npm test -- expand_module, then build');
});
