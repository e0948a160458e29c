import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COUNTRY_CODES } from '../../../src/model/country.ts';
import { SIZES } from '../../../src/model/field.ts';
import { countryOf } from '../../../src/ingest/normalise/country.ts';
import { emailOf, emailStatusOf } from '../../../src/ingest/normalise/email.ts';
import { linkedinCompanyOf, linkedinPersonOf } from '../../../src/model/linkedin.ts';
import { listOf } from '../../../src/ingest/normalise/list.ts';
import { countOf, dollarsOf, integerOf, yearOf } from '../../../src/ingest/normalise/number.ts';
import { phoneOf } from '../../../src/ingest/normalise/phone.ts';
import { sizeOf, sizeOfCount, sizeOfHeads } from '../../../src/ingest/normalise/size.ts';
import { cut, tidy } from '../../../src/ingest/normalise/text.ts';
import { timeOf } from '../../../src/ingest/normalise/time.ts';
import { domainOf, ownDomainOf, siteDomainOf, websiteOf } from '../../../src/ingest/normalise/web.ts';
import { maps } from './maps.ts';

test('a cell is freed of control and invisible characters, of blanks around and doubled, and of what means nothing', () => {
  maps(tidy, [
    ['  Jane \t\n  Doe ', 'Jane Doe'], ['\ufeffJos\u0065\u0301', 'José'], ['a\u0000b\u200bc', 'abc'], ['\u2068Berlin\u2069', 'Berlin'], ['\u061c\u2066عمان\u2069', 'عمان'], ['lone \ud800 half', 'lone half'], ['O\x92Brien \x96 \x93x\x94\x81', 'O’Brien – “x”'],
    ['', null], ['  ', null], ['NULL', null], ['N/A', null], ['-', null], ['—', null], ['NA', 'NA'], ['Null', 'Null'], ['n.a.', null], ['k. A.', null], ['<NA>', null], ['NaT', null], ['Nat', 'Nat'], ['Citibank, N.A.', 'Citibank, N.A.'],
    ['="00123"', '00123'], ['=" A "', 'A'], ['=""', null], ['="N/A"', null], ['="a"&"b"', '="a"&"b"'], ['=1', '=1'], ["'=Acme", '=Acme'], ["'-1\n2", '-1 2'], ["'\uff0bA", '\uff0bA'], ["'@", '@'], ["'-", null], ["'Acme'", "'Acme'"], ["''=A", "''=A"], ['#REF!', null], ['#NV', null], ['#¿NOMBRE?', null], ['#1', '#1'],
  ]);
  assert.equal(cut('ab😀', 3), 'ab', 'no half of a pair stays');
});

