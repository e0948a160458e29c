import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { failureOf } from '../../src/sources/connect_errors.ts';
import { Authority, NO_OPENSSL } from '../support/certificates.ts';

test('a server whose certificate Node finds too weak was never reached', { skip: NO_OPENSSL }, async (t) => {
  const authority = new Authority();
  t.after(() => { authority.remove(); });
  const { cert, key } = authority.certificate('DNS:localhost', { digest: 'sha1' });
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key), ciphers: 'DEFAULT:@SECLEVEL=0' });
  server.on('tlsClientError', () => {});
  await once(server.listen(0, 'localhost'), 'listening');
  t.after(() => { server.close(); });
  const { port } = server.address() as AddressInfo;
  const [error] = await once(connect({ host: 'localhost', port, ca: readFileSync(authority.cert) }), 'error') as [Error];
  assert.match(error.message, /too weak/);
  const { code, started } = failureOf(error, false);
  assert.deepEqual([code, started], ['unreachable', false]);
});
