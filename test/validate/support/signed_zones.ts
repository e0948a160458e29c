import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runNamed, type RealServer } from './named.ts';

/** How the signatures of a zone are: of what it says, of something else, or of the past. */
const ZONES = { 'signed.net': 'whole', 'forged.net': 'forged', 'expired.net': 'expired', 'plain.net': 'none' } as const;
type Signatures = (typeof ZONES)[keyof typeof ZONES];
const NAMES = Object.keys(ZONES) as (keyof typeof ZONES)[];

export type SignedZones = {
  /** Tells what the zones say, whatever their signatures. */
  readonly authority: RealServer;
  /** Asks it, and holds what it says against the keys of the zones. */
  readonly resolver: RealServer;
};

/** Two BIND: one has the zones, the other trusts their keys as it would that of the root. */
export async function startSignedZones(): Promise<SignedZones> {
  const folder = mkdtempSync(join(tmpdir(), 'lds-signed-'));
  const keys = NAMES.flatMap((zone) => writeZone(folder, zone, ZONES[zone]));
  const zones = NAMES.map((zone) => `zone "${zone}" { type master; file "${zone}"; };`).join('\n');
  const authority = await runNamed(folder, 'recursion no;', zones, 'signed.net');
  const [host, port] = authority.address.split(':');
  const forwards = NAMES.map((zone) => `zone "${zone}" { type forward; forward only; forwarders { ${host} port ${port}; }; };`).join('\n');
  const resolver = await runNamed(mkdtempSync(join(tmpdir(), 'lds-validating-')), 'recursion yes; dnssec-validation yes; empty-zones-enable no;', `trust-anchors { ${keys.join(' ')} };\n${forwards}`, 'signed.net');
  return { authority, resolver };
}

/** Writes the zone as its signatures are to be; gives the trust anchor. */
function writeZone(folder: string, zone: string, signatures: Signatures): string[] {
  const file = join(folder, zone);
  writeFileSync(file, `$TTL 60
@ SOA ns hostmaster 1 3600 600 86400 60
@ NS ns
@ MX 10 mx
ns A 8.8.4.4
mx A 8.8.8.8
bare TXT "no mail here"
`);
  if (signatures === 'none') return [];
  run('dnssec-keygen', ['-q', '-K', folder, '-a', 'ECDSAP256SHA256', '-f', 'KSK', zone]);
  const validity = signatures === 'expired' ? ['-s', '20200101000000', '-e', '20200201000000', '-P'] : [];
  run('dnssec-signzone', ['-q', '-S', '-z', ...validity, '-d', folder, '-K', folder, '-o', zone, '-f', `${file}.signed`, file]);
  const signed = readFileSync(`${file}.signed`, 'utf8');
  writeFileSync(file, signatures === 'forged' ? forged(signed, zone) : signed);
  const key = readFileSync(join(folder, readdirSync(folder).find((name) => name.startsWith(`K${zone}.`) && name.endsWith('.key'))!), 'utf8');
  const [, words] = /DNSKEY\s+(257 3 13) /.exec(key)!;
  return [`"${zone}" static-key ${words} "${key.split('DNSKEY')[1]!.replace(/^\s*257 3 13/, '').replaceAll(/\s/g, '')}";`];
}

/** Another mail host, and another end of the gap in which no name is, under the signatures of the true ones. */
function forged(signed: string, zone: string): string {
  const changed = signed.replace(/MX\t10 mx\./, 'MX\t10 ns.').replaceAll(`NSEC\tbare.${zone}.`, `NSEC\tzzz.${zone}.`);
  if (changed === signed) throw new Error('nothing to forge');
  return changed;
}

function run(command: string, args: readonly string[]): void {
  const done = spawnSync(command, args, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${command}: ${done.error?.message ?? done.stderr}`);
}