test('a country is known by its codes, its English, official, short and own names, in any case', () => {
  maps(countryOf, [
    ['de', 'DE'], ['DEU', 'DE'], ['UK', 'GB'], ['U.K.', 'GB'], ['England', 'GB'], ['USA', 'US'], ['U.S.A.', 'US'], ['united states of america', 'US'],
    ['The Netherlands', 'NL'], ['Holland', 'NL'], ['Deutschland', 'DE'], ['España', 'ES'], ['Россия', 'RU'], ['日本', 'JP'], ['中国', 'CN'], ['대한민국', 'KR'],
    ['ประเทศไทย', null], ['ไทย', 'TH'], ['Ελλάδα', 'GR'], ['Côte d\'Ivoire', 'CI'], ['Ivory Coast', 'CI'], ['Korea, Republic of', 'KR'], ['Trinidad & Tobago', 'TT'],
    ['Congo, the Democratic Republic of the', 'CD'], ['Swaziland', 'SZ'], ['Turkiye', 'TR'], ['Türkei', 'TR'], ['Viet Nam', 'VN'], ['Taiwan, Province of China', 'TW'],
    ['Germany (DE)', 'DE'], ['GB - United Kingdom', 'GB'], ['United States of America (USA)', 'US'], ['Congo (Brazzaville, DRC)', null], ['Germany, Austria', null], ['Großbritannien', 'GB'],
    ['NA', 'NA'], ['D', 'DE'], ['A', 'AT'], ['X', null], ['Atlantis', null], ['', null], ['XX', null], ['ß', null], ['ıt', null], ['ﬁ', null],
  ]);
  maps(countryOf, [
    ['США', 'US'], ['EUA', 'US'], ['アメリカ', 'US'], ['香港', 'HK'], ['澳門', 'MO'], ['한국', 'KR'], ['臺灣', 'TW'], ['中国大陆', 'CN'], ['РФ', 'RU'], ['Российская Федерация', 'RU'], ['Белоруссия', 'BY'],
    ['İngiltere', 'GB'], ['Česká republika', 'CZ'], ['République tchèque', 'CZ'], ['السعودية', 'SA'], ['VAE', 'AE'], ['阿联酋', 'AE'], ['Ireland, Republic of', 'IE'], ['Congo, Republic of', 'CG'],
  ]);
  maps(countryOf, [
    ['Berlin, Germany', 'DE'], ['San Francisco, California, United States', 'US'], ['Atlanta, Georgia, USA', 'US'], ['Austin, TX, US', 'US'], ['Remote (UK)', 'GB'], ['東京, 日本', 'JP'],
    ['Atlanta, Georgia', null], ['Wilmington, DE', null], ['San Jose, CA', null], ['Gary, Ind', null], ['Doe, D.', null], ['Austin, Texas', null],
    ['DACH (Germany, Austria, Switzerland)', null], ['Germany, Berlin', null], ['Lebanon, Ohio', null],
    ['Paris, France; Berlin, Germany', null], ['Paris, France | Berlin, Germany', null], ['Paris, France / Berlin, Germany', null], ['London, UK & Berlin, Germany', null],
    ['Paris, France – Berlin, Germany', null], ['Port of Spain, Trinidad & Tobago', 'TT'], ['Kinshasa, Congo', null], ['Congo', 'CG'],
    ['Virgin Islands (USA)', 'VI'], ['Virgin Islands, United States', 'VI'], ['Virgin Islands, UK', 'VG'],
  ]);
  const english = new Intl.DisplayNames('en', { type: 'region' });
  for (const code of COUNTRY_CODES) assert.equal(countryOf(english.of(code)!), code, english.of(code));
});

test('an e-mail address is lower case with its domain in ASCII, and null where it can receive no mail', () => {
  maps(emailOf, [
    ['Jane.Doe@ACME.com', 'jane.doe@acme.com'], ['mailto:a@b.co', 'a@b.co'], ['Jane <jane@acme.com>', 'jane@acme.com'], ['a@b.co; c@d.co', 'a@b.co'],
    ['jane@münchen.de', 'jane@xn--mnchen-3ya.de'], ['jane@STRAẞE.de', 'jane@xn--strae-oqa.de'], ['J\u030canis@a.co', '\u01f0anis@a.co'], ['jane', null], ['jane@acme', null], ['@acme.com', null], ['a b@c.d', null], ['.a@b.co', null], ['a@-b.co', null], ['a@1.2.3.4', null],
  ]);
  maps(emailOf, [
    ['bad@@x; jane@acme.com', 'jane@acme.com'], ['a@b.co:::c@d.co', 'a@b.co'], ["'jane@acme.com'", 'jane@acme.com'], ['(jane@acme.com).', 'jane@acme.com'], ['work:jane@acme.com', 'jane@acme.com'],
    ["['a@b.co', 'c@d.co']", 'a@b.co'], ["jo.o'neil@acme.com", "jo.o'neil@acme.com"], ['j***@gmail.com', null], ['j••••@gmail.com', null],
  ]);
  maps(emailOf, [
    ['john,smith@acme.com', null], ['john,smith@acme.com; jo@acme.com', 'jo@acme.com'], ['a@b.co,c@d.co', 'a@b.co'], ['none,jane@acme.com', 'jane@acme.com'], ['-,jane@acme.com', 'jane@acme.com'],
    ['Jane, jane@acme.com', 'jane@acme.com'], ['Doe,Jane <jane@acme.com>', 'jane@acme.com'], ['N/A,jane@acme.com', 'jane@acme.com'], ['x@y,jane@acme.com', 'jane@acme.com'],
  ]);
  // Of a cell as long as a line may be, too.
  assert.equal(emailOf(`${')'.repeat(1_000_000)}x; (jane@acme.com${')'.repeat(1_000_000)}`), 'jane@acme.com');
  assert.equal(emailOf(`a@b${')'.repeat(1_000_000)}x@acme.com`), null);
  maps(emailStatusOf, [['Valid', 'verified'], ['catch-all', 'risky'], ['bounced', 'invalid'], ['Unverified', 'unknown'], ['blue', null]]);
  maps(emailStatusOf, [['Safe to Send', 'verified'], ['ok_for_all', 'risky'], ['CATCH_ALL', 'risky'], ['Accept-All', 'risky'], ['do_not_mail', 'risky'], ['spamtrap', 'risky'], ['Hard-Bounce', 'invalid'], ['unverifiable', 'unknown']]);
});

