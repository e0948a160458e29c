import { BlockList, isIP, SocketAddress } from 'node:net';
import { unmapped } from './address.ts';
import type { RequestHead } from './exchange.ts';

/** Who stands behind a request, as far as it can be believed. */
export type Client = {
  /** What callers without a key are counted by: an IPv4 address, or the /64 of an IPv6 one, which is one customer's. */
  readonly network: string;
  /** Whether he reached us, or our proxy, over TLS. */
  readonly secure: boolean;
};

/** `X-Forwarded-For` and `X-Forwarded-Proto` count only from the operator's own proxies: anyone can write them. */
export function makeClients(trustedProxies: readonly string[]): (head: RequestHead) => Client {
  const proxies = new BlockList();
  for (const block of trustedProxies) trust(proxies, block);
  const trusts = (address: string): boolean => isIP(address) !== 0 && proxies.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return ({ remoteAddress, headers }) => {
    const peer = unmapped(remoteAddress);
    if (!trusts(peer)) return { network: networkOf(peer), secure: false };
    const secure = headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase() === 'https';
    return { network: networkOf(forwardedBy(peer, headers.get('x-forwarded-for') ?? '', trusts)), secure };
  };
}

function trust(proxies: BlockList, block: string): void {
  const [address, bits] = block.split('/');
  const family = isIP(address!) === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) proxies.addAddress(address!, family);
  else proxies.addSubnet(address!, Number(bits), family);
}

/** From the right, for each proxy adds its peer there: the first that is no proxy of ours, or the last that is an address at all. */
function forwardedBy(peer: string, header: string, trusts: (address: string) => boolean): string {
  let client = peer;
  for (const text of header.split(',').reverse()) {
    const address = unmapped(spelled(addressOf(text.trim().toLowerCase())));
    if (isIP(address) === 0) return client;
    client = address;
    if (!trusts(address)) return client;
  }
  return client;
}

const WITH_PORT = /^\[([\da-f:.]+)\](?::\d{1,5})?$|^(\d+(?:\.\d+){3}):\d{1,5}$/;

/** Some proxies write where their peer's connection came from, with its port; an IPv6 address then stands in brackets. */
function addressOf(text: string): string {
  const [, bracketed, plain] = WITH_PORT.exec(text) ?? [];
  return bracketed ?? plain ?? text;
}

/** One address has many spellings in IPv6, and an IPv4 one in its clothing more: as sockets spell it. */
function spelled(address: string): string {
  return isIP(address) === 6 ? new SocketAddress({ family: 'ipv6', address: address.replace(/%.*$/, '') }).address : address;
}

export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = address.replace(/%.*$/, '').split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (groups.length < 8 - after) groups.push('0');
    groups.push(...(tail === '' ? [] : tail.split(':')));
  }
  return `${groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
