import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressText, unmapped } from '../../src/http/address.ts';

function bytes(groups: string): Uint8Array {
  return Uint8Array.from(groups.split(':').flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]));
}

const TEXTS: Readonly<Record<string, string>> = {
  '0:0:0:0:0:0:0:1': '::1',
  '0:0:0:0:0:0:0:0': '::',
  '2001:db8:0:0:1:0:0:1': '2001:db8::1:0:0:1',
  '2001:db8:0:1:1:1:1:1': '2001:db8:0:1:1:1:1:1',
  '1:0:0:2:0:0:0:3': '1:0:0:2::3',
  'fe80:0:0:0:0:0:0:0': 'fe80::',
  '0:0:0:0:0:ffff:c0a8:1': '192.168.0.1',
};

for (const [groups, text] of Object.entries(TEXTS)) {
  test(`${groups} is written ${text}`, () => { assert.equal(addressText(bytes(groups)), text); });
}

test('four bytes are IPv4, and an address that is none is empty', () => {
  assert.equal(addressText(Uint8Array.of(10, 0, 255, 1)), '10.0.255.1');
  assert.equal(addressText(new Uint8Array(0)), '');
});

test('an IPv4 address in IPv6 clothing is undressed, and nothing else is', () => {
  assert.equal(unmapped('::ffff:10.0.0.1'), '10.0.0.1');
  for (const text of ['::ffff:a00:1', '::1', '10.0.0.1', '']) assert.equal(unmapped(text), text);
});
