import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serveHttp } from '../../support/servers/find_api.ts';
import { until } from '../../support/until.ts';
import { ANN, BOB, END, ids, lines, NDJSON, NEVER, ORDERED, outcomeOf, sourceAt } from './partner.ts';

describe('facets of what answers over http', () => {
  it('is not believed in a facet that it says not all of its sources counted, or of which a count is none: the rows are counted', async () => {
    const crm = {
      name: 'crm', type: 'contacts', rows: 2, updated_at: null, status: 'ok',
      filters: { city: 'pushed', country: 'pushed', job_title: 'pushed' }, fields: ['id', 'city', 'country', 'job_title'], fill: {}, countries: {},
    };
    const gateway = { sources: [crm] };
    const facets = { city: [{ value: 'Berlin', count: 1 }], country: [{ value: 'DE', count: 2 }], job_title: [{ value: 'CEO', count: -1 }] };
    const server = await serveHttp((request, body, response) => {
      if (request.method === 'GET') response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(gateway));
      else if (JSON.parse(body).facets === undefined) response.writeHead(200, NDJSON).end(lines({ ...ANN, city: 'Berlin' }, { ...BOB, city: 'Berlin' }, END));
      else response.writeHead(200, NDJSON).end(lines({ '@end': { ...END['@end'], facets, warnings: [{ toString: 1 }, 'web has no phone: its rows count as having none', 'crm did not count the facets industry, city: its rows are missing there'] } }));
    });
    const source = sourceAt(`http://127.0.0.1:${server.port}/v1/find`);
    try {
      const asked = (name: string) => source.facet(name, { filters: [], terms: [] }, AbortSignal.timeout(60_000));
      const values = await Promise.all(['city', 'country', 'job_title'].map(async (name) => (await asked(name))!.values));
      assert.deepEqual(values, [[['Berlin', 2]], [['DE', 2]], []]);
    } finally {
      await source.close();
      await server.close();
    }
  });

  it('counts in a facet of a closed list what the rows show: another value of the other side is null here', async () => {
    const crm = { name: 'crm', type: 'contacts', rows: 3, updated_at: null, status: 'ok', filters: { seniority: 'pushed' }, fields: ['id', 'seniority'], fill: {}, countries: {} };
    const facets = { seniority: [{ value: 'VP', count: 2 }, { value: 'sorcerer', count: 1 }] };
    const server = await serveHttp((request, _body, response) => {
      if (request.method === 'GET') response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ sources: [crm] }));
      else response.writeHead(200, NDJSON).end(lines({ '@end': { ...END['@end'], facets } }));
    });
    const source = sourceAt(`http://127.0.0.1:${server.port}/v1/find`);
    try {
      assert.deepEqual(await source.facet('seniority', { filters: [], terms: [] }, AbortSignal.timeout(60_000)), { name: 'seniority', values: [['vp', 2]] });
    } finally {
      await source.close();
      await server.close();
    }
  });

  it('gives rows while what is counted beside them hangs, more of it than there are connections', { timeout: 60_000 }, async () => {
    let hanging = 0;
    const server = await serveHttp((request, body, response) => {
      if (request.method === 'GET') response.end(JSON.stringify({ sources: [{ type: 'contacts', rows: 2, filters: { city: 'pushed', region: 'pushed', industry: 'pushed' } }] }));
      else if (JSON.parse(body).facets !== undefined) hanging += 1;
      else response.writeHead(200, ORDERED).end(lines(ANN, BOB, END));
    });
    const source = sourceAt(`http://127.0.0.1:${server.port}/v1/find`, 1);
    const caller = new AbortController();
    try {
      await source.describe(NEVER);
      const facets = ['city', 'region', 'industry'].map((name) => assert.rejects(source.facet(name, { filters: [], terms: [] }, caller.signal)));
      await until(() => hanging > 0);
      for (let page = 1; page <= 3; page += 1) assert.deepEqual(ids(await outcomeOf(source, { filters: [], terms: [] }, 26, NEVER)), ['partner:1', 'partner:2']);
      caller.abort();
      await Promise.all(facets);
    } finally {
      await source.close();
      await server.close();
    }
  });
});