test('a phone is E.164 where it parses with the country of the row, and else stays as it came', () => {
  assert.equal(phoneOf('(212) 555-0123', 'US'), '+12125550123');
  assert.equal(phoneOf('030 901820', 'DE'), '+4930901820');
  assert.equal(phoneOf('+44 (0)20 7946 0000', null), '+442079460000');
  for (const text of ['0044 20 7946 0000', '00 44 20 7946 0000']) assert.equal(phoneOf(text, null), '+442079460000');
  assert.equal(phoneOf('020 7946 0000 / 020 7946 0001', 'GB'), '+442079460000');
  assert.equal(phoneOf('020 7946 0000', null), '020 7946 0000');
  assert.equal(phoneOf('442079460000.0', 'US'), '442079460000');
  assert.equal(phoneOf('+1 212-555-0123 ::: +1 212-555-0124', null), '+12125550123');
  assert.equal(phoneOf('call me', 'US'), null);
  assert.deepEqual(['000-000-0000', '(000) 000 0000', '000-000-0000; 212-555-0123'].map((text) => phoneOf(text, 'US')), [null, null, '+12125550123']);
  assert.deepEqual(['٠٥٠١٢٣٤٥٦٧', '٠٠٠٠٠٠٠٠', '۰۵۰۱۲۳۴۵۶۷'].map((text) => phoneOf(text, 'SA')), ['+966501234567', null, '+966501234567']);
  assert.deepEqual(['０３－１２３４－５６７８', '０００００００'].map((text) => phoneOf(text, 'JP')), ['+81312345678', null]);
  assert.equal(phoneOf('٠٥٠١٢٣٤٥٦٧', null), '٠٥٠١٢٣٤٥٦٧');
});

test('a stroke behind an area parts no two numbers, and a number that lost digits to a spreadsheet is none', () => {
  for (const text of ['030 / 901820', '(030) / 901820', '+49 (0) 30 / 90 18 20', '0049 30 / 901820', '030 / 901820 / 030 / 901821']) assert.equal(phoneOf(text, 'DE'), '+4930901820', text);
  assert.equal(phoneOf('+49 33203 / 12345', null), '+493320312345');
  assert.equal(phoneOf('+1 (212) 555-0123 / +1 (212) 555-0124', null), '+12125550123');
  assert.equal(phoneOf('2.12556E+09', 'US'), null);
  assert.deepEqual(['4,91711E+12', '1,2125550123E+10', '2125550123, 2125550124'].map((text) => phoneOf(text, 'US')), [null, '+12125550123', '+12125550123']);
  assert.equal(phoneOf('1.2125550123E10', 'US'), '+12125550123');
});

test('a number begins with the code of its country also where the plus before it is lost', () => {
  for (const text of ['491711234567', '49 171 1234567', '(49) 171-1234567', '49 (0) 171 1234567']) assert.equal(phoneOf(text, 'DE'), '+491711234567', text);
  assert.deepEqual(['492111234567', '4921 123456', '171 1234567', '04921 123456'].map((text) => phoneOf(text, 'DE')), ['+492111234567', '+494921123456', '+491711234567', '+494921123456']);
  assert.equal(phoneOf('4921 123456 ext. 12', 'DE'), '+494921123456');
  assert.deepEqual([phoneOf('43 (0) 664 1234567', 'AT'), phoneOf('44(0)20 7946 0000', null), phoneOf('491711234567', 'US')], ['+436641234567', '+442079460000', '491711234567']);
});

test('an address that stands in place of one is none, as many people have it', () => {
  maps(emailOf, [
    ['email_not_unlocked@domain.com', null], ['EMAIL_NOT_UNLOCKED@domain.com', null], ['noemail@noemail.com', null], ['none@none.com', null], ['no@email.com', null], ['no-email@example.org', null],
    ['email_not_unlocked@domain.com; jo@acme.com', 'jo@acme.com'], ['noemail@acme.com', 'noemail@acme.com'], ['norman@noemailer.com', 'norman@noemailer.com'], ['no@nomadic.io', 'no@nomadic.io'],
  ]);
});

