import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { domainFacts } from '../../src/validate/domain.ts';
import { readMailbox } from '../../src/validate/lists/canonical.ts';
import { CURATED } from '../../src/validate/lists/disposable.ts';
import { isConfusable } from '../../src/validate/lists/confusable.ts';
import { FREE_DOMAINS, POPULAR_DOMAINS } from '../../src/validate/lists/free.ts';
import { openLists } from '../../src/validate/lists/lists.ts';
import { parseList, readOwnLists, watchOwnLists, writeOwnList, type OwnLists } from '../../src/validate/lists/own.ts';
import { providerOfDomain, providerOfHost } from '../../src/validate/lists/providers.ts';
import { RELAY_DOMAINS } from '../../src/validate/lists/relay.ts';
import { readAddress } from '../../src/validate/syntax/address.ts';
import { folderOf } from '../support/folder.ts';
import { atATry, until } from '../support/until.ts';

const lists = openLists();
const listing = (domain: string) => lists.listing(domain, domainFacts(domain).registrable);

function address(text: string) {
  const reading = readAddress(text);
  assert.ok(reading.ok, text);
  return reading.address;
}

test('disposable, relay and free are kept apart', () => {
  const classes = (domain: string): string[] => (['disposable', 'relay', 'free'] as const).filter((name) => listing(domain)[name]);
  assert.deepEqual(classes('mailinator.com'), ['disposable']);
  assert.deepEqual(classes('deep.below.mailinator.com'), ['disposable']);
  for (const relay of ['privaterelay.appleid.com', 'mozmail.com', 'simplelogin.com', 'anonaddy.com', 'addy.io', 'duck.com', 'jane.anonaddy.me']) assert.deepEqual(classes(relay), ['relay'], relay);
  for (const free of ['gmail.com', 'yahoo.co.uk', 'gmx.de', 'mail.de', 'proton.me', 'icloud.com', 'qq.com']) assert.deepEqual(classes(free), ['free'], free);
  for (const company of ['acme.com', 'microsoft.com', 'bbc.co.uk']) assert.deepEqual(classes(company), [], company);
});

test('no honest provider is called disposable', () => {
  for (const domain of [...FREE_DOMAINS, ...RELAY_DOMAINS]) assert.equal(listing(domain).disposable, false, domain);
});

test('what the wider collection names by mistake is not called disposable', () => {
  const honest = ['nus.edu.sg', 'student.nus.edu.sg', 'tulane.edu', 'nootopics.tulane.edu', 'army.gov', 'aver.com', 'ukmail.com', 'gynzy.nl'];
  for (const domain of honest) assert.equal(listing(domain).disposable, false, domain);
  for (const domain of ['contractor.net', 'priest.com', 'earthling.net', 'hush.ai', 'vfemail.net']) assert.deepEqual([listing(domain).free, listing(domain).disposable, listing(domain).meant], [true, false, null], domain);
  assert.equal(listing('temp.edu.pl').disposable, true, 'anybody may have such a name');
});

test('a likely slip is told with what was meant', () => {
  const slips = {
    'gmial.com': 'gmail.com', 'gmai.com': 'gmail.com', 'gnail.com': 'gmail.com', 'gmail.con': 'gmail.com', 'gmail.co': 'gmail.com', 'gmaill.com': 'gmail.com', 'hotmial.com': 'hotmail.com', 'hotmal.com': 'hotmail.com',
    'yaho.com': 'yahoo.com', 'yahooo.com': 'yahoo.com', 'outlok.com': 'outlook.com', 'outloook.com': 'outlook.com', 'iclould.com': 'icloud.com', '1hotmail.com': 'hotmail.com', 'otmail.com': 'hotmail.com', 'autlook.com': 'outlook.com', 'hotmeil.com': 'hotmail.com', 'hotma8l.com': 'hotmail.com', 'sbcglobat.net': 'sbcglobal.net', 'protonmial.com': 'protonmail.com', 'acme.con': 'acme.com', 'yahoo.co.ukk': 'yahoo.co.uk',
  };
  for (const [written, meant] of Object.entries(slips)) assert.equal(listing(written).meant, meant, written);
});

test('a real domain is nobody\'s slip', () => {
  for (const domain of [...FREE_DOMAINS, ...RELAY_DOMAINS, ...POPULAR_DOMAINS, ...[...CURATED].filter(lists.isKnown)]) assert.equal(listing(domain).meant, null, domain);
  for (const domain of ['acme.com', 'orange.com', 'chapter.net', 'verizon.com', 'mail.de', 'me.net', 'be.com', 'ao.com', 'charter.com', 'outpost.com', 'fastly.com', 'google.com']) assert.equal(listing(domain).meant, null, domain);
});

