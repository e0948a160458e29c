import { randomBytes } from 'node:crypto';
import { Bench } from 'tinybench';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { writeCsv } from '../../src/encode/csv.ts';
import { encodeJson, writeResults } from '../../src/encode/json.ts';
import { encodeMsgpack, packRows } from '../../src/encode/msgpack.ts';
import { RowShape, rowLayout, type RowOut } from '../../src/encode/rows.ts';
import { openCursor, sealCursor } from '../../src/find/cursor.ts';
import { MacKey } from '../../src/lib/mac.ts';
import { lexicon } from '../../src/find/request/lexicon.ts';
import { readQuery } from '../../src/find/request/read_query.ts';
import { readJson } from '../../src/http/body/json.ts';
import { requestId } from '../../src/http/request_id.ts';
import type { FindAnswer } from '../../src/model/answer.ts';
import { FIELDS } from '../../src/model/field.ts';
import { vocabulary } from '../../src/model/vocabulary.ts';
import { requestLine } from '../../src/telemetry/request_line.ts';

const ROWS = 25;

/** What each stage of a find costs the main thread, without HTTP and without the scan. */
export async function findStages(smoke: boolean): Promise<void> {
  const words = { contacts: vocabulary('contacts'), companies: vocabulary('companies') };
  const lexicons = { contacts: lexicon(words.contacts), companies: lexicon(words.companies) };
  const sources = { contacts: new Set(['crm']), companies: new Set<string>() };
  const body = Buffer.from('{"type":"contacts","filters":{"country":["US"],"seniority":["vp"],"has_email":["true"]},"limit":25}');
  const query = readQuery(readJson(body), 'page', lexicons, sources);
  const secret = new MacKey(randomBytes(32));
  const state = { order: 'stored', lanes: [{ source: 'crm', snapshot: '1', segment: '000001-0123456789', after: 1_234, done: false }] } as const;
  const cursor = sealCursor(secret, query, state);
  const whole = new RowShape(rowLayout(words.contacts), null);
  const some = new RowShape(rowLayout(words.contacts), ['id', 'source', 'full_name', 'email']);
  const rows = rowsApart();
  const sink = new ByteSink();
  const answer = answerOf(cursor);

  const bench = new Bench({ time: smoke ? 20 : 500, warmupTime: smoke ? 5 : 100 });
  bench
    .add('body to JSON', () => { readJson(body); })
    .add('JSON to query', () => { readQuery(readJson(body), 'page', lexicons, sources); })
    .add('seal a cursor', () => { sealCursor(secret, query, state); })
    .add('open a cursor', () => { openCursor(secret, cursor, query); })
    .add('encode 25 rows', async () => { sink.reset(); await writeResults(sink, rows, whole); encodeJson(sink, answer); })
    .add('encode 25 rows, 4 fields', async () => { sink.reset(); await writeResults(sink, rows, some); encodeJson(sink, answer); })
    .add('encode 25 rows, CSV', async () => { sink.reset(); await writeCsv(sink, rows, whole); })
    .add('encode 25 rows, MessagePack', async () => { sink.reset(); encodeMsgpack(sink, await packRows(sink, rows, whole), answer); })
    .add('log line', () => { requestLine(LINE); })
    .add('request id', () => { requestId(); });
  await bench.run();
  for (const { name, result } of bench.tasks) {
    if (!('latency' in result)) throw new Error(`${name} failed`, { cause: 'error' in result ? result.error : undefined });
    console.log(`  ${name.padEnd(28)} ${(result.latency.p50 * 1_000).toFixed(2)} us (p75 ${(result.latency.p75 * 1_000).toFixed(2)})`);
  }
}

/** Rows of about 760 bytes in shared memory that do not lie together, as matches do. */
function rowsApart(): RowOut[] {
  const row = Object.fromEntries(FIELDS.contacts.map(({ name, type }) => [name, type === 'strings' ? ['one', 'two'] : `some text of ${name} here`]));
  const line = Buffer.from(`${JSON.stringify(row)}\n`);
  const bytes = new Uint8Array(new SharedArrayBuffer(2 * ROWS * line.length));
  for (let row = 0; row < 2 * ROWS; row += 1) bytes.set(line, row * line.length);
  const start = Array.from({ length: ROWS }, (_, i) => 2 * i * line.length);
  const chunk = { bytes, rows: ROWS, start, end: start.map((at) => at + line.length - 1), markAt: (row: number) => row, identity: null };
  return start.map((_, at) => ({ chunk, row: at, fill: null, sources: null }));
}

function answerOf(cursor: string): FindAnswer {
  return {
    total: 1_234, warnings: [], errors: [], type: 'contacts', returned: ROWS, next_cursor: cursor, total_relation: 'eq', partial: false, took_ms: 1.25,
    request_id: requestId(), facets: null, client_ref: null,
    sources: [{
      source: 'crm', status: 'complete', reason: null, returned: ROWS, matched: 1_234, took_ms: 0.2,
      filters: { pushed: ['country', 'seniority'], residual: ['has_email'], unsupported: [] },
    }],
  };
}

const LINE = {
  unixMs: 1_700_000_000_000, id: '0mwq46lpu-00000-29crpewycn', clientRequestId: null, account: 'account', key: 'key', route: '/v1/find', method: 'POST', target: null, status: 200, error: null, cap: null,
  ms: 1.2, rows: ROWS, bytes: 19_000, units: 1, sources: [{ source: 'crm', status: 'complete', returned: ROWS, took_ms: 0.2 }],
} as const;
