import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { pause } from '../support/runners.ts';
import { until } from '../support/until.ts';
import { heldStream } from './held_stream.ts';
import { RunningService, type Json } from './service.ts';
import { SUPPRESSIBLE, type Person } from './suppressible.ts';

/** So many that a stream of them fits in no buffer on its way. */
const PEOPLE = 12_000;
const WITHIN_MS = 1_000;
const FILLER = 'of many words '.repeat(128).trim();

const people: readonly Person[] = Array.from({ length: PEOPLE }, (_, at) => {
  const number = String(at).padStart(6, '0');
  return {
    id: number, full_name: `Person ${number}`, email: `p${number}@${at % 100 === 99 ? 'sub.gone.example' : 'mail.example'}`, company_domain: `firm${at % 500}.example`,
    linkedin_url: `https://www.linkedin.com/in/p${number}`, country: 'US', city: 'Reno', headline: FILLER,
  };
});
/** In the order of every source the last: no stream has come to them when it is stopped. */
const [byEmail, byHash, byUrl, byDomain] = [people.at(-2)!, people.at(-3)!, people.at(-4)!, people.at(-1)!] as const;
/** Each by the term of one kind. */
const ONES = [byEmail, byHash, byUrl, byDomain];
const ADDRESSES = ONES.map(({ email }) => email);
const TERMS = {
  email: byEmail.email.toUpperCase(), email_sha256: createHash('sha256').update(byHash.email).digest('hex'),
  linkedin_url: byUrl.linkedin_url.replace('https://www.', 'http://'), domain: 'gone.example',
};
const GONE = people.filter((one) => [byEmail, byHash, byUrl].includes(one) || one.email.endsWith('gone.example'));

