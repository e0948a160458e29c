import { promises as dns } from 'node:dns';
import { createServer } from 'node:net';
import type { Config } from '../../config/schema.ts';
import { codeOf, fail, ok, warn, type Check } from './check.ts';

const ANSWER_MS_MAX = 2_000;

export async function checkPort({ host, port }: Config): Promise<Check> {
  const code = await listenOnce(host, port);
  if (code === null) return ok('port', `${host} port ${port} is free`);
  if (code !== 'EADDRINUSE') return fail('port', `${host} port ${port} cannot be used (${code})`, 'set LDS_HOST to an address of this machine, and LDS_PORT to a port above 1023');
  const version = await gatewayAt(host, port);
  if (version !== null) return ok('port', `${host} port ${port} is served by a gateway, version ${version}`);
  return fail('port', `${host} port ${port} is taken by another program`, 'stop it, or set LDS_PORT');
}

function listenOnce(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(codeOf(error)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

async function gatewayAt(host: string, port: number): Promise<string | null> {
  try {
    const name = host.includes(':') ? `[${host}]` : host;
    const response = await fetch(`http://${name}:${port}/health`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    const { version, components } = await response.json() as { version?: unknown; components?: unknown };
    return typeof version === 'string' && typeof components === 'object' ? version : null;
  } catch {
    return null;
  }
}

/** An answer without records is an answer: only silence and refusal tell against a resolver. */
export async function checkResolvers({ dnsServers }: Config): Promise<Check> {
  const resolver = new dns.Resolver({ timeout: ANSWER_MS_MAX, tries: 1 });
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  const whose = dnsServers.length > 0 ? 'LDS_DNS_SERVERS' : "the system's resolver";
  try {
    await resolver.resolveSoa('com');
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'ENODATA' && code !== 'ENOTFOUND')
      return warn('dns', `${whose} does not answer (${code})`, 'email validation needs one for its dns stage: set LDS_DNS_SERVERS');
  }
  return ok('dns', `${whose} answers`);
}
