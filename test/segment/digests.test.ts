import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstWord } from '../../src/model/suppression/digest_set.ts';
import { standsNormal, urlDigest } from '../../src/model/suppression/suppressions.ts';
import { emailDigest, linkedinTerms } from '../../src/model/suppression/term.ts';
import { digestsOf } from '../../src/segment/digests.ts';
import { SEED } from '../support/seed.ts';
import { fullRow, segmentOf } from './support.ts';

const REPLAY = `LDS_FUZZ_SEED=${SEED}`;

const letters = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 6 }).map((any) => any.replaceAll(/\p{Cs}/gu, '')),
  fc.constantFrom('İ', 'K', 'ß', 'É', '\u00a0', '\u2028', '\ufeff', '\u007f', '"', '\\', '\n', '😀'),
);
const slug = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: fc.constantFrom(...'abcxyz019-ABZ'), maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'ab-_.%@[`{/:?#'), maxLength: 12 }) },
  { weight: 1, arbitrary: fc.integer({ min: 95, max: 240 }).map((length) => 'x'.repeat(length)) },
  letters,
);
const head = fc.constantFrom('https://www.linkedin.com/in/', 'https://www.linkedin.com/company/', 'https://www.linkedin.com/school/', 'https://www.linkedin.com/showcase/', 'HTTPS://WWW.LinkedIn.com/IN/', 'https://www.linkedin.com/i', 'https://www.linkedin.com/pub/',
  'http://www.linkedin.com/in/', 'linkedin.com/in/', 'https://de.linkedin.com/in/', 'https://wwwxlinkedin.com/in/', 'https://www.linkedin.com/', 'https://example.com/in/', 'in/', '');
const email = fc.oneof(fc.tuple(slug, fc.constantFrom('@example.com', '@Example.COM', '@bücher.de', '@', '')).map((parts) => parts.join('')), fc.emailAddress(), letters);
const url = fc.tuple(head, slug, fc.constantFrom('', '', '', '/', '?x=1')).map((parts) => parts.join(''));
const around = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom('', '', '', ' ', '\t', '\u00a0'), text, fc.constantFrom('', '', '', ' ', '\n')).map((parts) => parts.join(''));

const wordOf = (text: string | null, digest: (text: string) => Uint8Array): number => {
  const plain = text === null ? '' : text.trim().toLowerCase();
  return plain === '' ? 0 : firstWord(digest(plain));
};

for (const dataset of ['contacts', 'companies'] as const) {
  test(`${dataset}: rows have the digest of their address, however it stands`, async () => {
    const drawn = fc.sample(fc.record({ email: fc.option(around(email), { freq: 9 }), linkedin_url: fc.option(around(url), { freq: 9 }) }), { numRuns: 4_000, seed: SEED });
    const rows = drawn.map((fields, at) => fullRow(dataset, { ...fields, id: `id${at}` }));
    for (const form of ['text', 'compact'] as const) {
      const { segment, stored } = await segmentOf(dataset, rows, [], form);
      const [emails, urls] = [digestsOf(segment, 'email'), digestsOf(segment, 'linkedin_url')];
      stored.forEach((row, at) => {
        assert.equal(emails[at], wordOf(row['email'] as string | null, emailDigest), `${JSON.stringify(row['email'])} ${REPLAY}`);
        assert.equal(urls[at], wordOf(row['linkedin_url'] as string | null, urlDigest), `${JSON.stringify(row['linkedin_url'])} ${REPLAY}`);
      });
    }
  });
}

test('what is told normal by its bytes is the address that a suppression is of', () => {
  const told = fc.sample(url, { numRuns: 4_000, seed: SEED }).filter((text) => /^[\x00-\x7f]*$/.test(text) && standsNormal(Buffer.from(text), 0, text.length));
  assert.ok(told.length > 100);
  for (const text of told) assert.equal(linkedinTerms(text)?.[0]?.value, text.toLowerCase(), REPLAY);
  assert.equal(standsNormal(Buffer.from('https://www.linkedin.com/in/a'), 0, 29), false);
  assert.equal(standsNormal(Buffer.from('https://www.linkedin.com/in/ab'), 0, 29), false);
});
