import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeClients, networkOf } from '../../src/http/client.ts';
import type { RequestHead } from '../../src/http/exchange.ts';
import { HeaderBlock } from '../../src/http/framing.ts';

function from(remoteAddress: string, headers: Record<string, string> = {}): RequestHead {
  return { method: 'GET', path: '/', query: '', headers: new Map(Object.entries(headers)), remoteAddress, arrivedMs: 0 };
}

test('a forged X-Forwarded-For is ignored: only a named proxy is believed', () => {
  const forged = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' };
  assert.deepEqual(makeClients([])(from('203.0.113.9', forged)), { network: '203.0.113.9', secure: false });
  assert.deepEqual(makeClients(['10.0.0.0/8'])(from('203.0.113.9', forged)), { network: '203.0.113.9', secure: false });
  assert.deepEqual(makeClients(['203.0.113.9'])(from('203.0.113.9', forged)), { network: '198.51.100.7', secure: true });
});

test('of a chain of proxies the first from the right that is not ours is the client, whatever was written before it', () => {
  const clients = makeClients(['10.0.0.0/8', '2001:db8:1::/48']);
  const network = (forwarded: string): string => clients(from('::ffff:10.0.0.1', { 'x-forwarded-for': forwarded })).network;
  assert.equal(network('1.1.1.1, 203.0.113.9, 10.0.0.2'), '203.0.113.9');
  assert.equal(network('203.0.113.9, nonsense'), '10.0.0.1');
  assert.equal(network('203.0.113.9, 2001:db8:1::5'), '203.0.113.9');
  assert.equal(network(''), '10.0.0.1');
});

test('a proxy that adds a line of its own to the header names its peer as one that lengthens the line does', () => {
  const headers = new HeaderBlock();
  for (const line of ['1.1.1.1, 203.0.113.9', '10.0.0.2']) headers.add('x-forwarded-for', line);
  assert.equal(makeClients(['10.0.0.0/8'])({ ...from('10.0.0.1'), headers }).network, '203.0.113.9');
});

test('a proxy may write the port beside the address: the client is the same', () => {
  const clients = makeClients(['10.0.0.0/8', '2001:db8:1::/48']);
  const network = (forwarded: string): string => clients(from('10.0.0.1', { 'x-forwarded-for': forwarded })).network;
  assert.equal(network('203.0.113.9:5678'), '203.0.113.9');
  assert.equal(network('203.0.113.9:5678, 10.0.0.2:443, [2001:db8:1::5]:443'), '203.0.113.9');
  assert.equal(network('[2001:DB8:2::1]:443'), '2001:db8:2:0::/64');
  assert.equal(network('[2001:db8:2::1]'), '2001:db8:2:0::/64');
  assert.equal(network('[::ffff:203.0.113.9]:443'), '203.0.113.9');
  for (const odd of ['203.0.113.9:', '203.0.113.9:x', '[203.0.113.9', '[nonsense]:443', '[203.0.113.9]:443:1', '999.1.1.1:80']) assert.equal(network(odd), '10.0.0.1', odd);
});

test('an IPv4 client is the same however his proxy spells him in IPv6, and so is a proxy of ours', () => {
  const clients = makeClients(['10.0.0.0/8']);
  const network = (forwarded: string): string => clients(from('10.0.0.1', { 'x-forwarded-for': forwarded })).network;
  const spellings = ['::ffff:203.0.113.9', '::ffff:cb00:7109', '::FFFF:CB00:7109', '[::ffff:cb00:7109]:443', '0:0:0:0:0:ffff:203.0.113.9', '0000:0000:0000:0000:0000:ffff:cb00:7109'];
  for (const spelling of spellings) assert.equal(network(spelling), '203.0.113.9', spelling);
  assert.equal(network('203.0.113.9, ::ffff:a00:2'), '203.0.113.9');
  assert.equal(network('2001:db8::1%eth0'), '2001:db8:0:0::/64');
  assert.equal(network('::ffff:0:203.0.113.9'), '0:0:0:0::/64');
});

test('IPv6 counts by /64', () => {
  assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64');
  assert.equal(networkOf('2001:db8:1:2::6'), '2001:db8:1:2::/64');
  assert.equal(networkOf('2001:0DB8::6'), '2001:db8:0:0::/64');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('1::'), '1:0:0:0::/64');
  assert.equal(networkOf('::ffff:0:192.0.2.1'), '0:0:0:0::/64');
  assert.notEqual(networkOf('2001:db8:1:2::6'), networkOf('2001:db8:1:3::6'));
});