test('what a letter makes another word of, or a country its own ending, is nobody\'s slip', () => {
  const real = ['cloud.com', 'xcloud.com', 'ucloud.com', 'm-online.de', 'mt-online.de', 'tmail.com', 'fmail.com', 'foxtail.com', 'hotrail.com', 'faxmail.com', 'yahoo.co.il', 'yahoo.com.gr', 'hotmail.co.ug'];
  for (const domain of real) assert.equal(listing(domain).meant, null, domain);
  assert.equal(listing('yahoo.co.ul').meant, 'yahoo.co.uk', 'no country has that ending');
});

test('an ending that is a word of the language of this service is no slip', () => {
  for (const word of ['constructor', 'prototype', 'object']) assert.equal(listing(`acme.${word}`).meant, null, word);
});

test('names of functions are roles, whole and in any case', () => {
  for (const role of ['info', 'Admin', 'postmaster', 'no-reply', 'sales']) assert.equal(lists.isRole(role), true, role);
  for (const role of ['einkauf', 'Presse', 'rrhh', 'segreteria', 'secretariat', 'verkoop', 'biuro', 'kundservice', 'iletisim']) assert.equal(lists.isRole(role), true, role);
  for (const person of ['jane', 'information', 'salesman', 'administrator2']) assert.equal(lists.isRole(person), false, person);
});

test('special-use names are known, and so are suffixes', () => {
  for (const domain of ['a.test', 'b.example', 'c.localhost', 'd.onion', 'e.internal', 'f.arpa']) assert.deepEqual(domainFacts(domain).domainCodes, ['DOMAIN_SPECIAL_USE'], domain);
  assert.deepEqual(domainFacts('mail.acme.co.uk'), { registrable: 'acme.co.uk', domainCodes: [] });
  assert.deepEqual(domainFacts('me.github.io'), { registrable: 'me.github.io', domainCodes: [] });
  assert.deepEqual(domainFacts('acme.nosuchtld').domainCodes, ['DOMAIN_UNKNOWN_TLD']);
});

const MAILBOXES: readonly (readonly [email: string, canonical: string, tag: string | null])[] = [
  ['Jane.Doe+news@GMail.com', 'janedoe@gmail.com', 'news'], ['j.a.n.e@googlemail.com', 'jane@gmail.com', null], ['Jane-news@yahoo.com', 'jane@yahoo.com', 'news'],
  ['jane+x@mac.com', 'jane@icloud.com', 'x'], ['Jane+x@hotmail.co.uk', 'jane@hotmail.co.uk', 'x'], ['Jane-x@yahoo.fr', 'jane@yahoo.fr', 'x'], ['jane-x@yahoo.co.jp', 'jane-x@yahoo.co.jp', null],
  ['Jane.Doe+x@acme.com', 'Jane.Doe+x@acme.com', 'x'], ['j.doe@pm.me', 'jdoe@proton.me', null], ['+jane@gmail.com', '+jane@gmail.com', null],
];

test('the canonical form folds what the provider does not tell apart, and nothing where that is unknown', () => {
  for (const [email, canonical, tag] of MAILBOXES) {
    const one = address(email);
    const mailbox = readMailbox(one, providerOfDomain(one.domain.ascii));
    assert.deepEqual([mailbox.canonical, mailbox.tag], [canonical, tag], email);
  }
});

test('a name that a provider does not give out is noted', () => {
  const possible = (email: string): boolean => readMailbox(address(email), providerOfDomain(address(email).domain.ascii)).possible;
  assert.equal(possible('jane_doe@gmail.com'), false);
  assert.equal(possible('jane.doe@gmail.com'), true);
  assert.equal(possible('jane_doe@acme.com'), true);
});

test('a provider is known by its mail hosts', () => {
  assert.equal(providerOfHost('acme-com.mail.protection.outlook.com')?.name, 'microsoft_365');
  assert.equal(providerOfHost('outlook-com.olc.protection.outlook.com')?.name, 'microsoft');
  assert.equal(providerOfHost('aspmx.l.google.com')?.name, 'google_workspace');
  assert.equal(providerOfHost('gmail-smtp-in.l.google.com')?.name, 'google');
  assert.equal(providerOfHost('mx.acme.com'), null);
});

