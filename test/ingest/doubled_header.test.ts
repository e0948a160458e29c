import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialectOf } from '../../src/ingest/dialect.ts';
import { testLake } from './lake.ts';

const told = { delimiter: null, escape: null, isCut: false };

test('a line of groups above the header is passed over, and said to be', async () => {
  const lake = await testLake();
  for (const [end, groups] of [['\n', 'Person;;;Firma;;'], ['\r\n', 'Kontakt;;;;;Adresse']] as const) {
    const text = [groups, 'Vorname;Nachname;E-Mail;Firmenname;Ort;Land', 'Anna;Groß;anna@gross.de;Groß GmbH;Ulm;Deutschland', ''].join(end);
    const { plans, rejected } = await lake.ingest([await lake.file('a.csv', text)], { mode: 'replace' });
    const [row] = [...(await lake.rows()).values()];
    assert.deepEqual([row!.full_name, row!.email, row!.company_name, row!.city, row!.country, rejected], ['Anna Groß', 'anna@gross.de', 'Groß GmbH', 'Ulm', 'DE', {}]);
    assert.match(plans[0]!.notes[0]!, /the header of .* is line 2: what stands before it is passed over/);
  }
});

test('a name below the group of the company is the company\'s', async () => {
  const lake = await testLake();
  const files = [
    'Company;;Person;\nName;Website;Name;Email\nAcme;acme.com;Jo Doe;jo@acme.com\n',
    'Person;;;Company;\nFirst Name;Last Name;Email;Name;Website\nJo;Doe;jo@acme.com;Acme;acme.com\n',
    'Kontakt;;Firma;\nName;E-Mail;Name;Website\nJo Doe;jo@acme.com;Acme;acme.com\n',
  ];
  for (const text of files) {
    await lake.ingest([await lake.file('a.csv', text)], { mode: 'replace' });
    const [row] = [...(await lake.rows()).values()];
    assert.deepEqual([row!.full_name, row!.email, row!.company_name, row!.company_domain], ['Jo Doe', 'jo@acme.com', 'Acme', 'acme.com'], text);
  }
  const header = (text: string): readonly string[] => dialectOf(text, 'utf-8', told).header;
  assert.deepEqual(header('Person;;Company;\nName;Email;Name;City\nJo;jo@x.de;Acme;Ulm\n'), ['Name', 'Email', 'Company Name', 'City']);
  assert.deepEqual(header('Company list;;;\nName;Email;City;Phone\nJo;jo@x.de;Ulm;1\n'), ['Name', 'Email', 'City', 'Phone'], 'a title is no group');
});

test('a blank line above the header that a spreadsheet filled up with delimiters is passed over', () => {
  const { header, skip } = dialectOf(',,\nName,Email,City\nJo,jo@x.de,Bonn\n', 'utf-8', told);
  assert.deepEqual([header, skip], [['Name', 'Email', 'City'], 1]);
});

test('a second header below the first is no row', async () => {
  const lake = await testLake();
  const { rejected, rows } = await lake.ingest([await lake.file('a.csv', 'Vorname,Nachname,E-Mail,Firma,Notiz\nfirstname,lastname,email,company,\nAnna,Groß,anna@gross.de,Groß GmbH,x\n')]);
  assert.deepEqual([rows, rejected], [1, { 'the header again': 1 }]);
});

test('a header with blank names, and rows that look like names of columns here and there, stay what they are', () => {
  assert.deepEqual(dialectOf(',Name,E-Mail,\n1,Ann,ann@a.co,x\n', 'utf-8', told).header, ['column 1', 'Name', 'E-Mail', 'column 4']);
  assert.deepEqual(dialectOf('Name;;Ort\nFirma;x;Stadt\n', 'utf-8', told).header, ['Name', 'column 2', 'Ort']);
  assert.equal(dialectOf('First Name,Last Name,City\nTitle,Company,Ulm\n', 'utf-8', told).again, null);
  assert.equal(dialectOf('Name,City\nCity,Name\n', 'utf-8', told).again, null);
});