test('a phone of which a seller shows some digits is none, and of two lines the first is the number', () => {
  for (const text of ['+1 (XXX) XXX-0123', '212-555-****', '+44 7911 12****', '+49 30 1234••••', '(212) 555-####', '+49 30 1234xx']) assert.equal(phoneOf(text, 'US'), null, text);
  assert.equal(phoneOf('+1 212 *** **23; +1 212-555-0124', 'US'), '+12125550124');
  assert.deepEqual(['212-555-0123 x12', '212-555-0123 ext. 12', 'Exxon 212-555-0123'].map((text) => phoneOf(text, 'US')), ['+12125550123', '+12125550123', '+12125550123']);
  for (const text of ['+49 30 901820 +49 171 1234567', '030 901820 + 49 171 1234567', 'Tel: +49 30 901820']) assert.equal(phoneOf(text, 'DE'), '+4930901820', text);
  assert.deepEqual(['Office 1234 +49 30 901820', '0 +49 30 901820'].map((text) => phoneOf(text, 'DE')), ['Office 1234 +49 30 901820', '+4930901820']);
});

test('a domain is the registrable one, and a page on a shared host gives none', () => {
  maps(domainOf, [
    ['N.V.', null], ['https://n.a/', null], ['x.co', 'x.co'],
    ['www.Medacta.com', 'medacta.com'], ['http://shop.acme.co.uk/x?y', 'acme.co.uk'], ['jane@mail.acme.com', 'acme.com'], ['student.eit.edu.au', 'eit.edu.au'],
    ['münchen.de', 'xn--mnchen-3ya.de'], ['acme.github.io', 'acme.github.io'], ['github.io', 'github.io'], ['co.uk', null],
    ['www.judges.uk.com', 'judges.uk.com'], ['jo@tpgroup.uk.com', 'tpgroup.uk.com'], ['uk.com', 'uk.com'], ['http://one.herokuapp.com/a', 'one.herokuapp.com'], ['shop.acme.krakow.pl', 'acme.krakow.pl'],
    ['127.0.0.1', null], ['nonsense', null], ['', null],
  ]);
  maps(ownDomainOf, [['https://www.linkedin.com/in/ada', null], ['facebook.com/acme', null], ['linkedin.com', 'linkedin.com'], ['https://www.linkedin.com/', 'linkedin.com'], ['https://acme.io/about', 'acme.io'], ['jo@acme.io', 'acme.io'], ['acme.wordpress.com', null], ['https://acme.myshopify.com', null]]);
  maps(siteDomainOf, [['https://judges.uk.com/about', 'judges.uk.com'], ['one.netlify.app', 'one.netlify.app'], ['acme.blogspot.com', null], ['acme.blogspot.de', null], ['acme.blogspot.co.uk', null], ['https://www.facebook.com/acme', null], ['acme.github.io', null], ['https://acme.io', 'acme.io'], ['https://www.etsy.com/', 'etsy.com'], ['amazon.com', 'amazon.com'], ['https://sites.google.com', null], ['https://www.facebook.com/?id=7', null]]);
});

test('a name on a site is no address, whatever domain it looks like', () => {
  for (const site of ['https://www.youtube.com/@acme.io', 'youtube.com/@acme.io', 'https://x.com/@acme.io', 'https://www.xing.com/pages/acme', 'https://acme.en.alibaba.com', 'blog.naver.com/acme']) {
    assert.deepEqual([ownDomainOf(site), siteDomainOf(site)], [null, null], site);
  }
  maps(ownDomainOf, [['https://acme.io/@press.com', 'acme.io'], ['https://jo@acme.io/x', 'acme.io'], ['@acme.io', 'acme.io'], ['jo@acme.io', 'acme.io'], ['alibaba.com', 'alibaba.com']]);
});

test('a website is one https address', () => {
  maps(websiteOf, [
    ['n.v.', null], ['S.A.', null],
    ['http://www.medacta.com', 'https://www.medacta.com'], ['Acme.com/', 'https://acme.com'], ['//acme.com/de/#top', 'https://acme.com/de/'],
    ['https://user:secret@acme.com/x?y=1', 'https://acme.com/x?y=1'], ['ftp://acme.com', null], ['javascript:alert(1)', null], ['http://localhost', null], ['no site', null],
  ]);
});

