import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DigestSet, firstWord } from '../../../src/model/suppression/digest_set.ts';
import { Suppressions, SuppressionSets } from '../../../src/model/suppression/suppressions.ts';
import { domainTerms, emailTerms, linkedinTerms, sha256Terms, type SuppressionTerm } from '../../../src/model/suppression/term.ts';
import { fullRow } from '../../segment/support.ts';

function holding(terms: readonly SuppressionTerm[] | null): Suppressions {
  const sets = new SuppressionSets();
  for (const term of terms!) sets.add(term);
  return new Suppressions(sets.shared);
}

const contact = (given: Record<string, string>) => fullRow('contacts', { id: 'a:1', ...given });
const company = (given: Record<string, string>) => fullRow('companies', { id: 'a:1', ...given });

function bytesOf({ shared }: SuppressionSets): number {
  return Object.values(shared).reduce((sum, { byteLength }) => sum + byteLength, 0);
}

describe('the set of digests', () => {
  test('has what was added and not removed, as a plain set', () => {
    // Few different first words, so that places are fought for, and the two that stand for something else among them.
    const digests = fc.tuple(fc.constantFrom(0, 1, 0xfffffffe, 0xffffffff, 0x80000000), fc.nat(15)).map(([first, rest]) => {
      const digest = Buffer.alloc(32, rest);
      digest.writeUInt32BE(first);
      return digest;
    });
    fc.assert(fc.property(fc.array(fc.tuple(fc.boolean(), digests), { maxLength: 300 }), (steps) => {
      const sets = new SuppressionSets();
      // The digests of a reserved first word count as their neighbours'.
      const nameOf = (digest: Buffer): string => `${firstWord(digest)} ${digest.toString('hex', 4, 12)}`;
      const plain = new Set<string>();
      for (const [adds, digest] of steps) {
        const name = nameOf(digest);
        const term = { kind: 'email', digest } as const;
        assert.equal(adds ? sets.add(term) : sets.remove(term), plain.has(name) !== adds);
        if (adds) plain.add(name); else plain.delete(name);
        const set = new DigestSet(sets.shared.email);
        assert.equal(set.size, plain.size);
        assert.equal(set.has(digest), adds);
      }
      for (const [, digest] of steps) {
        const set = new DigestSet(sets.shared.email);
        assert.equal(set.has(digest), plain.has(nameOf(digest)));
        assert.equal(set.hasFirst(firstWord(digest)), [...plain].some((name) => name.startsWith(`${firstWord(digest)} `)));
      }
    }));
  });

  test('finds all of 100,000 through all its growth and none of as many others', () => {
    const sets = new SuppressionSets();
    const known = Array.from({ length: 100_000 }, () => randomBytes(32));
    const room = bytesOf(sets);
    for (const digest of known) sets.add({ kind: 'email', digest });
    for (const digest of known.slice(0, 1_000)) sets.remove({ kind: 'email', digest });
    const set = new DigestSet(sets.shared.email);
    assert.ok(bytesOf(sets) > room && set.size === 99_000);
    assert.ok(known.every((digest, at) => set.has(digest) === at >= 1_000));
    assert.ok(Array.from({ length: 100_000 }, () => randomBytes(32)).every((digest) => !set.has(digest)));
  });

  test('of ten million entries takes less than 200 MB', () => {
    assert.ok(bytesOf(new SuppressionSets({ email: 10_000_000 })) < 200_000_000);
  });
});

