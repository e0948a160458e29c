import { describe } from 'node:test';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSource } from '../../../src/sources/open.ts';
import { serveFindApi } from '../../support/servers/find_api.ts';
import { until } from '../../support/until.ts';
import { RunningService } from '../../system/service.ts';
import { people } from './people.ts';
import { sourceSuite, WORDS, type Hosted } from './source_suite.ts';

async function hostApi(): Promise<Hosted> {
  const columns = { id: 'key', lead_score: 'score' };
  const api = await serveFindApi(people(), WORDS, columns);
  const source = openSource({ vocabulary: WORDS, config: { name: 'crm', dataset: 'contacts', kind: 'http', url: api.url, headers: {}, columns } });
  return { source, name: 'crm', close: async () => { await source.close(); await api.close(); } };
}

const EXTRAS = [{ name: 'lead_score', type: 'integer', description: 'how promising' }] as const;

/** The same people behind another gateway, in a lake of its own. */
async function hostGateway(): Promise<Hosted> {
  const folder = await mkdtemp(join(tmpdir(), 'lds-http-'));
  const [config, file] = [join(folder, 'config.yaml'), join(folder, 'people.ndjson')];
  await writeFile(config, JSON.stringify({ extras: { contacts: EXTRAS } }));
  await writeFile(file, people().map((person) => JSON.stringify(person)).join('\n'));
  const service = await RunningService.start({ LDS_CONFIG: config, LDS_DEMO: '0', LDS_LOG_LEVEL: 'error' }, folder);
  await service.ingest('theirs', file, { extras: EXTRAS, overrides: [{ column: 'key', field: 'id' }, { column: 'score', field: 'lead_score' }] });
  await until(async () => (await service.find({ type: 'contacts' })).json.total > 0);
  const source = openSource({
    vocabulary: WORDS,
    config: { name: 'crm', dataset: 'contacts', kind: 'http', url: `${service.url}/v1/find`, headers: { authorization: `Bearer ${service.key}` }, columns: {} },
  });
  return { source, name: 'crm', close: async () => { await source.close(); await service.stop(); } };
}

describe('an API that takes the find body', () => sourceSuite(hostApi, { runs: 60 }));
describe('another gateway', () => sourceSuite(hostGateway, { runs: 40 }));
