import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { test } from 'node:test';
import { isPublicAddress } from '../../src/validate/public_address.ts';

/** Few machines have public addresses of their own: this one is told to. */
const OWN = ['203.0.112.7', '2620:fe::7', 'fe80::7%eth7'];
const interfaces = os.networkInterfaces();
os.networkInterfaces = () => ({ ...interfaces, eth7: OWN.map((address) => ({ address }) as os.NetworkInterfaceInfo) });
syncBuiltinESMExports();

test('public unicast addresses may be dialled', () => {
  for (const address of ['8.8.8.8', '1.1.1.1', '203.0.112.1', '2001:4860:4860::8888', '2a00:1450:4001::1a']) assert.equal(isPublicAddress(address), true, address);
});

test('no address of another kind may, however it is written', () => {
  for (const address of [
    '127.0.0.1', '127.255.0.1', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.2.1', '198.51.100.1', '198.18.0.1', '192.88.99.1',
    '::', '::1', '::7f00:1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', 'fe80::1', 'fe80::1%lo', 'fc00::1', 'fd00::1', 'ff02::1', '64:ff9b::7f00:1', '64:ff9b::808:808', '2002:7f00:1::', '2001::1', '2001:db8::1', '100::1',
    '', 'localhost', '8.8.8', '0x7f.1', '8.8.8.8.8', 'mx.acme.com',
  ]) assert.equal(isPublicAddress(address), false, address);
});

test('our own addresses may not, public or not', () => {
  for (const { address } of Object.values(interfaces).flatMap((all) => all ?? [])) assert.equal(isPublicAddress(address), false, address);
  for (const address of [...OWN, '2620:fe:0::0007']) assert.equal(isPublicAddress(address), false, address);
});
