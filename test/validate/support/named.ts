import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/ports.ts';
import { missing } from '../../support/servers/debian.ts';
import { DnsServer } from '../../../src/validate/dns/server.ts';

const ZONES = join(import.meta.dirname, '..', '..', '..', '..', 'test', 'fixtures', 'email');

/** Whether BIND stands on this machine; the tests that need a real name server say so and are skipped without. */
export const BIND_MISSING = missing('bind9', spawnSync('named', ['-v']).status === 0);

export type RealServer = { readonly address: string; stop(): Promise<void> };

/** A real authoritative server for `com`, and for a zone that does not load, which it answers with SERVFAIL. */
export async function startNamed(): Promise<RealServer> {
  const folder = mkdtempSync(join(tmpdir(), 'lds-named-'));
  copyFileSync(join(ZONES, 'com.zone'), join(folder, 'com.zone'));
  writeFileSync(join(folder, 'broken.zone'), 'this is no zone\n');
  writeFileSync(join(folder, 'root.zone'), '$TTL 60\n. SOA a. b. 1 60 60 60 60\n. NS ns.hosts.com.\ncom. NS ns.hosts.com.\nns.hosts.com. A 8.8.8.8\nbroken.net. NS ns.hosts.com.\n');
  return runNamed(folder, 'recursion no; minimal-responses yes;', `
zone "." { type master; file "root.zone"; };
zone "com" { type master; file "com.zone"; };
zone "broken.net" { type master; file "broken.zone"; };
`, 'good.com');
}

/** Runs BIND on a free port in `folder`, which goes when it stops; resolves when it answers for the MX of `known`. */
export async function runNamed(folder: string, options: string, zones: string, known: string): Promise<RealServer> {
  const port = await freePort();
  writeFileSync(join(folder, 'named.conf'), `
options { directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; pid-file "${folder}/pid"; session-keyfile "${folder}/key"; ${options} };
controls { };
${zones}`);
  const child = spawn('named', ['-4', '-n', '1', '-f', '-c', join(folder, 'named.conf')], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => { child.once('exit', () => resolve()); });
  process.once('exit', () => child.kill('SIGKILL'));
  child.unref();
  await answering(port, known);
  return {
    address: `127.0.0.1:${port}`,
    async stop() {
      child.ref();
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

async function answering(port: number, known: string): Promise<void> {
  const server = new DnsServer({ address: '127.0.0.1', port });
  for (let tries = 0; tries < 300; tries++) {
    const reply = await server.ask(known, 'MX', 100);
    if (typeof reply === 'object' && reply.answers.length > 0) return server.close();
    await sleep(50);
  }
  throw new Error('named does not answer');
}
