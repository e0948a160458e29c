import assert from 'node:assert/strict';
import { mkdtemp, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { unpack } from 'msgpackr';
import { until } from '../support/until.ts';
import { RunningService, type Json } from './service.ts';

const ROWS = 20;
/** Where a byte of a row's line has rotted, what it is then, and how many rows are lost by it. */
const ROT: readonly (readonly [what: string, at: (line: string) => number, byte: string, lost: number])[] = [
  ['the quote that opens a text', (line) => line.indexOf('"full_name":"') + 12, 'b', 1],
  ['the quote that closes a text', (line) => line.indexOf('","first_name"'), 'b', 1],
  ['the comma before a name', (line) => line.indexOf(',"first_name"'), 'x', 1],
  ['the colon behind a name', (line) => line.indexOf('"full_name":') + 11, 'x', 1],
  ['a quote in a list', (line) => line.indexOf('"skills":["') + 10, 'x', 1],
  ['the end of a list', (line) => line.indexOf(']', line.indexOf('"skills"')), 'X', 1],
  ['the brace that ends the row', (line) => line.length - 2, 'm', 1],
  ['the line end', (line) => line.length - 1, 'J', 2],
];
const FIELDS = ['id', 'full_name', 'skills', 'updated_at'];

/** What one way of asking gives: the ids, how many rows it says there are, and what it says of the sources. */
type Given = { readonly ids: readonly string[]; readonly returned: number; readonly errors: readonly string[] };
type Way = (service: RunningService, search: Json) => Promise<Given>;

function toldBy({ results, returned, errors }: Json): Given {
  return { ids: results.map(({ id }: Json) => id as string), returned, errors };
}

const WAYS: Readonly<Record<string, Way>> = {
  async msgpack(service, search) {
    // As bytes, which `find` takes for text.
    const answer = await fetch(`${service.url}/v1/find`, {
      method: 'POST', headers: { authorization: `Bearer ${service.key}`, accept: 'application/vnd.msgpack' }, body: JSON.stringify(search),
    });
    assert.equal(answer.status, 200);
    return toldBy(unpack(Buffer.from(await answer.arrayBuffer())));
  },
  async csv(service, search) {
    const { status, headers, text } = await service.find({ ...search, fields: FIELDS }, { headers: { accept: 'text/csv' } });
    assert.equal(status, 200);
    const ids = text.trimEnd().split('\r\n').slice(1).map((line) => line.split(',')[0]!);
    return { ids, returned: ids.length, errors: headers.get('x-partial') === 'true' ? [`crm: ${ROWS - ids.length} of them`] : [] };
  },
  async json(service, search) {
    const { status, json } = await service.find({ ...search, fields: FIELDS });
    assert.equal(status, 200);
    return toldBy(json);
  },
  async ndjson(service, search) {
    const lines = await service.lines({ ...search, fields: FIELDS });
    return toldBy({ ...lines.at(-1)['@end'], results: lines.filter(({ id }) => id !== undefined) });
  },
};

describe('a lake whose rows rot on the disk while they are served', () => {
  let service: RunningService;
  let rows: string;
  let sound: Buffer;
  /** As the rows are stored. */
  let ids: readonly string[];
  /** Which of them rots. */
  const ROTTEN = 2;
  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lds-rotten-'));
    await writeFile(join(folder, 'quiet.yaml'), 'demo: false\n');
    service = await RunningService.start({ LDS_CONFIG: join(folder, 'quiet.yaml') }, folder);
    for (const source of ['crm', 'web']) {
      const people = Array.from({ length: ROWS }, (_, at) => ({ id: at, full_name: `Ann Lee ${at}`, email: `p${at}@people.example.com`, country: 'US', skills: ['one', 'two'] }));
      await writeFile(join(folder, `${source}.ndjson`), people.map((one) => JSON.stringify(one)).join('\n'));
      await service.ingest(source, join(folder, `${source}.ndjson`), { rowForm: 'text' });
    }
    await until(async () => (await service.find({ type: 'contacts', limit: 1, dedupe: false })).json.total === 2 * ROWS);
    const segments = join(folder, 'data', 'lake', 'contacts', 'crm', 'segments');
    rows = join(segments, (await readdir(segments)).find((name) => name.endsWith('.rows'))!);
    sound = await readFile(rows);
    ids = sound.toString().trimEnd().split('\n').map((line) => (JSON.parse(line) as { readonly id: string }).id);
    assert.equal(ids.length, ROWS);
  });
  after(() => service.stop());
  afterEach(() => write(sound, 0));

  /** The file stays the one that is mapped. */
  async function write(bytes: Buffer, at: number): Promise<void> {
    const file = await open(rows, 'r+');
    await file.write(bytes, 0, bytes.length, at);
    await file.close();
  }

  async function rot([, at, byte]: (typeof ROT)[number]): Promise<void> {
    const from = sound.indexOf(`{"id":"${ids[ROTTEN]}"`);
    const line = sound.toString('latin1', from, sound.indexOf('\n', from) + 1);
    assert.ok(at(line) > 0);
    await write(Buffer.from(byte), from + at(line));
  }

  for (const one of ROT) {
    const [what, , , lost] = one;
    it(`leaves out of pages and streams ${lost === 1 ? 'the row' : 'both rows'} where ${what} has rotted, and tells of it`, async () => {
      await rot(one);
      for (const [name, ask] of Object.entries(WAYS)) {
        const given = await ask(service, { type: 'contacts', limit: 100, sources: { only: ['crm'] } });
        // A scan that makes rows into what leaves knows from the index where each ends.
        const gone = name !== 'ndjson' && what === 'the line end' ? 0 : lost;
        assert.deepEqual(given.ids, ids.toSpliced(ROTTEN, gone), name);
        assert.equal(given.returned, ROWS - gone, name);
        const told = name === 'csv' ? `crm: ${gone} of them` : `crm: ${gone} ${gone === 1 ? 'row' : 'rows'} could not be used`;
        assert.deepEqual(given.errors, gone === 0 ? [] : [told], name);
      }
    });
  }

  it('gives a person whose row has rotted from the other source that has them, and walks on page by page', async () => {
    await rot(ROT[0]!);
    for (const [name, ask] of Object.entries(WAYS)) {
      const given = await ask(service, { type: 'contacts', limit: 100, dedupe: true });
      assert.deepEqual(given.ids.filter((id) => id.startsWith('web')), [ids[ROTTEN]!.replace('crm', 'web')], name);
      assert.equal(given.ids.length, ROWS, name);
      assert.equal(given.errors.length, 1, name);
    }
    const walked: string[] = [];
    for (let cursor: string | undefined; cursor !== null;) {
      const { json } = await service.find({ type: 'contacts', sources: { only: ['crm'] }, limit: 3, fields: FIELDS, cursor });
      walked.push(...json.results.map(({ id }: Json) => id));
      cursor = json.next_cursor;
    }
    assert.deepEqual(walked, ids.toSpliced(ROTTEN, 1));
  });

  it('gives the playground the others, and tells its operator of the segment and of nobody in it', async () => {
    await rot(ROT[0]!);
    const search = { type: 'contacts', sources: { only: ['crm'] }, limit: 4 };
    const { status, json } = await service.call('POST', '/playground/find', { body: search, key: null });
    assert.equal(status, 200);
    assert.deepEqual([json.results.map(({ id }: Json) => id), json.errors], [ids.slice(0, 4).toSpliced(ROTTEN, 1), ['crm: 1 row could not be used']]);
    const failures = service.logged.split('\n').filter((line) => line.includes('a row has rotted'));
    assert.ok(failures.some((line) => line.includes('"segment":"contacts/crm/')));
    assert.ok(!service.logged.includes('Ann Lee') && !service.logged.includes('people.example.com'));
    assert.equal((await service.call('GET', '/health', { key: null })).json.status, 'degraded');
  });
});