test('homographs are flagged, honest scripts are not', () => {
  const confusable = (email: string): boolean => isConfusable(address(email), lists.isKnown);
  for (const email of ['a@g\u043e\u043egle.com', 'a@\u0430\u0440\u0440\u04cf\u0435.com', 'a@gmail\u0456.com', 'a@gm\u00e4il.com', 'p\u0430ypal@acme.com', 'a@\u0261mail.com', 'a@\u0262oogle.com', 'a@\u1d18ay\u1d18al.com']) assert.equal(confusable(email), true, email);
  for (const email of ['a@b\u00fccher.de', 'a@bj\u00f8rn.no', 'a@\u043f\u043e\u0447\u0442\u0430.\u0440\u0444', 'a@\u4f8b\u3048.jp', 'j\u00f6rg@acme.com', 'a@\u5317\u4eac.com', 'a@m\u00fcnchen.de']) assert.equal(confusable(email), false, email);
});

test('an own list replaces the built-in one as a whole', async (t) => {
  const folder = folderOf(t);
  const parsed = parseList('disposable', '# ours\nThrow.Away.COM  # bad\n*.b\u00fccher.de\nno domain\n\n');
  assert.deepEqual([[...parsed.names], parsed.rejected, parsed.of], [['throw.away.com', 'xn--bcher-kva.de'], [4], 'line']);
  await writeOwnList(folder, 'disposable', parsed.names, 'test.txt', '2026-01-01');
  const own = openLists(readOwnLists(folder, assert.fail));
  assert.equal(own.listing('x.throw.away.com', 'away.com').disposable, true);
  assert.equal(own.listing('mailinator.com', 'mailinator.com').disposable, false);
  assert.equal(own.listing('gmial.com', 'gmial.com').meant, 'gmail.com');
  await writeOwnList(folder, 'free', ['gmial.com', 'gmail.com'], 'test.txt', '2026-01-01');
  assert.equal(openLists(readOwnLists(folder, assert.fail)).listing('gmial.com', 'gmial.com').meant, null, 'what the operator lists is real');
  const { names, rejected, of } = parseList('role', '["Info", "a b"]');
  assert.deepEqual([[...names], rejected, of], [['info'], [2], 'entry']);
});

test('a list that an editor on Windows saved is read, with the mark that it puts before the first name', () => {
  for (const text of ['mailinator.com\r\nyopmail.com\r\n', '["mailinator.com", "yopmail.com"]\r\n']) {
    const { names, rejected } = parseList('disposable', `\ufeff${text}`);
    assert.deepEqual([[...names], rejected], [['mailinator.com', 'yopmail.com'], []]);
  }
});

test('a list that cannot be read stays as it was, and whoever runs the service hears of it', async (t) => {
  const folder = folderOf(t);
  await writeOwnList(folder, 'role', ['chief'], 'test.txt', '2026-01-01');
  const heard: string[] = [];
  const seen: OwnLists[] = [];
  t.after(watchOwnLists(folder, (own) => seen.push(own), (list, error) => heard.push(`${list} ${(error as Error).name}`), 10));
  writeFileSync(join(folder, 'role.txt'), '["info",');
  mkdirSync(join(folder, 'free.txt'));
  await until(() => new Set(heard).size === 2);
  assert.deepEqual([[...new Set(heard)].toSorted(), seen[0], seen.at(-1)], [['free Error', 'role SyntaxError'], { role: new Set(['chief']) }, { role: new Set(['chief']) }]);
  rmSync(join(folder, 'free.txt'), { recursive: true });
  await writeOwnList(folder, 'role', ['boss'], 'test.txt', '2026-01-01');
  await until(() => seen.at(-1)!.role?.has('boss') === true);
  assert.deepEqual(seen.at(-1), { role: new Set(['boss']) });
});

test('a service that runs takes a long list up without standing still', async (t) => {
  const folder = folderOf(t);
  const names = Array.from({ length: 600_000 }, (_, index) => `throw${index}.com`);
  let size = 0;
  // What it takes of the processor: a busy machine may hold any turn up.
  let before = process.cpuUsage();
  let longestUs = 0;
  const turns = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    longestUs = Math.max(longestUs, user + system);
    before = process.cpuUsage();
  }, 1);
  t.after(() => clearInterval(turns));
  t.after(watchOwnLists(folder, (own) => { size = own.disposable?.size ?? 0; }, assert.fail, 10));
  await atATry(async () => {
    await writeOwnList(folder, 'disposable', names, 'test.txt', '2026-01-01');
    [before, longestUs] = [process.cpuUsage(), 0];
    names.push(`throw${names.length}.com`);
    await until(() => size === names.length - 1);
    return longestUs < 100_000;
  }, 'a turn of the loop of less than 0.1 s');
});
