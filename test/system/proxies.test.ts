import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { ProxyServer, withoutProxy } from '../support/servers/proxy.ts';
import { readText } from '../support/source_tree.ts';
import { until } from '../support/until.ts';
import { RunningService } from './service.ts';

/** An address of the loopback that is not the proxy's. */
const VISITOR = '127.0.0.5';

/** The first block of this language on a page of docs/. */
function documented(page: string, language: 'nginx' | 'haproxy'): string {
  return new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'ms').exec(readText(`docs/${page}`))![1]!;
}

const nginx = (gateway: number) => (port: number, folder: string): string => {
  const inLocation = documented('operations.md', 'nginx');
  const servers = documented('scale-out.md', 'nginx')
    .replace(/^ {4}proxy_http_version.*\n/m, '')
    .replace('server {\n', `server {\n  listen 127.0.0.1:${port};\n`)
    .replace('location /v1/ {\n', (line) => `location / {\n    proxy_pass http://lds;\n${inLocation}  }\n  ${line}${inLocation}`)
    .replaceAll(/10\.0\.0\.1\d:8080/g, `127.0.0.1:${gateway}`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  return `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/errors; events {}\nhttp { access_log off; ${temporary}\n${servers}}\n`;
};

const haproxy = (gateway: number) => (port: number): string => [
  'defaults', '  mode http', '  timeout client 1h', 'frontend visitors', `  bind 127.0.0.1:${port}`, '  default_backend lds',
  documented('scale-out.md', 'haproxy').replaceAll(/10\.0\.0\.1\d:8080/g, `127.0.0.1:${gateway}`),
].join('\n');

describe('behind a proxy that is set up as docs/ say', { timeout: 300_000 }, () => {
  let service: RunningService;
  before(async () => { service = await RunningService.start({ LDS_DEMO: '0', LDS_TRUSTED_PROXIES: '127.0.0.1' }); });
  after(async () => { await service.stop(); });

  for (const [kind, configuration] of [['nginx', nginx], ['haproxy', haproxy]] as const) {
    test(`${kind} tells who a visitor is and that he came without TLS, whatever he says himself`, { skip: withoutProxy(kind) }, async () => {
      const proxy = await ProxyServer.start(kind, configuration(service.port));
      let said = 0;
      const ask = async (path: string): Promise<IncomingMessage> => {
        const headers = { 'x-forwarded-for': `203.0.113.${said += 1}`, 'x-forwarded-proto': 'https' };
        const [answer] = await once(request({ port: proxy.port, host: '127.0.0.1', localAddress: VISITOR, path, headers }).end(), 'response') as [IncomingMessage];
        answer.resume();
        return answer;
      };
      try {
        await until(async () => (await ask('/v1/sources')).statusCode === 401);
        const left = async (): Promise<number> => Number(/r=(\d+)/.exec(String((await ask('/playground/sources')).headers['ratelimit']))?.[1]);
        const before = await left();
        assert.equal(await left(), before - 1);
        assert.doesNotMatch(String((await ask('/signup')).headers['set-cookie']), /secure/i);
      } finally {
        await proxy.stop();
      }
    });
  }
});
