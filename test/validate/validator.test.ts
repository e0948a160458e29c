import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { LIMITS } from '../../src/config/limits.ts';
import { ByteSink } from '../../src/encode/byte_sink.ts';
import { monotonicMs } from '../../src/lib/clock.ts';
import { AppError } from '../../src/model/errors.ts';
import { Metrics } from '../../src/telemetry/metrics.ts';
import { exposeValidator } from '../../src/validate/metrics.ts';
import { STAGES, type Stage, type Validation } from '../../src/validate/result.ts';
import type { ResultTexts } from '../../src/validate/result_texts.ts';
import { turnsMeanwhile } from '../support/turns_meanwhile.ts';
import { inTime } from '../support/until.ts';
import { withTime } from '../support/with_time.ts';
import { a, mx, soa } from './support/dns_script.ts';
import { KeptTexts } from './support/texts.ts';
import { ordinary, stagesOf, world } from './support/world.ts';

const unreachable = (error: unknown): boolean => error instanceof AppError && error.code === 'validator_unreachable';

suite('the pipeline', { concurrency: 8 }, () => {
  test('DNS good and SMTP off is unknown at level domain, reason DNS_MX_OK', async (t) => {
    const { one } = await world(t);
    const result = await one('Jane+news@ACME.com');
    assert.deepEqual(
      { ...result, stages: stagesOf(result), checked_at: '', expires_at: '' },
      {
        input: 'Jane+news@ACME.com', email: 'Jane+news@acme.com', local: 'Jane+news', domain: 'acme.com', domain_unicode: 'acme.com', registrable_domain: 'acme.com',
        canonical: 'Jane+news@acme.com', tag: 'news', status: 'unknown', level: 'domain', reason: 'DNS_MX_OK', reasons: ['DNS_MX_OK'], score: 70, suggestion: null,
        syntax_valid: true, domain_accepts_mail: true, mailbox_exists: null,
        flags: {
          disposable: false, relay: false, role: false, free: false, subaddress: true, quoted: false, eai: false, idn: false, confusable: false,
          catch_all: null, mailbox_full: null, mailbox_disabled: null,
        },
        mx: { records: [{ exchange: 'mx.acme.com', preference: 10 }], implicit: false, null_mx: false, provider: null, ttl: 60 }, smtp: null,
        stages: ['syntax pass SYNTAX_OK', 'domain pass null', 'lists pass null', 'dns pass DNS_MX_OK', 'smtp skipped null'], checked_at: '', expires_at: '',
      },
    );
    const keptMs = Date.parse(result.expires_at) - Date.parse(result.checked_at);
    assert.ok(keptMs > 57_000 && keptMs <= 75_000, String(keptMs));
  });

  test('the canonical form at a domain that a provider serves by its MX has no tag where that provider knows tags, and keeps its dots', async (t) => {
    const hosts: Readonly<Record<string, string>> = { 'hosted.com': 'aspmx.l.google.com', 'dashed.com': 'mta5.am0.yahoodns.net', 'own.com': 'mx.own.com', 'gmail.com': 'mx.fastmail.messagingengine.com' };
    const { bulk } = await world(t, {}, (asked) => (asked.type === 'MX' && asked.name in hosts ? { answers: [mx(asked.name, hosts[asked.name]!)] } : ordinary(asked)));
    const names = ['Jane.D+news@hosted.com', '+Jane@hosted.com', '"Jane D+x"@hosted.com', 'Jane-news@dashed.com', 'Jane+news@own.com', 'J.D+x@gmail.com'];
    const canonicals = async (stages: readonly Stage[] | null): Promise<(string | null)[]> => (await bulk(names, stages)).results.map(({ canonical }) => canonical);
    assert.deepEqual(await canonicals(null), ['jane.d@hosted.com', '+jane@hosted.com', '"Jane D+x"@hosted.com', 'Jane-news@dashed.com', 'Jane+news@own.com', 'jd@gmail.com']);
    assert.deepEqual(await canonicals(['lists']), [...names.slice(0, -1), 'jd@gmail.com']);
  });

  test('whether a domain takes mail is unknown of what is no address, and false of a name that is never one on the internet', async (t) => {
    const { bulk } = await world(t);
    const { results } = await bulk([' jane@acme.com', 'a..b@acme.com', 'jane@localhost', 'jane', 7, 'jane@acme.test', 'jane@null.com', 'jane@acme.com']);
    assert.deepEqual(results.map(({ domain_accepts_mail: accepts }) => accepts), [null, null, null, null, null, false, false, true]);
  });

  test('a stage that was skipped gives no reason', async (t) => {
    const { one } = await world(t);
    const { reasons, flags, stages } = await one('info@acme.test');
    assert.deepEqual([reasons, flags.role, stages.find(({ name }) => name === 'lists')?.status], [['DOMAIN_SPECIAL_USE'], true, 'skipped']);
  });

  test('syntax alone asked and good is unknown at level syntax, reason SYNTAX_OK', async (t) => {
    const { one, dns } = await world(t);
    const result = await one('jane@acme.com', ['syntax']);
    assert.deepEqual([result.status, result.level, result.reason, result.domain_accepts_mail], ['unknown', 'syntax', 'SYNTAX_OK', null]);
    assert.equal(dns.asked.length, 0);
  });

  test('bad syntax, special-use names, NXDOMAIN and null MX are undeliverable, and what follows is skipped', async (t) => {
    const { bulk } = await world(t);
    const { results, summary } = await bulk(['a..b@acme.com', 'jane@acme.test', 'jane@gone.com', 'jane@null.com', 7, null]);
    assert.deepEqual(results.map(({ status, level, reason }) => `${status} ${level} ${reason}`), [
      'undeliverable syntax SYNTAX_LOCAL_DOT', 'undeliverable syntax DOMAIN_SPECIAL_USE', 'undeliverable domain DNS_NXDOMAIN', 'undeliverable domain DNS_NULL_MX',
      'undeliverable syntax SYNTAX_NOT_STRING', 'undeliverable syntax SYNTAX_NOT_STRING',
    ]);
    assert.deepEqual(results[0]!.stages.slice(1).map(({ status }) => status), ['skipped', 'skipped', 'skipped', 'skipped']);
    assert.deepEqual(summary, { deliverable: 0, risky: 0, undeliverable: 6, unknown: 0 });
    for (const { score } of results) assert.ok(score <= 9);
  });

  test('addresses beyond ASCII, a hundred times the work of others, let all else have its turn', async (t) => {
    const { bulk } = await world(t);
    const addresses = Array.from({ length: 1_000 }, (_, at) => `jo@${'äöü.'.repeat(20)}gärten${at}.example.com`);
    const { result: { results }, turns } = await turnsMeanwhile(() => bulk(addresses, ['syntax']));
    assert.equal(results.filter(({ syntax_valid: valid }) => valid).length, 1_000);
    assert.ok(turns > 3, `${turns} turns`);
  });

  test('DNS trouble is unknown, never undeliverable', async (t) => {
    const { one } = await world(t);
    const result = await one('jane@broken.com');
    assert.deepEqual([result.status, result.reason, result.domain_accepts_mail, result.mx], ['unknown', 'DNS_SERVFAIL', null, null]);
  });

  test('flags are filled whichever stages are asked; reasons and suggestions only by the lists stage', async (t) => {
    const { one } = await world(t);
    const quiet = await one('info@mailinator.com', ['syntax']);
    assert.deepEqual([quiet.flags.disposable, quiet.flags.role, quiet.reasons], [true, true, ['SYNTAX_OK']]);
    const told = await one('bob@gmial.com', ['lists']);
    assert.deepEqual([told.suggestion, told.reasons], ['bob@gmail.com', ['SYNTAX_OK', 'LIST_TYPO']]);
    assert.equal((await one('a..b@mailinator.com')).flags.disposable, true);
  });

  test('a name that a resolver answers later than it is waited for is looked up once more while there is time, and no third time', (t) => withTime([1, 2, 4], async (dnsPatience) => {
    let asked = 0;
    const { bulk, dns } = await world(t, { dnsPatience }, (question) => {
      if (question.name === 'mute.com') return null;
      // Two tries, each sent once more: by then the look-up is over.
      return question.name === 'cold.com' && ++asked <= 4 ? null : ordinary(question);
    });
    const { results } = await bulk(['a@cold.com', 'b@mute.com']);
    assert.deepEqual(results.map(({ reason }) => reason), ['DNS_MX_OK', 'DNS_TIMEOUT']);
    assert.ok(dns.asked.filter(({ name }) => name === 'mute.com').length <= 8);
  }));

  test('a caller who leaves ends the call at once', async (t) => {
    const leaving = new AbortController();
    const { validator } = await world(t, {}, () => {
      leaving.abort();
      return null;
    });
    // Less than a resolver is waited for here.
    const call = await inTime(validator.validate(['jane@acme.com'], { stages: null, deadlineMs: monotonicMs() + 60_000, signal: leaving.signal }), 10_000);
    assert.ok(call !== 'late');
    assert.equal(call.results[0]!.reason, 'DNS_TIMEOUT');
  });

  test('a call that failed by a fault of ours writes nothing more, whatever is still found: its place in memory is another call\'s by then', async (t) => {
    const isUsable = (address: string): boolean => {
      assert.notEqual(address, '127.0.0.9');
      return true;
    };
    const { validator } = await world(t, { loopback: { isUsable, smtpPort: 1 } }, (asked) => {
      if (asked.name === 'mx.fault.com') return { answers: [a(asked.name, '127.0.0.9')] };
      return asked.name === 'late.com' ? { ...ordinary(asked), delayMs: 200 } : ordinary(asked);
    });
    const texts = new KeptTexts();
    await assert.rejects(validator.write(['jane@fault.com', 'jane@late.com'], { stages: null, deadlineMs: monotonicMs() + 60_000 }, texts), assert.AssertionError);
    await new Promise((resolve) => { setTimeout(resolve, 600); });
    assert.deepEqual(texts.texts, []);
  });

  test('our own resolver gone is validator_unreachable; one domain in trouble is not', async (t) => {
    const dead = await world(t, { dnsServers: ['127.0.0.1:1'] });
    await assert.rejects(dead.one('jane@acme.com'), unreachable);
    await assert.rejects(dead.bulk(['jane@acme.com', 'not an address']), unreachable);
    assert.equal((await dead.one('not an address')).status, 'undeliverable');
    assert.equal((await dead.one('jane@acme.com', ['syntax', 'lists'])).status, 'unknown');
  });

  test('a batch whose resolver goes away in its midst asks again once it is back', async (t) => {
    let controls = 0;
    const { bulk } = await world(t, {}, (asked) => {
      if (asked.name === '.') controls += 1;
      // Back as soon as it has refused the control query.
      return asked.name === '.' || (asked.name === 'b.com' && controls === 0) ? { rcode: 5 } : ordinary(asked);
    });
    const { results } = await bulk(['jane@a.com', 'jane@b.com', 'joe@b.com']);
    assert.deepEqual(results.map(({ reason }) => reason), ['DNS_MX_OK', 'DNS_MX_OK', 'DNS_MX_OK']);
    assert.equal(controls, 1);
  });

  test('nothing is written of a batch that found our own resolver gone, so that its answer can still be a failure', async (t) => {
    const { validator } = await world(t, { dnsServers: ['127.0.0.1:1'] });
    const order: number[] = [];
    const texts: ResultTexts = { sink: new ByteSink(), open: (index) => order.push(index), close: () => {} };
    await assert.rejects(validator.write(['a@one.com', 'b@two.com'], { stages: null, deadlineMs: monotonicMs() + 30_000 }, texts), unreachable);
    assert.deepEqual(order, []);
  });

  test('resolvers that hang are found dead by a control look-up within the default time', (t) => withTime([LIMITS.validateTimeoutMsDefault, 15_000], async (timeoutMs) => {
    const { one } = await world(t, { dnsPatience: 1 }, () => null);
    await assert.rejects(one('jane@acme.com', null, timeoutMs), unreachable);
  }));

  test('a batch costs one look-up a domain, answers duplicates at each place, and keeps the order', async (t) => {
    const { bulk, dns } = await world(t);
    const addresses = Array.from({ length: 300 }, (_, index) => `user${index % 100}@domain${index % 3}.com`);
    const { results, cache, uniqueDomains } = await bulk(addresses);
    assert.deepEqual(results.map(({ input }) => input), addresses);
    const questions = ['domain0.com', 'domain1.com', 'domain2.com'].flatMap((domain) => [`A mx.${domain}`, `MX ${domain}`]).toSorted();
    const asked = (): string[] => dns.asked.map(({ name, type }) => `${type} ${name}`).toSorted();
    assert.deepEqual(asked(), questions);
    assert.deepEqual([cache, uniqueDomains], [{ hits: 0, misses: 3, stale: 0 }, 3]);
    assert.deepEqual((await bulk(addresses)).cache, { hits: 3, misses: 0, stale: 0 });
    assert.deepEqual(asked(), questions);
  });

  test('a stream gives results as they finish, each with its place', async (t) => {
    const { validator } = await world(t, {}, (asked) => (asked.name.includes('slow') ? { ...ordinary(asked), delayMs: 80 } : ordinary(asked)));
    const order: number[] = [];
    const texts: ResultTexts = { sink: new ByteSink(), open: (index) => order.push(index), close: () => {} };
    const end = await validator.write(['a@slow.com', 'b@fast.com', 'bad'], { stages: null, deadlineMs: monotonicMs() + 60_000 }, texts);
    assert.deepEqual(order, [2, 1, 0]);
    assert.equal(end.summary.undeliverable, 1);
  });

  test('hit rates and counts are told', async (t) => {
    const { bulk, validator } = await world(t);
    await bulk(['a@acme.com', 'b@acme.com']);
    await bulk(['c@acme.com']);
    const { caches, dnsQueries, results } = validator.metrics();
    assert.deepEqual([dnsQueries, results.unknown], [2, 3]);
    assert.deepEqual(caches, {
      results: { hits: 0, misses: 0, stale: 0, entries: 0 }, profiles: { hits: 2, misses: 1, stale: 0, entries: 1 }, routes: { hits: 1, misses: 1, stale: 0, entries: 1 },
      mx: { hits: 0, misses: 1, stale: 0, entries: 1 }, addresses: { hits: 0, misses: 1, stale: 0, entries: 1 }, absent: { hits: 0, misses: 2, stale: 0, entries: 0 },
      mailboxes: { hits: 0, misses: 0, stale: 0, entries: 0 }, catch_alls: { hits: 0, misses: 0, stale: 0, entries: 0 }, unwelcome: { hits: 0, misses: 0, stale: 0, entries: 0 },
    });
    const metrics = new Metrics();
    exposeValidator(metrics, validator);
    for (const cache of Object.keys(caches)) assert.ok(metrics.text().includes(`lds_validate_lookups_total{cache="${cache}",outcome="stale"} 0\n`), cache);
    for (const line of ['lds_validate_lookups_total{cache="routes",outcome="hit"} 1', 'lds_validate_dns_queries_total 2', 'lds_validate_results_total{status="unknown"} 3']) assert.ok(metrics.text().includes(`${line}\n`), line);
  });
});

