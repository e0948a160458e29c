import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { IPv6 } from 'ipaddr.js';
import { LIMITS } from '../config/limits.ts';
import { requirePackage } from '../lib/require_package.ts';

const ipaddr = requirePackage('ipaddr.js') as typeof import('ipaddr.js');

/** 6to4, Teredo, NAT64 and their like lie outside, and so does `::7f00:1`, which ipaddr.js takes for unicast. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3') as [IPv6, number];

/** Whether mail may be carried there: a public unicast address that is not one of this machine's own. */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  if (address.kind() === 'ipv6' && !(address as IPv6).match(GLOBAL_UNICAST)) return false;
  return !ownAddresses().has(address.toString());
}

let own: { readonly addresses: ReadonlySet<string>; readonly untilMs: number } | null = null;

function ownAddresses(): ReadonlySet<string> {
  const nowMs = performance.now();
  if (own === null || nowMs > own.untilMs) {
    const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    own = { addresses: new Set(all.map(({ address }) => ipaddr.parse(address.split('%')[0]!).toString())), untilMs: nowMs + LIMITS.ownAddressesKeptMs };
  }
  return own.addresses;
}
