import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seeded } from '../../bench/support/figures.ts';
import { LIMITS } from '../../src/config/limits.ts';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { STAGES, type Stage } from '../../src/validate/result.ts';
import { ResultTemplate } from '../../src/validate/result_template.ts';
import { TestClock } from '../accounts/setting.ts';
import { SEED as seed } from '../support/seed.ts';
import { a, mx, soa } from './support/dns_script.ts';
import { KeptTexts } from './support/texts.ts';
import { ordinary, world, type World } from './support/world.ts';

const pick = <T>(chance: () => number, all: readonly T[]): T => all[Math.floor(chance() * all.length)]!;

const LOCALS = [
  'jane', 'Jane.Doe', 'j', 'x'.repeat(64), 'y'.repeat(65), 'info', 'INFO', 'Info+x', 'no-reply', 'info.', '.info', 'in..fo', 'a+b', 'a+', '+a', '+', 'a+b+c', 'j.a.n.e', 'jane-news', 'a_b', "o'brien", 'a/b=c?d',
  '{|}~`^', 'a b', '"jane"', '"a b"', 'a"b', 'a\\b', 'j\u00f6rg', '\u0434\u0436\u0435\u0439\u043d', '\u{1f600}', '\ud800', 'a\u200bb', 'e\u0301', '\ufb01', '\u212Aontakt', '(c)jane', '', '\u0000', 'a\tb', '<jane', 'support', 'x1', 'abuse+tag',
];
const DOMAINS = [
  'acme.com', 'ACME.com', 'Acme.COM', 'sub.acme.co.uk', 'gmail.com', 'googlemail.com', 'GMAIL.com', 'yahoo.com', 'icloud.com', 'proton.me', 'fastmail.com', 'outlook.com', 'gmial.com', 'mailinator.com', 'x.mailinator.com', 'duck.com',
  'web.de', 'null.com', 'gone.com', 'broken.com', 'acme.test', 'acme.unknowntld', 'b\u00fccher.de', 'xn--bcher-kva.de', 'B\u00dcCHER.de', '\u0430\u0440\u0440\u04cf\u0435.com', '\u4f8b\u3048.jp', 'acme', '-a.com', 'a..com', '[127.0.0.1]', 'acme.com.', 'acme.com>', 'acme.com ', 'a@b.com',
  `${'d'.repeat(63)}.${'e'.repeat(63)}.${'f'.repeat(60)}.com`, '"x".com', 'acme.com\u2028', '', '\ufb01rma.com', 'many.com', 'hosted.com',
];
const WANTED: readonly (readonly Stage[] | null)[] = [null, null, null, [], ['domain'], ['lists'], ['domain', 'lists'], ['dns'], ['dns', 'lists'], ['smtp'], [...STAGES]];

const dns: Parameters<typeof world>[2] = (asked) => {
  const { name, type } = asked;
  if (name === 'many.com' && type === 'MX') return { answers: Array.from({ length: 12 }, (_, index) => mx(name, `mx${index}.many.com`, 30, index)) };
  if (name === 'hosted.com' && type === 'MX') return { answers: [mx(name, 'aspmx.l.google.com', 30)] };
  if (name === 'web.de') return type === 'A' ? { answers: [a(name, '127.0.0.1')] } : { authorities: [soa('.')] };
  return ordinary(asked);
};

/** What a stage took is another each time. */
const untimed = (text: string): string => text.replaceAll(/"ms":[\d.e-]+/g, '"ms":0');

/** The texts of a call, and the same as `JSON.stringify` writes what the stages put together as data. */
async function bothWays({ validator }: World, addresses: readonly unknown[], stages: readonly Stage[] | null): Promise<{ readonly texts: KeptTexts; readonly expected: readonly string[] }> {
  const options = () => ({ stages, deadlineMs: monotonicMs() + 60_000 });
  const data = await validator.validate(addresses, options());
  const texts = new KeptTexts();
  const { summary, cache, uniqueDomains } = await validator.write(addresses, options(), texts);
  const again = await validator.validate(addresses, options());
  assert.deepEqual([summary, uniqueDomains], [data.summary, data.uniqueDomains]);
  assert.deepEqual(cache, again.cache);
  return { texts, expected: again.results.map((result) => untimed(JSON.stringify(result))) };
}

/** No clock runs: what was found stays as it is, and the times of all calls are the same. */
const still = { clock: new TestClock() };