test('a LinkedIn address has one form, whatever it was copied from', () => {
  maps(linkedinPersonOf, [
    ['http://uk.linkedin.com/in/Jane-Doe/?trk=x', 'https://www.linkedin.com/in/jane-doe'], ['linkedin.com/in/jos%C3%A9', 'https://www.linkedin.com/in/josé'],
    ['jane-doe', 'https://www.linkedin.com/in/jane-doe'], ['in/jane-doe', 'https://www.linkedin.com/in/jane-doe'],
    ['https://www.linkedin.com/in/jane-doe/overlay/photo', 'https://www.linkedin.com/in/jane-doe'],
    ['https://www.linkedin.com/company/acme', null], ['https://evil.example/linkedin.com/in/x', null], ['https://linkedin.com.evil.example/in/x', null],
    ['Yes', null], ['LinkedIn', null], ['profile', null],
  ]);
  maps(linkedinPersonOf, [
    ['linkedin.com/pub/jane-doe/1a/2b3/4c5/', 'https://www.linkedin.com/pub/jane-doe/1a/2b3/4c5'], ['https://www.linkedin.com/sales/lead/ACwAAB,NAME,x1', 'https://www.linkedin.com/sales/lead/acwaab'],
    [`linkedin.com/pub/${'a/'.repeat(200)}`, null], [`linkedin.com/sales/people/${'a'.repeat(201)}`, null], [`linkedin.com/pub/${'/'.repeat(1_000_000)}x`, null],
  ]);
  maps(linkedinCompanyOf, [
    ['https://linkedin.com/company/Acme-Inc/about/', 'https://www.linkedin.com/company/acme-inc'], ['https://www.linkedin.com/edu/mit', 'https://www.linkedin.com/school/mit'],
    ['acme-inc', 'https://www.linkedin.com/company/acme-inc'], ['https://www.linkedin.com/in/jane', null],
  ]);
});

test('the id of a member keeps the case in which alone it leads anywhere', () => {
  const id = 'ACoAABcDeFgBkLmNoPqRsTuVwXyZ0_-23456789';
  for (const text of [`https://www.linkedin.com/in/${id}`, `http://de.LinkedIn.com/IN/${id}/?trk=x`, `/in/${id}`, id]) assert.equal(linkedinPersonOf(text), `https://www.linkedin.com/in/${id}`, text);
  for (const text of [`https://www.linkedin.com/sales/lead/${id},NAME_SEARCH,x1`, `linkedin.com/Sales/Lead/${id}`]) assert.equal(linkedinPersonOf(text), `https://www.linkedin.com/sales/lead/${id}`, text);
  assert.equal(linkedinPersonOf('https://www.linkedin.com/in/ACoA-Jane-Doe'), 'https://www.linkedin.com/in/acoa-jane-doe');
  assert.equal(linkedinCompanyOf(`https://www.linkedin.com/Company/${id}`), `https://www.linkedin.com/company/${id.toLowerCase()}`);
});

test('a list is cut at the separators of Chinese and Japanese, and at the points between skills', () => {
  maps(listOf, [['[Sales, Women\'s Health]', ['Sales', 'Women\'s Health']], ['[a]', ['a']], ['[null, a ]', ['a']], ['[a,,b]', ['a', 'b']], ['[,a]', ['a']], ['"Customer","VIP, gold"', ['Customer', 'VIP, gold']], ['"a"', ['a']], ['[EU] Sales, CRM', ['[EU] Sales', 'CRM']], ['"a" b, c', ['"a" b', 'c']]]);
  maps(listOf, [['销售、市场，运营', ['销售', '市场', '运营']], ['销售；市场', ['销售', '市场']], ['Sales · Public Speaking', ['Sales', 'Public Speaking']], ['Intel·ligència', ['Intel·ligència']]]);
});