describe('who is suppressed', { timeout: 600_000 }, () => {
  const kinds = SUPPRESSIBLE.filter(({ skip }) => skip === false);
  const sources = new Map<string, Awaited<ReturnType<(typeof SUPPRESSIBLE)[number]['open']>>>();
  let service: RunningService;
  let admin: string;

  before(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lds-suppression-'));
    for (const kind of kinds) sources.set(kind.name, await kind.open(folder));
    const config = join(folder, 'config.yaml');
    writeFileSync(config, `sources:\n${[...sources.values()].map(({ entry }) => `  - ${entry}\n`).join('')}`);
    service = await RunningService.start({ LDS_CONFIG: config, LDS_DEMO: '0', LDS_LOG_LEVEL: 'warn', LDS_TRUSTED_PROXIES: '127.0.0.1' }, folder);
    admin = await service.createKey('operator@localhost', 'unlimited', 'admin');
    for (const source of sources.values()) await source.fill(service, people);
    for (const { name } of kinds) await until(() => isThere(name, byEmail.email));
  });
  after(async () => {
    await service.stop();
    for (const source of sources.values()) await source.stop();
  });

  const isThere = async (source: string, email: string): Promise<boolean> => (await search(source, { email }).catch(() => null))?.total === 1;
  const change = async (method: 'POST' | 'DELETE'): Promise<void> => {
    const answer = await service.call(method, '/admin/suppressions', { key: admin, body: TERMS });
    assert.equal(answer.status, 200, answer.text);
  };
  /** With time enough for a source that is read whole, on a machine that does other things too. */
  const search = async (source: string, filters: object, more: object = {}): Promise<Json> => {
    const { status, json, text } = await service.find({ type: 'contacts', filters, sources: { only: [source] }, timeout_ms: 30_000, ...more });
    assert.equal(status, 200, text);
    return json;
  };
  let visitors = 0;
  const visit = async (source: string, filters: object): Promise<Json> => {
    visitors += 1;
    return (await service.call('POST', '/playground/find', {
      key: null, body: { type: 'contacts', filters, sources: { only: [source] }, facets: ['email'], timeout_ms: 30_000 },
      headers: { 'x-forwarded-for': `198.51.100.${visitors}` },
    })).json;
  };
  const assertGone = async (source: string): Promise<void> => {
    const found = await search(source, { email: ADDRESSES }, { facets: ['email', 'city', 'has_email', 'linkedin_url'] });
    assert.deepEqual([found.results, found.total, found.total_relation, found.partial], [[], 0, 'eq', false], source);
    assert.deepEqual(found.facets, { email: [], city: [], has_email: [], linkedin_url: [] }, source);
    const seen = await visit(source, { email: ADDRESSES });
    assert.deepEqual([seen.results, seen.total, seen.facets.email], [[], 0, []], source);
    const present = await search(source, { email: [byEmail.email, byHash.email], has_linkedin: 'true' }, { facets: ['city', 'has_email'] });
    assert.deepEqual([present.total, present.facets], [0, { city: [], has_email: [] }], `${source}, where presence is left to the rows`);
  };

  afterEach(() => change('DELETE'));

  for (const { name, skip } of SUPPRESSIBLE) {
    it(`leaves find, totals, facets, streams and the playground over ${name} within a second, streams that run too, and stays gone when all is given anew`, { skip }, async () => {
      assert.equal((await visit(name, { email: ADDRESSES })).total, ONES.length);
      const stream = await heldStream(service, { type: 'contacts', sources: { only: [name] }, fields: ['email', 'linkedin_url', 'headline'] });
      await change('POST');
      const acknowledgedMs = Date.now();
      await assertGone(name);
      await pause(Math.max(0, acknowledgedMs + WITHIN_MS - Date.now()));

      const lines = await stream.rest();
      assert.match(lines.at(-1)!, /^\{"@end":/);
      const late = new Set(GONE.filter((one) => one.id > people[PEOPLE - 1_000]!.id).map(({ email }) => email));
      assert.ok(late.size >= 13);
      assert.deepEqual(lines.filter((line) => [...late].some((email) => line.includes(email))), []);
      assert.ok(lines.length > PEOPLE - 2 * GONE.length);

      const fresh = await service.lines({ type: 'contacts', sources: { only: [name] }, fields: ['email', 'linkedin_url'] });
      assert.equal(fresh.at(-1)['@end'].returned, PEOPLE - GONE.length);
      const gone = new Set(GONE.map(({ email }) => email));
      assert.deepEqual(fresh.filter(({ email }) => gone.has(email)), []);

      await sources.get(name)!.fill(service, people);
      await until(() => isThere(name, people[1]!.email));
      await assertGone(name);

      await change('DELETE');
      await until(() => isThere(name, byEmail.email));
      assert.equal((await search(name, { email: ADDRESSES })).total, ONES.length);
    });
  }

  it('is in no facet of a broad search by name, and in none of the counts that a lake makes itself', async () => {
    await change('POST');
    for (const { name, countsMany } of kinds) {
      const { facets, total, total_relation: relation, warnings } = await search(name, { country: 'US' }, { limit: 1, facets: ['email_domain', 'email'] });
      assert.deepEqual(facets.email_domain.map(({ value }: Json) => value), countsMany ? ['mail.example'] : [], name);
      const [least, most] = [PEOPLE - PEOPLE / 100 - 3, PEOPLE - PEOPLE / 100];
      if (countsMany) assert.ok(facets.email_domain[0].count >= least && facets.email_domain[0].count <= most, `${name} counts ${facets.email_domain[0].count} addresses of the domain`);
      if (!countsMany) assert.ok(warnings.includes(`${name} did not count the facets email_domain, email: its rows are missing there`), warnings.join());
      assert.ok(relation === 'lte' ? total >= PEOPLE - GONE.length : total === PEOPLE - GONE.length, `${name}: ${total} ${relation}`);
      if (name === 'lake') assert.deepEqual([total, facets.email_domain[0].count], [PEOPLE - GONE.length, PEOPLE - PEOPLE / 100 - 3]);
    }
  });

  it('lends no field to a row of another source, and is not counted among the merged', async () => {
    await change('POST');
    const { json } = await service.find({ type: 'contacts', filters: { email: [byEmail.email, people[0]!.email] }, timeout_ms: 30_000 });
    assert.deepEqual(json.results.map(({ email, sources: had }: Json) => [email, had.length]), [[people[0]!.email, kinds.length]]);
    assert.deepEqual([json.total, json.total_relation], [1, 'eq']);
  });
});
