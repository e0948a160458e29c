import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { columnOf, joined, makeDictionary } from '../../src/ingest/dictionary.ts';
import { Duck } from '../../src/ingest/duckdb.ts';
import { leadColumns } from '../../src/ingest/lead_table.ts';
import { createRaw, RAW } from '../../src/ingest/raw_table.ts';
import { rulesOf, DERIVING_RULES } from '../../src/ingest/rules.ts';
import { DATASETS } from '../../src/model/dataset.ts';

const folder = await mkdtemp(join(tmpdir(), 'lds-dictionary-'));
const duck = await Duck.open(folder, { folders: [], files: [] }, new AbortController().signal);
after(async () => { duck.close(); await rm(folder, { recursive: true }); });

for (const dataset of DATASETS) {
  test(`the texts of ${dataset} find their dictionaries by hash, not by a look at each entry for each row`, async () => {
    await duck.run(`DROP TABLE IF EXISTS ${RAW}`);
    await duck.run(createRaw(leadColumns(dataset, [])));
    const known = rulesOf(dataset, []);
    for (const [at, rule] of [...known, ...DERIVING_RULES[dataset]].entries()) {
      await duck.run(`INSERT INTO ${RAW} (${rule.field}) VALUES ('odd, very odd')`);
      const made = await makeDictionary(duck, rule, known, `${dataset}_${at}`, { sql: 'NULL::VARCHAR', join: '' });
      const plan = await duck.rows(`EXPLAIN SELECT ${columnOf({ ...made, empty: false }, 'value0')} FROM ${RAW} raw ${joined(made, 'NULL::VARCHAR')}`);
      const steps = plan.map(({ explain_value: step }) => step).join();
      assert.match(steps, /HASH_JOIN/, rule.field);
      assert.doesNotMatch(steps, /NL_JOIN|NESTED_LOOP|PRODUCT/, rule.field);
    }
  });
}

test('a dictionary without a text is nowhere joined', async () => {
  await duck.run(`DROP TABLE IF EXISTS ${RAW}`);
  await duck.run(createRaw(leadColumns('contacts', [])));
  const empty = await makeDictionary(duck, DERIVING_RULES.contacts[0]!, rulesOf('contacts', []), 'empty', { sql: 'NULL::VARCHAR', join: '' });
  assert.equal(columnOf(empty, 'value0'), 'NULL');
});