test('a size is a bracket, told from a bracket, a range or a count', () => {
  for (const size of SIZES) assert.equal(sizeOf(size), size);
  maps(sizeOf, [
    ['51 - 200 employees', '51-200'], ['10,001+', '10001+'], ['11–50', '11-50'], ['1K-5K', '1001-5000'], ['7', '1-10'], ['5,200', '5001-10000'], ['< 10', '1-10'], ['>10000', '10001+'],
    ['2-10 employees', '1-10'], ['100-250', '51-200'], ['many', null], ['0', null], ['1.2E+04', '10001+'], ['2e2', '51-200'], ['1,5E3', '1001-5000'],
    ['10000+', '10001+'], ['10,000+ employees', '10001+'], ['5k+', '5001-10000'], ['1000 or more', '1001-5000'], ['500 plus', '501-1000'], ['501+', '501-1000'], ['10000', '5001-10000'],
  ]);
  assert.equal(sizeOfCount(10), '1-10');
  assert.equal(sizeOfCount(10_001), '10001+');
  maps(sizeOfHeads, [['10000', '5001-10000'], ['10,000+', '10001+'], ['5k+', '5001-10000'], ['7', '1-10'], ['0', null], ['5000 or more', '5001-10000'], ['many', null]]);
  maps(sizeOfHeads, [['> 5000', '5001-10000'], ['>10,000', '10001+'], ['< 10', '1-10'], ['more than 50 people', '51-200'], ['Mehr als 1.000', '1001-5000'], ['up to 50', '11-50'], ['over 120 in 2023', null], ['$5M+', null], ['>50%', null], ['> 0', '1-10'], ['≥ 50', '51-200'], ['above 50', '51-200'], ['below 11', '1-10'], ['≤ 11', '1-10'], ['Unternehmen mit 11 Leuten', null], ['Overall 50', null]]);
  // Of a cell as long as a line may be, too.
  assert.equal(sizeOfHeads(`> 1${','.repeat(1_000_000)}a1`), null);
  maps(sizeOfHeads, [['5001-10000', '5001-10000'], ['11 to 50 employees', '11-50'], ['1K–5K', '1001-5000'], ['-5', null], ['2024-01-01', null]]);
});

test('a size says as much in words and scripts of other languages', () => {
  maps(sizeOf, [
    ['11-50 kişi', '11-50'], ['50 Kollegen', '11-50'], ['１１～５０人', '11-50'],
    ['2 thousand', '1001-5000'], ['5 тыс.', '1001-5000'], ['1,5k', '1001-5000'], ['1.2万', '10001+'], ['1万人以上', '10001+'], ['2.3M', '10001+'], ['10 mil', null],
    ['5-10K', '5001-10000'], ['1-5 тыс.', '1001-5000'], ['501-1K', '501-1000'], ['1.5k-4k', '1001-5000'],
    ['10000人以上', '10001+'], ['10 000 salariés et plus', '10001+'], ['5000 oder mehr', '5001-10000'], ['Mehr als 10.000', '10001+'], ['más de 5000', '5001-10000'],
    ['moins de 11 salariés', '1-10'], ['1 000 à 4 999 salariés', '1001-5000'],
    ['11-50 M', null], ['51-200 B', null], ['50 T', null], ['$5M', null], ['10,000,000', '10001+'], ['200 m2', '51-200'], ['11,50 members', '11-50'], ['5½', '1-10'], ['200¹', '51-200'],
    ['500 people over time', '201-500'], ['>50%', null], ['50 k€', null], ['$500K - $1M', null],
  ]);
  maps(sizeOfHeads, [['10 à 19 salariés', '11-50'], ['Entre 250 et 499', '201-500'], ['20 bis 49', '11-50'], ['от 10 до 49', '11-50'], ['10 a 49', '11-50'], ['50至99人', '51-200'], ['1e3', '501-1000'], ['120 in 2023', null]]);
  maps(sizeOfHeads, [['120 en 2023', null], ['120 i 2019', null], ['120 al 2024', null], ['1000 à 2000', '1001-5000'], ['1 000 à 1 999 salariés', '1001-5000'], ['tussen 500 en 2000', '501-1000']]);
  maps(sizeOfHeads, [['1.2万', '10001+'], ['11-50 kişi', '11-50'], ['5 тыс.', '1001-5000'], ['10 mil', null]]);
  maps(countOf, [['1.2万', 12_000], ['5 тыс.', 5_000], ['2,5 tsd', 2_500], ['10 mil', null], ['50 kişi', 50]]);
});