describe('a row is suppressed', () => {
  test('by its address, in any case, by its SHA-256, and by no other', () => {
    const hex = createHash('sha256').update('jo@example.com').digest('hex');
    for (const terms of [emailTerms(' Jo@Example.com '), sha256Terms(hex.toUpperCase())]) {
      assert.ok(holding(terms).isSuppressed(contact({ email: 'jo@example.com' })));
      assert.ok(holding(terms).isSuppressed(company({ email: ' JO@example.com' })));
      assert.ok(!holding(terms).isSuppressed(contact({ email: 'jo@example.org' })));
      assert.ok(!holding(terms).isSuppressed(contact({ full_name: 'jo@example.com' })));
    }
  });

  test('by an address with a domain in another script, whichever form it stands in', () => {
    for (const email of ['jo@müller.de', 'jo@xn--mller-kva.de']) {
      assert.ok(holding(emailTerms('jo@müller.de')).isSuppressed(contact({ email })), email);
    }
    assert.ok(holding(emailTerms('jo@xn--mller-kva.de')).isSuppressed(contact({ email: 'jo@müller.de' })));
    assert.ok(holding(emailTerms('jo@MU\u0308LLER.de')).isSuppressed(contact({ email: 'jo@müller.de' })));
    assert.ok(holding(emailTerms('jo\u0308@a.de')).isSuppressed(contact({ email: 'jö@a.de' })));
  });

  test('by the hash of either form of such an address', () => {
    for (const written of ['jo@müller.de', 'jo@xn--mller-kva.de']) {
      const hashed = holding(sha256Terms(createHash('sha256').update(written).digest('hex')));
      for (const email of ['jo@müller.de', 'jo@xn--mller-kva.de', 'Jo@MÜLLER.de']) assert.ok(hashed.isSuppressed(contact({ email })), `${written} ${email}`);
      assert.ok(!hashed.isSuppressed(contact({ email: 'jo@muller.de' })));
    }
  });

  test('no more when it is removed in the other form', () => {
    const sets = new SuppressionSets();
    for (const term of emailTerms('jo@müller.de')!) sets.add(term);
    for (const term of emailTerms('jo@xn--mller-kva.de')!) sets.remove(term);
    assert.ok(new Suppressions(sets.shared).isEmpty);
  });

  test('by a domain in another script, in every field and form', () => {
    for (const domain of ['müller.de', 'xn--mller-kva.de', 'MÜLLER.de.']) {
      const terms = holding(domainTerms(domain));
      for (const site of ['müller.de', 'Müller.DE', 'www.mu\u0308ller.de', 'xn--mller-kva.de', 'müller.de.']) {
        assert.ok(terms.isSuppressed(contact({ company_domain: site })), `${domain} ${site}`);
        assert.ok(terms.isSuppressed(company({ domain: site })), `${domain} ${site}`);
        assert.ok(terms.isSuppressed(company({ email: `info@${site}` })), `${domain} ${site}`);
      }
    }
  });

  test('by the domain of a web address that stands where a domain should', () => {
    const acme = holding(domainTerms('acme.com'));
    for (const domain of ['https://acme.com', 'HTTP://www.Acme.com:8080/about?x=1#top', '//acme.com/', 'https://user@acme.com', 'www.acme.com/about']) assert.ok(acme.isSuppressed(company({ domain })), domain);
    for (const domain of ['https://acme.org/acme.com', 'https://acme.com.example/', 'https://']) assert.equal(acme.isSuppressed(company({ domain })), false, domain);
  });

  test('by the domain of its address, its company or itself, and by one above it', () => {
    const acme = holding(domainTerms('Acme.com'));
    for (const row of [
      contact({ email: 'jo@acme.com' }), contact({ email: 'jo@mail.acme.com' }), contact({ company_domain: 'acme.com' }),
      company({ domain: 'ACME.com' }), company({ email: 'info@acme.com' }),
    ]) {
      assert.ok(acme.isSuppressed(row));
    }
    for (const row of [contact({ email: 'jo@notacme.com' }), contact({ company_domain: 'acme.com.au' }), company({ website: 'https://acme.com' })]) assert.ok(!acme.isSuppressed(row));
  });

  test('by its LinkedIn address, however it is spelled', () => {
    const terms = linkedinTerms('linkedin.com/in/Jo-Doe/?utm=1');
    for (const linkedin_url of ['https://www.linkedin.com/in/jo-doe', 'http://de.linkedin.com/in/JO-DOE/', 'linkedin.com/in/jo-doe#top']) {
      assert.ok(holding(terms).isSuppressed(contact({ linkedin_url })), linkedin_url);
    }
    assert.ok(!holding(terms).isSuppressed(contact({ linkedin_url: 'https://www.linkedin.com/in/jo-doe-2' })));
    const member = 'https://www.linkedin.com/in/ACoAABcDeFgBkLmNoPqRsTuVwXyZ';
    for (const told of [member, member.toLowerCase()]) assert.ok(holding(linkedinTerms(told)).isSuppressed(contact({ linkedin_url: member })), told);
    assert.ok(holding(linkedinTerms('https://www.linkedin.com/company/acme')).isSuppressed(company({ linkedin_url: 'https://www.linkedin.com/company/acme/about' })));
  });
});

test('what is no address, hash, domain or LinkedIn page makes no term', () => {
  for (const text of ['', 'jo', '@example.com', 'jo@', 'jo@a b', 'a\0@b.c', '\ud800@b.com']) assert.equal(emailTerms(text), null, text);
  for (const text of ['', 'abc', 'g'.repeat(64), 'a'.repeat(63)]) assert.equal(sha256Terms(text), null, text);
  for (const text of ['', 'com', 'a..b', 'exa mple.com', 'http://example.com/x', '1.2.3.4']) assert.equal(domainTerms(text), null, text);
  for (const text of ['', 'example.com/in/jo', 'linkedin.com', 'https://www.linkedin.com/feed']) assert.equal(linkedinTerms(text), null, text);
});

test('an address with something beside it makes no term, for no row has it so', () => {
  for (const text of ['Jo <jo@a.de>', '<jo@a.de>', 'mailto:jo@a.de', 'jo@a.de,2025-01-31', 'jo@a.de;', 'jo@a.de.', '"jo@a.de"', "'jo@a.de'", 'Jo jo@a.de', 'a@b.de, jo@a.de']) assert.equal(emailTerms(text), null, text);
  for (const text of ["o'neill+x=1@a.de", 'jo.@a.de', '"Jo <x>, \\" y"@a.de', '用户@例え.テスト', 'jo@a_b.localhost']) assert.notEqual(emailTerms(text), null, text);
});

test('of an address nothing is kept but its SHA-256', () => {
  assert.deepEqual(emailTerms('Jo@Example.com'), [{ kind: 'email', digest: createHash('sha256').update('jo@example.com').digest(), value: null }]);
});
