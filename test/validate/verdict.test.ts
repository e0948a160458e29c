import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { REASONS, type DnsCode, type ReasonCode, type SmtpCode, type SyntaxCode } from '../../src/validate/codes.ts';
import { verdictOf, type Findings } from '../../src/validate/verdict.ts';

const codes = <Code extends ReasonCode>(prefix: string): Code[] => REASONS.map(({ code }) => code).filter((code) => code.startsWith(prefix)) as Code[];
const NOTES = new Set<string>(['DNS_MX_IS_IP', 'DNS_MX_IS_CNAME', 'SMTP_DISABLED']);
const GOOD: Findings = { syntax: 'SYNTAX_OK', domain: [], lists: [], dns: ['DNS_MX_OK'], smtp: null, traits: [] };

const findings: fc.Arbitrary<Findings> = fc.record({
  syntax: fc.constantFrom<SyntaxCode>('SYNTAX_OK'),
  domain: fc.subarray<ReasonCode>(['DOMAIN_UNKNOWN_TLD']),
  lists: fc.subarray(codes('LIST_')),
  dns: fc.constantFrom(...codes<DnsCode>('DNS_').filter((code) => !NOTES.has(code))).map((code): readonly [DnsCode] => [code]),
  smtp: fc.option(fc.constantFrom(...codes<SmtpCode>('SMTP_'))),
  traits: fc.subarray(['quoted', 'eai', 'confusable'] as const),
});

const BANDS = { undeliverable: [0, 9], risky: [25, 59], unknown: [20, 74], deliverable: [75, 100] } as const;

test('a score never contradicts its status, the reason leads the reasons, and none stands twice', () => {
  fc.assert(fc.property(findings, (found) => {
    const { status, score, reason, reasons } = verdictOf(found);
    const [min, max] = BANDS[status];
    assert.ok(Number.isInteger(score) && score >= min && score <= max, `${status} ${score}`);
    assert.equal(reasons[0], reason);
    assert.equal(new Set(reasons).size, reasons.length);
  }));
});

test('only the mailbox, the domain or the syntax make an address undeliverable', () => {
  const dead = REASONS.filter(({ status }) => status === 'undeliverable').map(({ code }) => code).filter((code) => !code.startsWith('SYNTAX_'));
  assert.deepEqual(dead, [
    'DOMAIN_SPECIAL_USE', 'DNS_NULL_MX', 'DNS_NXDOMAIN', 'DNS_NO_MAIL_HOST', 'DNS_MX_UNUSABLE', 'DNS_MX_NOT_PUBLIC', 'DNS_SPF_REJECT_ALL',
    'SMTP_MAILBOX_NOT_FOUND', 'SMTP_MAILBOX_DISABLED', 'SMTP_MOVED',
  ]);
});

test('accepted is deliverable; role, free and relay only flag; disposable and typo lower it', () => {
  const of = (lists: readonly ReasonCode[]): string => verdictOf({ ...GOOD, lists, smtp: 'SMTP_ACCEPTED' }).status;
  assert.equal(of([]), 'deliverable');
  assert.equal(of(['LIST_RELAY', 'LIST_FREE', 'LIST_ROLE', 'LIST_PROVIDER_RULE']), 'deliverable');
  assert.equal(of(['LIST_DISPOSABLE']), 'risky');
  assert.equal(of(['LIST_TYPO']), 'risky');
});

test('the deepest finding decides', () => {
  const { reason, level, reasons } = verdictOf({ ...GOOD, domain: ['DOMAIN_UNKNOWN_TLD'], lists: ['LIST_FREE'], smtp: 'SMTP_GREYLISTED' });
  assert.deepEqual([reason, level, reasons], ['SMTP_GREYLISTED', 'mailbox', ['SMTP_GREYLISTED', 'DNS_MX_OK', 'LIST_FREE', 'DOMAIN_UNKNOWN_TLD']]);
});

test('every code is described', () => {
  for (const { code, description } of REASONS) assert.ok(description.length > 5, code);
  assert.equal(new Set(REASONS.map(({ description }) => description)).size, REASONS.length);
});
