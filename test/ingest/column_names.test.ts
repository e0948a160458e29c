import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapColumns } from '../../src/ingest/mapping.ts';
import type { Dataset } from '../../src/model/dataset.ts';

const guess = (dataset: Dataset, ...columns: string[]): Record<string, readonly string[]> =>
  Object.fromEntries(mapColumns(columns, dataset, [], []).feeds.map((feed) => [feed.field, feed.columns]));

test('an address or a number at work is known in the words of other languages, which make no name of that of a company', () => {
  const emails = ['Email ID', 'Official Email ID', 'E-mail pro', 'Adresse e-mail professionnelle', 'Geschäftliche E-Mail-Adresse', 'Correo electrónico de trabajo', 'Email corporativo', 'Email aziendale', 'Zakelijke e-mail', 'Służbowy e-mail', 'Рабочий email'];
  for (const column of emails) assert.deepEqual(guess('contacts', column), { email: [column] });
  const phones = ['Contact Number', 'Tél. pro', 'N° de téléphone', 'Téléphone direct', 'Teléfono de trabajo', 'Telefono ufficio', 'Telefon służbowy', 'Tel.-Nr.', 'Telefon dienstlich', 'Тел.'];
  for (const column of phones) assert.deepEqual(guess('contacts', column), { phone: [column] });
  assert.deepEqual(guess('contacts', 'Nombre corporativo', 'Nome aziendale', 'Official Name', 'Direct Mail', 'LinkedIn pro'), {});
});

test('whom to ask for is a person of a list that names nobody else', () => {
  assert.deepEqual(guess('contacts', 'Ansprechpartner', 'Name des Unternehmens'), { full_name: ['Ansprechpartner'], company_name: ['Name des Unternehmens'] });
  assert.deepEqual(guess('contacts', 'Vor- und Zuname', 'Ansprechpartner'), { full_name: ['Vor- und Zuname'] });
  assert.deepEqual(guess('contacts', 'Persona de contacto', 'Nombre', 'Apellidos'), { first_name: ['Nombre'], last_name: ['Apellidos'] });
});

test('tables in other languages name dollars, levels and domains, and amounts with the sign of other money are none of dollars', () => {
  assert.deepEqual(guess('companies', 'Domainname des Unternehmens', 'Anzahl der Mitarbeiter', 'Jahresumsatz (USD)', 'Chiffre d\'affaires', 'Letzte Aktualisierung'), {
    domain: ['Domainname des Unternehmens'], employee_count: ['Anzahl der Mitarbeiter'], revenue_usd: ['Jahresumsatz (USD)'], updated_at: ['Letzte Aktualisierung'],
  });
  assert.deepEqual(guess('contacts', 'Poziom stanowiska', 'Nom de domaine de l\'entreprise', 'Tamaño de la empresa'), { seniority: ['Poziom stanowiska'], company_domain: ['Nom de domaine de l\'entreprise'], company_size: ['Tamaño de la empresa'] });
  assert.deepEqual(guess('companies', 'Turnover (£)', 'Revenue (€)', 'Revenue ($)', 'Annual Revenue (US$)'), { revenue_usd: ['Revenue ($)', 'Annual Revenue (US$)'] });
});
