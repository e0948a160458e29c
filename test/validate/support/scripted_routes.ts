import type { TestContext } from 'node:test';
import { monotonicMs } from '../../../src/lib/clock.ts';
import { Deadline } from '../../../src/validate/deadline.ts';
import { openMailRoutes, type MailRoutes } from '../../../src/validate/dns/open.ts';
import { a, mx, scriptDns, soa, type Act, type Asked, type ScriptedDns } from './dns_script.ts';

type ScriptedRoutes = {
  readonly routes: MailRoutes; readonly servers: readonly ScriptedDns[]; readonly clock: { ms: number }; readonly queries: () => number;
  codes(domain: string, timeoutMs?: number): Promise<readonly string[] | null>;
};

/** Look-ups under a clock of their own, by resolvers that answer as the scripts say. */
export async function scriptedRoutes(t: TestContext, scripts: readonly ((asked: Asked) => Act)[], extra: readonly string[] = [], patience = 20): Promise<ScriptedRoutes> {
  const servers = await Promise.all(scripts.map(scriptDns));
  const clock = { ms: 1_700_000_000_000 };
  const routes = openMailRoutes({ servers: [...extra, ...servers.map(({ address }) => address)], isUsable: () => true, now: () => clock.ms, patience });
  t.after(async () => {
    routes.close();
    await Promise.all(servers.map((server) => server.close()));
  });
  return {
    servers, clock, routes,
    codes: (domain, timeoutMs) => codesOf(routes, domain, timeoutMs),
    queries: () => routes.counts().queries,
  };
}

/** What is found of a domain; null where the time was over first. */
export async function codesOf(routes: MailRoutes, domain: string, timeoutMs = 30_000): Promise<readonly string[] | null> {
  const deadline = new Deadline(monotonicMs() + timeoutMs);
  const taken = routes.peek(domain) ?? await routes.wait(domain, deadline);
  deadline.close();
  return taken === null ? null : taken.value.codes;
}

/** A domain in order, whatever its name. */
export function healthy({ name, type }: Asked): Act {
  if (type === 'MX') return { answers: [mx(name, `mx.${name}`)] };
  if (type === 'A') return { answers: [a(name, '192.0.2.1')] };
  return { authorities: [soa('.')] };
}