test('numbers are read as people write them, and never guessed', () => {
  maps(integerOf, [
    ['1,200', 1200], ['1.200', 1200], ['1958.0', 1958], ['1.2M', 1_200_000], ['1,234,567.89', 1_234_568], ['1.234.567,89', 1_234_568],
    ['12 500', 12_500], ['10,001+', 10_001], ['1234567.891', 1_234_568], ['1200.000', 1200],
    ['0.125', 0], ['0,750M', 750_000], ['1.250M', 1_250_000], ['1,250M', 1_250_000_000],
    ['-1.200', -1200], ['51-200', null], ['ten', null], ['9e99', null], ['1.2E+09', 1_200_000_000], ['1e3', 1000],
  ]);
  maps(dollarsOf, [['$1.2M', 1_200_000], ['USD 5 billion', 5_000_000_000], ['3bn', 3_000_000_000], ['$1.234 billion', 1_234_000_000], ['€3bn', null], ['-5', null], ['5 crore', null], ['5 млн', null], ['3万', null]]);
  maps(yearOf, [['1958', 1958], ['1958-03-01', 1958], ['founded in 1958', 1958], ['1958.0', 1958], ['1958-1960', null], ['58', null]]);
  maps(countOf, [['1,200 employees', 1200], ['51-200', null], ['250 Mitarbeiter', 250], ['ca. 1.200 Beschäftigte', 1200], ['250 salariés', 250], ['1 200 сотрудников', 1200], ['250 чел.', 250]]);
  maps(countOf, [['約1,200人', 1200], ['1.2万名', 12_000], ['１，２００', 1200], ['200¹', null], ['5½', null], ['250 m2', null], ['Mitarbeiter', null], ['11-50人', null]]);
  maps(yearOf, [['１９５８年', 1958]]);
  maps(dollarsOf, [['＄１，２００', 1200]]);
  // Of a cell as long as a line may be, too.
  assert.equal(countOf(`1${' '.repeat(100_000)}x`), null);
});

test('a time is ISO 8601 in UTC, and null where day and month cannot be told apart', () => {
  maps(timeOf, [
    ['2024-05-06', '2024-05-06T00:00:00Z'], ['2024-05-06 10:11:12', '2024-05-06T10:11:12Z'], ['2024-05-06T10:11:12.5+02:00', '2024-05-06T08:11:12.500Z'], ['2024-05-06 10:11:12+00', '2024-05-06T10:11:12Z'],
    ['1714990272', '2024-05-06T10:11:12Z'], ['1714990272123', '2024-05-06T10:11:12.123Z'], ['31.12.2024', '2024-12-31T00:00:00Z'], ['12/31/2024', '2024-12-31T00:00:00Z'], ['2024/1/5', '2024-01-05T00:00:00Z'],
    ['31-12-2024', '2024-12-31T00:00:00Z'], ['12-31-2024 10:11:12.5', '2024-12-31T10:11:12.500Z'], ['5-5-2024 10:11', '2024-05-05T10:11:00Z'], ['03-04-2024', null], ['03-04-2024 10:11:12.5', null], ['31-12-24', null],
    ['May 6, 2024', '2024-05-06T00:00:00Z'], ['6 marzo 2024', '2024-03-06T00:00:00Z'], ['6. marraskuu 2024', null], ['6 marras 2024', null], ['Mon, 6 May 2024 10:11:12 GMT', '2024-05-06T10:11:12Z'], ['03/04/2024', null], ['2024-02-30', null], ['yesterday', null], ['2024-13-01', null],
    ['1969-12-31T23:59:59Z', '1969-12-31T23:59:59Z'], ['1912-06-23', '1912-06-23T00:00:00Z'], ['0099-03-01', '0099-03-01T00:00:00Z'], ['2400-02-29', '2400-02-29T00:00:00Z'], ['0000-01-01', null], ['0001-01-01T00:00:00+02:00', null],
    ['12/31/2024 3:15 PM', '2024-12-31T15:15:00Z'], ['5/16/2024, 12:05 am', '2024-05-16T00:05:00Z'], ['May 6, 2024, 12:00:01 PM', '2024-05-06T12:00:01Z'], ['2024-05-06 13:00 PM', null], ['2024-05-06 0:30 AM', null],
    ['20240506', '2024-05-06T00:00:00Z'], ['20240506T101112Z', '2024-05-06T10:11:12Z'], ['20240506T101112.5+0200', '2024-05-06T08:11:12.500Z'], ['20240506101112', '2024-05-06T10:11:12Z'],
    ['20241306', null], ['12345678', null], ['202405061', null], ['20240506-1011', null],
    ['Mon May 06 2024 10:11:12 GMT+0200 (Central European Summer Time)', '2024-05-06T08:11:12Z'], ['Mon May 06 2024 10:11:12 GMT-0330', '2024-05-06T13:41:12Z'],
    ['2024-05-06 10:11:12 UTC+02:00', '2024-05-06T08:11:12Z'], ['(unknown)', null],
    ['6-May-24', '2024-05-06T00:00:00Z'], ['06-MAY-24 10:11:12', '2024-05-06T10:11:12Z'], ['31-Dec-99', '1999-12-31T00:00:00Z'], ['31-Feb-24', null], ['6-May-245', null], ['10-Nov', null],
    ['06-MAY-24 10.11.12.000000 AM', '2024-05-06T10:11:12Z'], ['06-MAY-24 10.11.12.123456789 PM +02:00', '2024-05-06T20:11:12.123Z'], ['6.5.2024 10.11', '2024-05-06T10:11:00Z'], ['2024-05-06 10:11.50', null], ['2024-05-06 10.5', null],
    ['4155550123', null], ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00Z'],
  ]);
});

