import { promises as dns } from 'node:dns';
import { connect, createServer } from 'node:net';
import { LIMITS } from '../../config/limits.ts';
import type { Config } from '../../config/schema.ts';
import { isBlockedPort } from './blocked_port.ts';
import { codeOf, fail, ok, warn, type Check } from './check.ts';

type Places = Pick<Config, 'host' | 'port' | 'metricsPort'>;

/** The port of the service, and that of its metrics where it has one. */
export async function checkPorts({ host, port, metricsPort }: Places): Promise<Check[]> {
  const service = await checkPort({ name: 'port', host, port, setting: 'LDS_PORT', servedBy: gatewayAt });
  if (metricsPort === null) return [service];
  if (metricsPort === port && port !== 0) return [service, fail('metrics port', `${port} is the port of the service too`, 'set LDS_METRICS_PORT to another')];
  return [service, await checkPort({ name: 'metrics port', host, port: metricsPort, setting: 'LDS_METRICS_PORT', servedBy: metricsAt })];
}

type Place = { readonly name: string; readonly host: string; readonly port: number; readonly setting: string; servedBy(url: string): Promise<string | null> };

async function checkPort({ name, host, port, setting, servedBy }: Place): Promise<Check> {
  const code = await listenOnce(host, port);
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (code !== null && code !== 'EADDRINUSE')
    return fail(name, `${host} port ${port} cannot be used (${code})`, `set LDS_HOST to an address of this machine, and ${setting} to a port above 1023`);
  let who: string | null = null;
  try {
    // Where nothing listens too: which ports are refused `fetch` alone tells.
    if (port !== 0) who = await servedBy(url);
  } catch (error) {
    if (isBlockedPort(error))
      return warn(name, `${host} port ${port} is one that browsers and Node.js refuse to call`, `set ${setting} to another: no page opens there, and lds find does not reach the gateway`);
  }
  if (code === null) return ok(name, `${host} port ${port} is free`);
  if (who !== null) return ok(name, `${host} port ${port} is served by ${who}`);
  return fail(name, `${host} port ${port} is taken by another program`, `stop it, or set ${setting}`);
}

function listenOnce(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(codeOf(error)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

async function gatewayAt(url: string): Promise<string | null> {
  const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(LIMITS.doctorAnswerMs) });
  const { version, components } = await response.json() as { version?: unknown; components?: unknown };
  return typeof version === 'string' && typeof components === 'object' ? `a gateway, version ${version}` : null;
}

async function metricsAt(url: string): Promise<string | null> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(LIMITS.doctorAnswerMs) });
  return (await response.text()).includes('# TYPE lds_requests_total ') ? 'a gateway' : null;
}

function resolverOf(dnsServers: Config['dnsServers']): dns.Resolver {
  const resolver = new dns.Resolver({ timeout: LIMITS.doctorAnswerMs, tries: 1 });
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  return resolver;
}

/** One that knows the internet knows `com`. Where it says that there is none, every domain would be told undeliverable. */
export async function checkResolvers({ dnsServers }: Config): Promise<Check> {
  const resolver = resolverOf(dnsServers);
  const whose = dnsServers.length > 0 ? 'LDS_DNS_SERVERS' : "the system's resolver";
  try {
    await resolver.resolveSoa('com');
    return ok('dns', `${whose} answers`);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENODATA' || code === 'ENOTFOUND')
      return warn('dns', `${whose} answers, but knows no domain com`, 'email validation would call every domain missing, and its addresses undeliverable: set LDS_DNS_SERVERS to a resolver that knows the internet');
    return warn('dns', `${whose} does not answer (${code})`, 'email validation needs one for its dns stage: set LDS_DNS_SERVERS');
  }
}

/** Only where mailboxes are asked at all: whether port 25 goes out, or whether the backend that does it answers. */
export async function checkMailboxStage(
  { smtp, validatorUrl, dnsServers }: Config,
  reach: { readonly domain: string; readonly port: number } = { domain: 'gmail.com', port: LIMITS.smtpPort },
): Promise<Check[]> {
  if (validatorUrl !== null) {
    const code = await fetch(validatorUrl, { signal: AbortSignal.timeout(LIMITS.doctorAnswerMs) }).then(() => null, failureOf);
    return [code === null ? ok('smtp', 'the server of LDS_VALIDATOR_URL answers') : warn('smtp', `the server of LDS_VALIDATOR_URL does not answer (${code})`, 'start it, or correct LDS_VALIDATOR_URL')];
  }
  if (!smtp) return [];
  const resolver = resolverOf(dnsServers);
  try {
    const hosts = await resolver.resolveMx(reach.domain);
    const [address] = await resolver.resolve4(hosts[0]!.exchange);
    return [await connects(address!, reach.port) ? ok('smtp', `port ${reach.port} goes out`)
      : warn('smtp', `port ${reach.port} does not go out`, 'ask your provider to open it, hand the stage to a server elsewhere with LDS_VALIDATOR_URL, or leave LDS_SMTP off')];
  } catch (error) {
    return [warn('smtp', `no mail host could be looked up to try port ${reach.port} on (${codeOf(error)})`, 'set LDS_DNS_SERVERS')];
  }
}

function failureOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'no answer in time';
  return codeOf(error instanceof Error ? error.cause ?? error : error);
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: LIMITS.doctorAnswerMs });
    const end = (connected: boolean) => (): void => {
      socket.destroy();
      resolve(connected);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}
