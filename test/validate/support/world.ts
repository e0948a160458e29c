import type { TestContext } from 'node:test';
import { monotonicMs } from '../../../src/lib/clock.ts';
import { openValidator, type BulkAnswer, type Validator, type ValidatorSettings } from '../../../src/validate/open.ts';
import type { Stage, Validation } from '../../../src/validate/result.ts';
import { a, mx, scriptDns, soa, type Act, type Asked, type ScriptedDns } from './dns_script.ts';

export type Dns = (asked: Asked) => Act;

/** Every domain has a mail host on loopback; but `null.`, `gone.` and `broken.` ones, which are what they say. */
export const ordinary: Dns = ({ name, type }) => {
  if (name.startsWith('null.')) return type === 'MX' ? { answers: [mx(name, '.', 60, 0)] } : { authorities: [soa('.')] };
  if (name.startsWith('gone.')) return { rcode: 3, authorities: [soa('.')] };
  if (name.startsWith('broken.')) return { rcode: 2 };
  if (name.startsWith('silent.')) return null;
  if (type === 'MX') return { answers: [mx(name, `mx.${name}`)] };
  if (type === 'A') return { answers: [a(name, '127.0.0.1')] };
  return { authorities: [soa('.')] };
};

/** What became of each stage, in a line. */
export const stagesOf = ({ stages }: Validation): string[] => stages.map(({ name, status, code }) => `${name} ${status} ${String(code)}`);

export type World = {
  readonly validator: Validator;
  readonly dns: ScriptedDns;
  bulk(addresses: readonly unknown[], stages?: readonly Stage[] | null, timeoutMs?: number): Promise<BulkAnswer>;
  one(address: unknown, stages?: readonly Stage[] | null, timeoutMs?: number): Promise<Validation>;
};

/** Whoever is not silent on purpose is waited for however busy the machine is. */
export async function world(t: TestContext, settings: Partial<ValidatorSettings> & { readonly smtpPort?: number } = {}, dns: Dns = ordinary): Promise<World> {
  const server = await scriptDns(dns);
  const { smtpPort = 1, ...others } = settings;
  const validator = openValidator({
    dnsServers: [server.address], dnsPatience: 20, smtp: false, validatorUrl: null, listsDir: null, ownName: 'probe.example.net', loopback: { isUsable: () => true, smtpPort }, ...others,
  });
  t.after(async () => {
    validator.close();
    await server.close();
  });
  const bulk: World['bulk'] = (addresses, stages = null, timeoutMs = 120_000) => validator.validate(addresses, { stages, deadlineMs: monotonicMs() + timeoutMs });
  return { validator, dns: server, bulk, one: async (address, stages, timeoutMs) => (await bulk([address], stages, timeoutMs)).results[0]! };
}
