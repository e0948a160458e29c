import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encode } from 'dns-packet';
import { seeded } from '../../bench/support/figures.ts';
import { SEED as seed } from '../support/seed.ts';
import { polite, scriptSmtp } from './support/smtp_script.ts';
import { a, mx, soa, type Act, type Asked } from './support/dns_script.ts';
import { world } from './support/world.ts';

const OUTCOMES = new Set(['unknown', 'undeliverable', 'risky', 'deliverable']);

type Chance = () => number;
const pick = <T>(chance: Chance, all: readonly T[]): T => all[Math.floor(chance() * all.length)]!;

/** Answers as they should be, then bent: bytes flipped, cut, names that point at themselves, counts and TTLs out of all measure. */
function bent({ name, type, id }: Asked, chance: Chance): Act {
  const honest = encode({
    type: 'response', id, flags: 0x8180, questions: [{ type: type as 'MX', name }],
    answers: type === 'MX' ? [mx(name, `mx.${name}`, pick(chance, [60, 0, 0x7fffffff, 0xffffffff]))] : [a(name, '127.0.0.1', 60)],
    authorities: [soa('com', 0xffffffff, 0xffffffff)],
  });
  const bytes = Buffer.from(honest);
  const at = (): number => 12 + Math.floor(chance() * (bytes.length - 12));
  switch (Math.floor(chance() * 7)) {
    case 0: return { raw: bytes.subarray(0, at()) };
    case 1: bytes.writeUInt16BE(0xc000 | at(), Math.min(at(), bytes.length - 2)); break;
    case 2: bytes.writeUInt16BE(0xffff, 6); break;
    case 3: for (let flips = 1 + chance() * 8; flips > 0; flips--) bytes[at()]! ^= 1 << Math.floor(chance() * 8); break;
    case 4: return { raw: Buffer.concat([bytes, Buffer.alloc(3_000, bytes)]) };
    case 5: return { truncated: true };
    default: return { answers: Array.from({ length: 40 }, (_, index) => ({ type: 'CNAME' as const, name: `${index === 0 ? '' : `c${index}.`}${name}`, ttl: 60, data: `c${index + 1}.${name}` })) };
  }
  return { raw: bytes };
}

test(`bent DNS answers break nothing, and nobody is called undeliverable for more than they say (seed ${seed})`, async (t) => {
  const chance = seeded(seed);
  const { bulk } = await world(t, {}, (asked) => (asked.name === '.' ? { authorities: [soa('.')] } : bent(asked, chance)));
  const { results } = await bulk(Array.from({ length: 400 }, (_, index) => `jane@d${index}.com`), null, 20_000);
  for (const { status, expires_at: expires, checked_at: checked } of results) {
    assert.ok(OUTCOMES.has(status));
    assert.ok(Date.parse(expires) - Date.parse(checked) <= 86_400_000);
  }
});

test('a name that points at itself, an answer for another name and a chain without end say nothing', async (t) => {
  const loop = (asked: Asked): Act => {
    const bytes = encode({ type: 'response', id: asked.id, flags: 0x8180, questions: [{ type: 'MX', name: asked.name }], answers: [mx(asked.name, 'mx.acme.com')] });
    bytes.writeUInt16BE(0xc000 | (bytes.length - 2), bytes.length - 2);
    return { raw: bytes };
  };
  const chain = ({ name }: Asked): Act => ({
    answers: Array.from({ length: 20 }, (_, index) => ({
      type: 'CNAME' as const, name: index === 0 ? name : `c${index}.com`, ttl: 60, data: `c${index + 1}.com`,
    })),
  });
  for (const act of [loop, chain]) {
    const { one } = await world(t, {}, (asked) => (asked.name === '.' ? { authorities: [soa('.')] } : act(asked)));
    const { status, reason } = await one('jane@acme.com', null, 20_000);
    assert.deepEqual([status, reason], ['unknown', 'DNS_SERVFAIL']);
  }
});

test(`a mail host that says anything at all never makes a mailbox dead by accident (seed ${seed})`, async (t) => {
  const chance = seeded(seed);
  const pieces = ['250', '2', '-', ' ', '\r\n', '\n', '\r', '\0', '550', '5.7.1', 'x'.repeat(3_000), '\u00e4\ud83d\ude00', '354 go\r\n', '220 ', '421 bye\r\n', 'QUIT'];
  const babble = (): string => Array.from({ length: 1 + Math.floor(chance() * 6) }, () => pick(chance, pieces)).join('');
  const host = await scriptSmtp((line, socket) => (chance() < 0.5 ? babble() : polite(() => '250 ok\r\n')(line, socket)));
  t.after(() => host.close());
  for (let round = 0; round < 12; round++) {
    const { one } = await world(t, { smtp: true, smtpPort: host.port });
    const { status } = await one('jane@acme.com', null, 400);
    assert.notEqual(status, 'undeliverable');
  }
});
