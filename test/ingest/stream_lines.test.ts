import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { testLake } from './lake.ts';

const ROWS = ['{"id":"crm:1","source":"crm","sources":["crm"],"full_name":"Ann","email":"ann@a.com"}', '{"id":"crm:2","source":"crm","sources":["crm"],"full_name":"Bob","email":null}'];
const CURSOR = '{"@cursor":"abc"}';
const SOURCE = '{"@source":{"source":"crm","status":"ok"}}';
const end = (cursor: string | null): string => JSON.stringify({ '@end': { returned: 2, next_cursor: cursor } });
const textOf = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

test('a stream of this service is its rows, and what stands among them neither rows nor columns', async () => {
  const lake = await testLake();
  const whole = textOf('{"@heartbeat":{}}', ROWS[0]!, CURSOR, ROWS[1]!, SOURCE, end(null));
  for (const [name, content] of [['a.ndjson', whole], ['b.ndjson.gz', gzipSync(whole)], ['c.ndjson', whole.replace(CURSOR, `${CURSOR}\nbroken`)]] as const) {
    const { read, rejected, plans, warnings, rejects } = await lake.ingest([await lake.file(name, content)], { mode: 'replace' });
    const broken = name.startsWith('c') ? 1 : 0;
    assert.deepEqual([read, rejected, warnings], [2 + broken, broken === 1 ? { 'not valid JSON': 1 } : {}, []], name);
    assert.deepEqual([...(await lake.rows()).values()].map(({ id, full_name: full }) => [id, full]), [['crm:1', 'Ann'], ['crm:2', 'Bob']]);
    assert.deepEqual(plans.flatMap(({ mapping: { unused } }) => unused).filter((column) => column.includes('@')), []);
    if (broken === 1) assert.equal(await lake.read(rejects[0]!.path), 'line,reason,content\r\n4,"not valid JSON","broken"\r\n');
  }
});

test('one that did not come to its end is told to be gone on with', async () => {
  const lake = await testLake();
  const told = async (...lines: readonly string[]): Promise<readonly string[]> => (await lake.ingest([await lake.file('a.ndjson', textOf(...lines))], { mode: 'replace' })).warnings;
  assert.match((await told(...ROWS, CURSOR)).join(), /cut before its end.*last @cursor/);
  assert.match((await told(ROWS[0]!, CURSOR, ROWS[1]!, '{"@error":{"error":"internal_error"}}')).join(), /cut before its end/);
  assert.match((await told(...ROWS, SOURCE, end('def'))).join(), /a part of what its search found.*next_cursor/);
  assert.deepEqual(await told(...ROWS), []);
});

test('a stream without rows is an empty file, and records of others that begin with an @ are records', async () => {
  const lake = await testLake();
  const records = ['{"@type":"Person","name":"Cem","email":"cem@a.com"}', '{"@source":"fair","name":"Dee","email":"d@a.com"}', '{"@source":{"fair":{"of":1}},"name":"Eve","email":"e@a.com","of":{"a":{"b":1}}}'];
  const { rows, warnings } = await lake.ingest([await lake.file('a.ndjson', textOf(...records)), await lake.file('b.ndjson', textOf(SOURCE, end(null)))]);
  assert.deepEqual([rows, warnings.filter((warning) => warning.includes('stream'))], [3, []]);
});