test('what stands in brackets behind a time says no more than what stands before it, or tells its zone', () => {
  maps(timeOf, [
    ['2024-05-06 10:11:12 (UTC-05:00)', '2024-05-06T15:11:12Z'], ['2024-05-06 10:11:12 (UTC)', '2024-05-06T10:11:12Z'], ['May 6, 2024 10:11 AM (GMT+0200)', '2024-05-06T08:11:00Z'],
    ['2024-05-06 10:11:12 (EST)', null], ['5/16/2024 3:15 PM (Eastern Time)', null], ['2024-05-06T10:11:12.5+02:00 (CEST)', '2024-05-06T08:11:12.500Z'], ['2024-05-06T10:11:12Z (UTC)', '2024-05-06T10:11:12Z'],
    ['2024-05-06 (Monday)', '2024-05-06T00:00:00Z'], ['0044-03-15 (BC)', null], ['0044-03-15 (BC) 10:11:12', null], ['15 March 0044 (B.C.)', null],
  ]);
  // Of a cell as long as a line may be, too.
  assert.equal(timeOf(`2024-05-06${' '.repeat(1_000_000)}x`), null);
});

test('a time in a zone that no clock can be in is null', () => {
  maps(timeOf, [
    ['2024-05-06T10:11:12+25:00', null], ['2024-05-06T10:11:12-24:00', null], ['2024-05-06 10:11+24', null], ['2024-05-06T10:11:12+99:99', null], ['2024-05-06T10:11:12+02:60', null], ['2024-05-06T10:11:12-0075', null],
    ['20240506T101112+2500', null], ['20240506101112+24', null], ['6 May 2024 10:11 +01:60', null], ['Mon May 06 2024 10:11:12 GMT+2500 (Nowhere)', null], ['2024-05-06 10:11:12 UTC-24:00', null],
    ['2024-05-06T10:11:12+14:00', '2024-05-05T20:11:12Z'], ['2024-05-06T10:11:12-12:00', '2024-05-06T22:11:12Z'], ['2024-05-06T10:11:12+23:59', '2024-05-05T10:12:12Z'], ['20240506T101112+0545', '2024-05-06T04:26:12Z'],
  ]);
});

test('a time may be a day as spreadsheets count it, or stand as Chinese and Japanese write it', () => {
  maps(timeOf, [
    ['45418', '2024-05-06T00:00:00Z'], ['45418.4243', '2024-05-06T10:11:00Z'], ['45418,5', '2024-05-06T12:00:00Z'], ['45418.999999', '2024-05-07T00:00:00Z'],
    ['36526', '2000-01-01T00:00:00Z'], ['73050', '2099-12-31T00:00:00Z'], ['19849', null], ['36525', null], ['73051', null], ['454180', null], ['45418.', null],
    ['2024年5月6日', '2024-05-06T00:00:00Z'], ['2024年05月06日 10:11', '2024-05-06T10:11:00Z'], ['2024年5月6日 10時11分12秒', '2024-05-06T10:11:12Z'], ['2024年5月6日10时11分', '2024-05-06T10:11:00Z'],
    ['2024 年 5 月 6 日 10:11:12', '2024-05-06T10:11:12Z'], ['2024年13月6日', null], ['2024年5月', null], ['2024年5月6日 25:00', null],
  ]);
});

test('a list is cut at one kind of separator, its doubles out and its order kept', () => {
  maps(listOf, [['sql; Python;SQL', ['sql', 'Python']], ['a|b', ['a', 'b']], ['a, b', ['a', 'b']], ['["a","b",null,3]', ['a', 'b', '3']], ['C++', ['C++']], [' ; ', null]]);
  maps(listOf, [
    ["['a b', \"it's\", 'c,d']", ['a b', "it's", 'c,d']], ['{a,"b c",NULL}', ['a', 'b c']], ['{a}', ['a']], ["['it\\'s']", ["it's"]], ["[a], b's, [c]", ['[a]', "b's", '[c]']], ["['']", null],
  ]);
});