suite('results that are known but for the local part', { concurrency: 4 }, () => {
  test(`are written as JSON.stringify writes what the stages find, whatever the address and the stages (seed ${seed})`, async (t) => {
    const chance = seeded(seed);
    const here = await world(t, still, dns);
    for (let round = 0; round < 60; round++) {
      const stages = pick(chance, WANTED);
      const addresses = Array.from({ length: 40 }, () => (chance() < 0.03 ? pick(chance, [7, null, 'no at', [], '']) : `${pick(chance, LOCALS)}@${pick(chance, DOMAINS)}`));
      const { texts, expected } = await bothWays(here, addresses, stages);
      assert.deepEqual(texts.texts.map(untimed), expected, JSON.stringify(stages));
    }
    const { hits, misses } = here.validator.metrics().caches.results;
    assert.ok(hits > 200 && misses > 200, `${hits} known, ${misses} not`);
  });

  test('find room behind others, however little an answer has left and however long their tag is', async (t) => {
    const { one } = await world(t, still, dns);
    for (const [email, canonical] of [['jane+newsletter@acme.com', null], ['jane@acme.com', null], ['j.a.n.e+newsletter@gmail.com', 'jane']] as const) {
      const template = new ResultTemplate(await one(email));
      const whole = textOf(template, email, canonical, new ByteSink());
      for (let left = 0; left <= whole.length + 8; left++) {
        const sink = new ByteSink(LIMITS.sinkBytesMax, 1 + left);
        sink.byte(0x2c);
        assert.equal(textOf(template, email, canonical, sink), `,${whole}`, `${email} where ${left} bytes are left`);
      }
    }
  });

  test('need the same of their domain to have been answered from caches before, and are told with a stage that took no time', async (t) => {
    const { validator } = await world(t, still, dns);
    const call = async (email: string): Promise<string> => {
      const texts = new KeptTexts();
      await validator.write([email], { stages: null, deadlineMs: monotonicMs() + 60_000 }, texts);
      return texts.texts[0]!;
    };
    const known = (): number => validator.metrics().caches.results.hits;
    await call('a@acme.com');
    await call('b@acme.com');
    assert.equal(known(), 0);
    const text = await call('c@acme.com');
    assert.equal(known(), 1);
    assert.deepEqual((JSON.parse(text) as { stages: { ms: number; cache: string | null }[] }).stages.map(({ ms, cache }) => [ms, cache]), [[0, null], [0, null], [0, null], [0, 'hit'], [0, null]]);
    await call('c+tag@acme.com');
    assert.equal(known(), 1, 'an address with a tag is of another kind');
    await call('d+tag@acme.com');
    assert.equal(known(), 2);
  });

  test('of a call that asks nothing of mail hosts do not stand for those of one that does', async (t) => {
    const { validator } = await world(t, { ...still, smtp: true }, dns);
    const call = async (email: string, stages: readonly Stage[] | null): Promise<string> => {
      const texts = new KeptTexts();
      await validator.write([email], { stages, deadlineMs: monotonicMs() + 60_000 }, texts);
      return (JSON.parse(texts.texts[0]!) as { reason: string }).reason;
    };
    for (const email of ['a@acme.com', 'b@acme.com', 'c@acme.com']) assert.equal(await call(email, ['domain', 'lists', 'dns']), 'DNS_MX_OK');
    for (const email of ['a@null.com', 'b@null.com', 'c@null.com']) assert.equal(await call(email, null), 'DNS_NULL_MX');
    assert.equal(validator.metrics().caches.results.hits, 2);
    assert.equal(await call('d@acme.com', null), 'SMTP_CONNECT_FAILED');
    assert.equal(await call('e@acme.com', null), 'SMTP_CONNECT_FAILED');
    assert.equal(validator.metrics().caches.results.hits, 2);
  });

  test('tell the times of their own call, and what a new look-up found', async (t) => {
    const clock = new TestClock();
    clock.unix = Date.UTC(2026, 0, 1);
    let provider = 'mx.one.net';
    const { validator } = await world(t, { clock }, ({ name, type }) => (
      type === 'MX' ? { answers: [mx(name, provider, 60)] } : type === 'A' ? { answers: [a(name, '127.0.0.1', 60)] } : { authorities: [soa('.')] }));
    const call = async (): Promise<{ checked_at: string; expires_at: string; mx: { records: { exchange: string }[] } }> => {
      const texts = new KeptTexts();
      await validator.write(['a@acme.com'], { stages: null, deadlineMs: monotonicMs() + 60_000 }, texts);
      return JSON.parse(texts.texts[0]!) as Awaited<ReturnType<typeof call>>;
    };
    for (let calls = 0; calls < 3; calls++) await call();
    clock.pass(10_500);
    const known = await call();
    assert.deepEqual([known.checked_at, known.expires_at], ['2026-01-01T00:00:10.500Z', '2026-01-01T00:01:00.000Z']);
    assert.equal(validator.metrics().caches.results.hits, 2);
    provider = 'mx.two.net';
    clock.pass(LIMITS.dnsStaleMsSoft + 60_000);
    const fresh = await call();
    assert.deepEqual([fresh.mx.records[0]!.exchange, fresh.checked_at], ['mx.two.net', '2026-01-01T00:01:40.500Z']);
    await call();
    const after = await call();
    assert.deepEqual([after.mx.records[0]!.exchange, after.expires_at], ['mx.two.net', '2026-01-01T00:02:40.000Z']);
    assert.equal(validator.metrics().caches.results.hits, 3);
  });

  test('hold no longer by a wall clock that is set, and tell its times', async (t) => {
    const clock = new TestClock();
    const { one } = await world(t, { clock }, ({ name, type }) => (
      type === 'MX' ? { answers: [mx(name, 'mx.one.net', 60)] } : type === 'A' ? { answers: [a(name, '127.0.0.1', 60)] } : { authorities: [soa('.')] }));
    const told = async (): Promise<unknown[]> => {
      const { stages, checked_at: checkedAt, expires_at: expiresAt } = await one('jo@acme.com');
      return [stages.find(({ name }) => name === 'dns')!.cache, checkedAt, expiresAt];
    };
    clock.jump(365 * 86_400_000);
    assert.deepEqual(await told(), ['miss', '2027-03-14T12:00:00.000Z', '2027-03-14T12:01:00.000Z']);
    clock.jump(-365 * 86_400_000);
    assert.deepEqual(await told(), ['hit', '2026-03-14T12:00:00.000Z', '2026-03-14T12:01:00.000Z']);
    clock.pass(59_000);
    assert.deepEqual(await told(), ['hit', '2026-03-14T12:00:59.000Z', '2026-03-14T12:01:00.000Z']);
    clock.pass(LIMITS.dnsStaleMsSoft + 2_000);
    assert.equal((await told())[0], 'miss');
  });

  test('keep the memory that they may: what was used longest ago goes', async (t) => {
    const { bulk, validator } = await world(t, still, ({ name, type }) => (
      type === 'MX' ? { answers: Array.from({ length: 20 }, (_, index) => mx(name, `${'m'.repeat(60)}${index}.${'n'.repeat(60)}.net`, 60, index)) }
        : type === 'A' ? { answers: [a(name, '127.0.0.1')] } : { authorities: [soa('.')] }));
    const options = () => ({ stages: null, deadlineMs: monotonicMs() + 60_000 });
    await bulk(['a@abcdefghijklmnop.com']);
    const one = new KeptTexts();
    await validator.write(['a@abcdefghijklmnop.com'], options(), one);
    const eachBytes = one.texts[0]!.length + LIMITS.resultTemplateExtraBytes;
    const fit = LIMITS.resultTemplatesBytesMax / eachBytes;
    for (let from = 1; from < 1.2 * fit; from += 1_000) {
      await validator.write(Array.from({ length: 1_000 }, (_, index) => `a@${cased('abcdefghijklmnop', from + index)}.com`), options(), new KeptTexts());
    }
    const { entries } = validator.metrics().caches.results;
    assert.ok(entries < 1.05 * fit && entries > 0.95 * fit, `${entries} where ${fit} fit`);
  });
});

/** All of `sink` once the result of `email` is there too. */
function textOf(template: ResultTemplate, email: string, canonical: string | null, sink: ByteSink): string {
  const letters = email.indexOf('@');
  const plus = email.indexOf('+');
  template.append(sink, email, letters, plus === -1 ? -1 : letters - plus - 1, canonical);
  return Buffer.from(sink.view()).toString();
}

/** A spelling by the bits of `index`. */
function cased(name: string, index: number): string {
  return Array.from(name, (letter, at) => ((index >> at) & 1 ? letter.toUpperCase() : letter)).join('');
}
