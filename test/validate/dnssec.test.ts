import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { monotonicMs } from '../../src/lib/clock.ts';
import { openValidator, type Validator } from '../../src/validate/open.ts';
import { BIND_MISSING } from './support/named.ts';
import { startSignedZones, type SignedZones } from './support/signed_zones.ts';

suite('zones that are signed, behind a resolver that holds them to it', { skip: BIND_MISSING }, () => {
  let zones: SignedZones;
  let behindResolver: Validator;
  let unvalidated: Validator;
  before(async () => {
    zones = await startSignedZones();
    const open = (address: string): Validator => openValidator({ dnsServers: [address], smtp: false, validatorUrl: null, listsDir: null, controlName: 'signed.net', dnsPatience: 10 });
    behindResolver = open(zones.resolver.address);
    unvalidated = open(zones.authority.address);
  });
  after(async () => {
    behindResolver.close();
    unvalidated.close();
    await zones.resolver.stop();
    await zones.authority.stop();
  });
  const found = async (validator: Validator, domain: string): Promise<unknown[]> => {
    const { results } = await validator.validate([`jane@${domain}`], { stages: null, deadlineMs: monotonicMs() + 30_000 });
    const { status, reason, domain_accepts_mail: accepts, mx } = results[0]!;
    return [status, reason, accepts, mx?.records[0]?.exchange ?? null];
  };

  test('one whose signatures hold is answered as any other: its mail host, and what does not exist', async () => {
    assert.deepEqual(await found(behindResolver, 'signed.net'), ['unknown', 'DNS_MX_OK', true, 'mx.signed.net']);
    assert.deepEqual(await found(behindResolver, 'plain.net'), ['unknown', 'DNS_MX_OK', true, 'mx.plain.net']);
    assert.deepEqual(await found(behindResolver, 'nowhere.signed.net'), ['undeliverable', 'DNS_NXDOMAIN', false, null]);
    assert.deepEqual(await found(behindResolver, 'bare.signed.net'), ['undeliverable', 'DNS_NO_MAIL_HOST', false, null]);
  });

  test('one whose signatures do not hold, or no more, is unknown, never undeliverable', async () => {
    for (const domain of ['forged.net', 'expired.net', 'nowhere.expired.net', 'bare.expired.net']) {
      assert.deepEqual(await found(behindResolver, domain), ['unknown', 'DNS_SERVFAIL', null, null], domain);
    }
  });

  test('a forged proof that a name does not exist is no proof', async () => {
    assert.deepEqual(await found(behindResolver, 'nowhere.forged.net'), ['unknown', 'DNS_SERVFAIL', null, null]);
    assert.deepEqual(await found(unvalidated, 'nowhere.forged.net'), ['undeliverable', 'DNS_NXDOMAIN', false, null]);
  });

  test('where nobody looks at the signatures what the zone says is taken', async () => {
    assert.deepEqual(await found(unvalidated, 'forged.net'), ['unknown', 'DNS_MX_OK', true, 'ns.forged.net']);
    assert.deepEqual(await found(unvalidated, 'expired.net'), ['unknown', 'DNS_MX_OK', true, 'mx.expired.net']);
  });
});