test('every stage has its place in every result', async (t) => {
  const { bulk } = await world(t, {}, () => ({ authorities: [soa('.')] }));
  for (const { stages } of (await bulk(['a@b.com', 'x', 5, 'a@b.test'])).results) assert.deepEqual(stages.map(({ name }) => name), STAGES);
});

test('a deadline holds: 300 ms with every resolver hung is answered before the first of them is given up, with what is known', async (t) => {
  const answer = async (): Promise<{ result: Validation; tookMs: number }> => {
    const { one } = await world(t, { dnsPatience: 1 }, () => null);
    const startMs = performance.now();
    return { result: await one('info@mailinator.com', null, 300), tookMs: performance.now() - startMs };
  };
  let { result, tookMs } = await answer();
  // A machine that stands still now and then holds up any one of them, but not each.
  for (let tries = 1; tries < 20 && tookMs >= LIMITS.dnsTryMs; tries += 1) ({ result, tookMs } = await answer());
  // Timers are whole milliseconds of a clock that was read earlier.
  assert.ok(tookMs >= 295 && tookMs < LIMITS.dnsTryMs, `${tookMs} ms`);
  assert.deepEqual([result.status, result.reason, result.flags.disposable], ['unknown', 'DNS_TIMEOUT', true]);
  assert.deepEqual(stagesOf(result), ['syntax pass SYNTAX_OK', 'domain pass null', 'lists pass LIST_DISPOSABLE', 'dns unknown DNS_TIMEOUT', 'smtp skipped null']);
});

test('a call that is called off rejects with shutting_down, whatever it waits for, and so does one that comes later', async (t) => {
  const { bulk, dns, validator } = await world(t);
  const shuttingDown = (error: unknown): boolean => error instanceof AppError && error.code === 'shutting_down';
  const running = bulk(['a@acme.com', 'b@silent.com']);
  while (!dns.asked.some(({ name }) => name === 'silent.com')) await new Promise(setImmediate);
  validator.callOff();
  await assert.rejects(running, shuttingDown);
  await assert.rejects(bulk(['a@acme.com']), shuttingDown);
});
