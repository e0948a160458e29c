import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codePageOf } from '../../src/ingest/code_pages.ts';
import { testLake } from './lake.ts';

/** A text as a program in some country writes it: the decoder of the page, turned round. */
function bytesIn(page: string, text: string): Buffer {
  const codes = new Map<string, readonly number[]>();
  const learn = (bytes: readonly number[]): void => {
    const letter = new TextDecoder(page).decode(Buffer.from(bytes));
    if ([...letter].length === 1 && !codes.has(letter)) codes.set(letter, bytes);
  };
  for (let one = 0; one < 256; one += 1) learn([one]);
  if (!page.startsWith('windows')) for (let lead = 0x81; lead < 0xff; lead += 1) for (let trail = 0x40; trail < 0xff; trail += 1) learn([lead, trail]);
  return Buffer.from([...text].flatMap((letter) => codes.get(letter) ?? assert.fail(`${letter} is not in ${page}`)));
}

const FILES: readonly (readonly [page: string, text: string, fields: Record<string, string>])[] = [
  ['windows-1250', 'Imię;Nazwisko;Miasto;Kraj\r\nŁukasz;Wiśniewski;Łódź;Polska\r\n', { full_name: 'Łukasz Wiśniewski', city: 'Łódź', country: 'PL' }],
  ['windows-1250', 'Jméno;Příjmení;Město;Země\r\nJiří;Dvořák;Plzeň;Česko\r\n', { full_name: 'Jiří Dvořák', city: 'Plzeň', country: 'CZ' }],
  ['windows-1251', 'Имя;Фамилия;Город\r\nИван;Петров;Москва\r\n', { first_name: 'Иван', city: 'Москва' }],
  ['windows-1254', 'Adı;Soyadı;Şehir\r\nIşıl;Yılmaz;İzmir\r\n', { full_name: 'Işıl Yılmaz', city: 'İzmir' }],
  ['shift_jis', '氏名,会社名,市区町村\r\n山田 太郎,ソニー株式会社,豊田市\r\n', { full_name: '山田 太郎', company_name: 'ソニー株式会社', city: '豊田市' }],
  ['euc-kr', '이름,회사명,도시\r\n김철수,삼성전자,서울\r\n', { full_name: '김철수', company_name: '삼성전자', city: '서울' }],
  ['gbk', '姓名,公司名称,城市\r\n王明,华为,深圳\r\n', { full_name: '王明', company_name: '华为', city: '深圳' }],
  ['big5', '姓名,公司名稱,城市\r\n王明,台積電,新竹\r\n', { full_name: '王明', company_name: '台積電', city: '新竹' }],
];

for (const [page, text, fields] of FILES) {
  test(`a file in ${page} is told from its header or its letters, and says so (${text.slice(0, 4)})`, async () => {
    const lake = await testLake();
    const { plans } = await lake.ingest([await lake.file('a.csv', bytesIn(page, text))]);
    const [row] = [...(await lake.rows()).values()];
    assert.deepEqual(Object.fromEntries(Object.keys(fields).map((field) => [field, row![field]])), fields);
    assert.match(plans[0]!.notes[0]!, new RegExp(`is not UTF-8 and is read as ${page}, `));
  });
}

test('Polish below an English header is told from letters that no other language has amid a word', () => {
  const file = (names: string): Buffer => bytesIn('windows-1250', `First Name,Last Name,City\n${names}\n`);
  assert.equal(codePageOf(file('Łukasz,Dąbrowski,Wałbrzych'), null), 'windows-1250');
  assert.equal(codePageOf(file('Jan,Nowak,Kraków'), null), null);
});

test('a western file stays one, whatever its language', () => {
  for (const text of [
    'Prénom;Nom;Société;Ville\nZoé;Lefèvre;L’Oréal;Orléans\n', 'Año;Nombre;Teléfono;Población\n2020;Íñigo Núñez;915 55;Alcorcón\n', 'Straße;Größe;Ort;Gründungsjahr\nA;5 m³/h, 7 km²;Köln;1999\n',
    'Förnamn;Efternamn;Företag;Område\nÅsa;Öberg;Åhléns;Malmö\n', 'Número;Endereço;Função;Cidade\n1;Rua João;Direção;São Paulo\n', 'Næringskode;Navn;Ansatte\n1;Ærø ÅØ;5\n', 'Company,Turnover (£million),Assets (£million)\nMuñez,£thousands,£billions\n', 'First Name,Last Name\nJosé,Muñoz\nAnn,LÃ³pez\nBob,GÃ³mez\n',
    'Company;Revenue;Note¹\nAcme;£5m, £bn;12 cm³ of œuvre³\n',
  ]) assert.equal(codePageOf(Buffer.from(text.replace('’', "'"), 'latin1'), null), null, text);
});

test('a header of very many columns of one name is looked at in every code page in no time', () => {
  const started = performance.now();
  assert.equal(codePageOf(Buffer.from(`Pr\xe9nom${';x'.repeat(30_000)}\n`, 'latin1'), null), null);
  assert.ok(performance.now() - started < 10_000);
});
