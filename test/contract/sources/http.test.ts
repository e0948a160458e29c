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

/** The same people behind another gateway, in a lake of its own; `columns`: extras that it has in place of fields. */
async function hostGateway(columns: Record<string, string> = {}): Promise<Hosted> {
  const folder = await mkdtemp(join(tmpdir(), 'lds-http-'));
  const [config, file] = [join(folder, 'config.yaml'), join(folder, 'people.ndjson')];
  const extras = [...EXTRAS, ...Object.values(columns).map((name) => ({ name, type: 'string', description: 'called otherwise' } as const))];
  await writeFile(config, JSON.stringify({ extras: { contacts: extras } }));
  await writeFile(file, people().map((person) => JSON.stringify(person)).join('\n'));
  const service = await RunningService.start({ LDS_CONFIG: config, LDS_DEMO: '0', LDS_LOG_LEVEL: 'error' }, folder);
  const renamed = Object.entries(columns).map(([column, field]) => ({ column, field }));
  await service.ingest('theirs', file, { extras, overrides: [{ column: 'key', field: 'id' }, { column: 'score', field: 'lead_score' }, ...renamed] });
  await until(async () => (await service.find({ type: 'contacts' })).json.total > 0);
  const source = openSource({
    vocabulary: WORDS,
    config: { name: 'crm', dataset: 'contacts', kind: 'http', url: `${service.url}/v1/find`, headers: { authorization: `Bearer ${service.key}` }, columns },
  });
  return { source, name: 'crm', close: async () => { await source.close(); await service.stop(); } };
}

describe('an API that takes the find body', () => sourceSuite(hostApi, { runs: 60 }));
describe('another gateway', () => sourceSuite(hostGateway, { runs: 40 }));
describe('another gateway that calls fields otherwise', () => sourceSuite(() => hostGateway({ email: 'mail', city: 'town', full_name: 'known_as' }), { runs: 40 }));
