import assert from 'node:assert/strict';
import { unpack } from 'msgpackr';
import { cellOf } from '../../src/encode/csv.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { seeded } from '../../bench/support/figures.ts';
import { FIELDS, type Row } from '../../src/model/field.ts';
import type { Service } from '../../bench/support/lake.ts';
import type { Body } from './searches.ts';
import { headersOf, type World } from './world.ts';

const NAMES = FIELDS.contacts.map(({ name }) => name);

type Expected = { readonly all: readonly Row[]; readonly limit: number };

/** Some fields of what a search finds, or all, in each form in which they leave; which ones depends on the number of the search. */
export async function compareForms({ service, linesOf }: World, { type, query, filters }: Body, { all, limit }: Expected, nth: number): Promise<void> {
  const fields = fieldsOf(nth);
  const unlimited = { type, query, filters, ...(fields === null ? {} : { fields }) };
  const asked = { ...unlimited, limit, timeout_ms: LIMITS.pageTimeoutMsMax };
  const shown = NAMES.filter((name) => fields === null || name === 'id' || name === 'source' || fields.includes(name));
  const rows = all.map((row): Row => Object.fromEntries(shown.map((name) => [name, row[name]!])));
  const first = rows.slice(0, limit);
  const told = `of ${fields === null ? 'all fields' : `the fields ${fields.join()}`}`;

  const json = JSON.parse((await answered(service, asked, 'application/json')).toString()) as { results: Row[] };
  assert.equal(JSON.stringify(json.results), JSON.stringify(first), `JSON ${told}`);
  const lines = linesOf((await answered(service, unlimited, 'application/x-ndjson')).toString());
  assert.deepEqual(lines, rows.map((row) => JSON.stringify(row)), `a stream ${told}`);
  const packed = unpack(await answered(service, asked, 'application/vnd.msgpack')) as { results: Row[] };
  assert.equal(JSON.stringify(packed.results), JSON.stringify(first), `MessagePack ${told}`);
  const csv = (await answered(service, asked, 'text/csv')).toString();
  assert.equal(csv, [shown, ...first.map((row) => shown.map((name) => cell(row[name]!)))].map((cells) => `${cells.join()}\r\n`).join(''), `CSV ${told}`);
}

/** One in four searches asks for all. */
function fieldsOf(nth: number): readonly string[] | null {
  const chance = seeded(nth + 1);
  if (chance() < 0.25) return null;
  const few = chance() * chance();
  return NAMES.filter(() => chance() < few);
}

function cell(value: Exclude<Row[string], undefined>): string {
  if (value === null) return '';
  return typeof value === 'number' ? String(value) : cellOf(Array.isArray(value) ? value.join('; ') : value);
}

async function answered(service: Service, body: object, accept: string): Promise<Buffer> {
  const answer = await fetch(service.find, { method: 'POST', headers: headersOf(service, accept), body: JSON.stringify(body) });
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(answer.status, 200, bytes.toString('utf8', 0, 1_000));
  return bytes;
}
