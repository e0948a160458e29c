import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialectOf, encodingOf, type Told } from '../../src/ingest/dialect.ts';
import { mapColumns, nameOf } from '../../src/ingest/mapping.ts';
import type { Dataset } from '../../src/model/dataset.ts';

const UNTOLD: Told = { delimiter: null, escape: null, isCut: false };

const guess = (dataset: Dataset, ...columns: string[]): Record<string, readonly string[]> =>
  Object.fromEntries(mapColumns(columns, dataset, [], []).feeds.map((feed) => [feed.field, feed.columns]));

test('column names are one whatever their case and separators', () => {
  for (const column of ['Company Name', 'company_name', 'companyName', 'COMPANY-NAME', ' company.name ']) assert.equal(nameOf(column), 'companyname');
});

test('the usual columns of exports are known', () => {
  assert.deepEqual(guess('contacts', 'First Name', 'surname', 'Title', 'Company', 'Work Email', 'Person Linkedin Url', 'Website', '# Employees', 'Mobile Phone'), {
    first_name: ['First Name'], last_name: ['surname'], job_title: ['Title'], email: ['Work Email'], phone: ['Mobile Phone'], linkedin_url: ['Person Linkedin Url'],
    company_name: ['Company'], company_domain: ['Website'], company_size: ['# Employees'],
  });
  assert.deepEqual(guess('companies', 'organisation', 'web_pages', 'alpha_two_code', 'country', 'state-province', 'year founded', 'company.tags'), {
    name: ['organisation'], website: ['web_pages'], country: ['alpha_two_code', 'country'], region: ['state-province'], founded_year: ['year founded'], keywords: ['company.tags'],
  });
});

test('a name is known wherever its capitals stand, and the usual exports of CRMs and mail programs name a country, a page and a phone', () => {
  for (const column of ['LinkedIn URL', 'LinkedIn', 'LinkedIn Profile URL', 'personLinkedInUrl', 'linkedin_url', 'LinkedIn__c', 'LinkedIn_URL__c']) assert.deepEqual(guess('contacts', column), { linkedin_url: [column] });
  assert.deepEqual(guess('contacts', 'Country/Region', 'E-mail 1 - Value', 'Phone 1 - Value', 'Organization Name', 'Organization Title'), {
    country: ['Country/Region'], email: ['E-mail 1 - Value'], phone: ['Phone 1 - Value'], company_name: ['Organization Name'], job_title: ['Organization Title'],
  });
  assert.deepEqual(guess('contacts', 'Business Country/Region', 'Business City', 'Business Phone', 'name.first'), {
    country: ['Business Country/Region'], city: ['Business City'], phone: ['Business Phone'], first_name: ['name.first'],
  });
});

test('a location tells the country behind every column of one, and that of a company is none of its people', () => {
  assert.deepEqual(guess('contacts', 'Location', 'Contact Country', 'Land'), { country: ['Land', 'Contact Country', 'Location'] });
  assert.deepEqual(guess('contacts', 'company.location', 'Company Location', 'education.location', 'location.name'), { country: ['location.name'] });
  assert.deepEqual(guess('companies', 'First Name', 'Location', 'Headquarters Location', 'Company Location').country, ['Headquarters Location', 'Company Location']);
});

test('the exports of companies name their domain, page, site and place', () => {
  assert.deepEqual(guess('companies', 'Company Domain Name', 'LinkedIn Company Page', 'Webseite', 'Billing State/Province', 'Billing Zip/Postal Code'), {
    domain: ['Company Domain Name'], website: ['Webseite'], linkedin_url: ['LinkedIn Company Page'], region: ['Billing State/Province'], postal_code: ['Billing Zip/Postal Code'],
  });
});

test('the exports of lists of companies and of connections name the key, place and page of their rows', () => {
  assert.deepEqual(guess('companies', 'Company Name', 'Company City', 'Company State', 'Company Country', 'Company Postal Code', 'Apollo Account Id'), {
    id: ['Apollo Account Id'], name: ['Company Name'], country: ['Company Country'], region: ['Company State'], city: ['Company City'], postal_code: ['Company Postal Code'],
  });
  assert.deepEqual(guess('contacts', 'Company Country', 'Website URL', 'Apollo Contact Id', 'Apollo Account Id', 'Mobile Phone Number'), { id: ['Apollo Contact Id'], phone: ['Mobile Phone Number'], company_domain: ['Website URL'] });
  assert.deepEqual(guess('contacts', 'URL', 'Connected On'), { linkedin_url: ['URL'] });
  assert.deepEqual(guess('contacts', 'URL'), { company_domain: ['URL'] });
});

test('tables of Dataverse and people of Salesloft name an address, a phone, a place and a company', () => {
  assert.deepEqual(guess('contacts', 'contactid', 'emailaddress1', 'telephone1', 'address1_stateorprovince', 'statecode', 'emailaddress2'), { id: ['contactid'], email: ['emailaddress1'], phone: ['telephone1'], region: ['address1_stateorprovince'] });
  assert.deepEqual(guess('companies', 'accountid', 'emailaddress1', 'telephone1'), { id: ['accountid'], email: ['emailaddress1'], phone: ['telephone1'] });
  assert.deepEqual(guess('contacts', 'person_company_name', 'person_company_website', 'person_company_industry'), { company_name: ['person_company_name'], company_domain: ['person_company_website'], industry: ['person_company_industry'] });
  assert.deepEqual(guess('contacts', 'Company main industry'), { industry: ['Company main industry'] });
});

test('of a list of people the place of a company is the one that says it is, and never theirs', () => {
  assert.deepEqual(guess('companies', 'First Name', 'City', 'Country', 'State', 'Company City', 'Company Country'), { city: ['Company City'], country: ['Company Country'], region: ['State'] });
  assert.deepEqual(guess('companies', 'Person City', 'Person State', 'Person Zip Code', 'Person Country'), {});
  assert.deepEqual(guess('companies', 'City', 'HQ City', 'Company City'), { city: ['Company City', 'HQ City', 'City'] });
  assert.deepEqual(guess('contacts', 'First Name', 'Person City', 'Company City'), { first_name: ['First Name'], city: ['Person City'] });
});

test('the first of several columns that are numbered is the field, but for what may be the name of somebody else', () => {
  assert.deepEqual(guess('companies', 'Name 1', 'Name 2', 'Telefon 1', 'Telefon 2', 'E-Mail 1', 'E-Mail 2', 'Telefon 11'), { name: ['Name 1'], phone: ['Telefon 1'], email: ['E-Mail 1'] });
  assert.deepEqual(guess('companies', 'Name 1', 'Firma'), { name: ['Firma', 'Name 1'] });
  assert.deepEqual(guess('contacts', 'Name 1', 'ID 1', 'Website 1', 'Company Phone 1', 'Telefon', 'Telefon 1'), { phone: ['Telefon', 'Telefon 1'] });
});

test('registers of companies name them, and what describes a code describes no company', () => {
  assert.deepEqual(guess('companies', 'LEI', 'Entity.LegalName', 'Entity.LegalAddress.City', 'Registration.LastUpdateDate'), {
    id: ['LEI'], name: ['Entity.LegalName'], city: ['Entity.LegalAddress.City'], updated_at: ['Registration.LastUpdateDate'],
  });
  assert.deepEqual(guess('companies', 'Entity Name', 'Entity Type', 'address.addressLocality', 'numberOfEmployees.value', 'foundingDate'), {
    name: ['Entity Name'], company_type: ['Entity Type'], city: ['address.addressLocality'], employee_count: ['numberOfEmployees.value'], founded_year: ['foundingDate'],
  });
  assert.deepEqual(guess('companies', 'CompanyNumber', 'SICCode.SicText_1', 'SICCode.SicText_2'), { id: ['CompanyNumber'], industry: ['SICCode.SicText_1'] });
  assert.deepEqual(guess('companies', 'organisasjonsform.beskrivelse', 'naeringskode1.beskrivelse', 'status.description', 'details.description'), { description: ['details.description'] });
  assert.deepEqual(guess('contacts', 'worksFor.name', 'worksFor.url'), { company_name: ['worksFor.name'], company_domain: ['worksFor.url'] });
  assert.deepEqual(guess('contacts', 'traits.firstName', 'data.attributes.last_name', 'spouse.firstName'), { first_name: ['traits.firstName'], last_name: ['data.attributes.last_name'] });
});

test('a record that is one thing says it as its name or its value', () => {
  assert.deepEqual(guess('contacts', 'properties.firstname.value', 'email.value', 'email.status', 'department.id', 'department.name', 'company.industry.name', 'company.country.name', 'owner.email.value', 'id.value', 'team.value.x'), {
    first_name: ['properties.firstname.value'], email: ['email.value'], email_status: ['email.status'], department: ['department.name'], industry: ['company.industry.name'],
  });
  assert.deepEqual(guess('companies', 'founded_on.value', 'country.name', 'revenue.value', 'revenue.currency', 'profile.name', 'parent.industry.name'), { founded_year: ['founded_on.value'], country: ['country.name'] });
});

test('what address lists of Germany, Spain and Brazil have beside is known', () => {
  assert.deepEqual(guess('contacts', 'Vorname', 'Homepage', 'Nº empleados', 'Data de atualização'), { first_name: ['Vorname'], company_domain: ['Homepage'], company_size: ['Nº empleados'], updated_at: ['Data de atualização'] });
});

test('a column that says it is the name of a company goes before one that may be of a person', () => {
  assert.deepEqual(guess('companies', 'Name', 'Company Name', 'Legal Name'), { name: ['Company Name', 'Name', 'Legal Name'] });
  assert.deepEqual(guess('companies', 'Name', 'Account.Name'), { name: ['Account.Name', 'Name'] });
});

test('the words that say whose a column is are passed over, and nothing is made of those of somebody else', () => {
  assert.deepEqual(guess('contacts', 'Contact City', 'Prospect Headline', 'Phone - Work', 'Person - Organization', 'Employer Website', 'Company Employee Range', 'Organization - Industry', 'Mailing Country (text only)'), {
    city: ['Contact City'], headline: ['Prospect Headline'], phone: ['Phone - Work'], company_name: ['Person - Organization'], company_domain: ['Employer Website'],
    company_size: ['Company Employee Range'], industry: ['Organization - Industry'], country: ['Mailing Country (text only)'],
  });
  assert.deepEqual(guess('companies', 'Organization - Country of Address', 'Company Founded', 'Headquarters State', 'Organization - Annual revenue'), {
    country: ['Organization - Country of Address'], founded_year: ['Company Founded'], region: ['Headquarters State'], revenue_usd: ['Organization - Annual revenue'],
  });
  assert.deepEqual(guess('contacts', 'Organization - Country of Address', 'Company City', 'Contact URL', 'Person Account', 'Contact owner', 'Account ID', 'Email Domain', 'Tags', 'Keywords'), {});
  assert.deepEqual(guess('companies', 'Account Type', 'Company Owner', 'Organization - Owner', 'Parent Company', 'Parent Country/Region'), {});
});

test('an address of a person goes before that of the account, and a state before a region of the world', () => {
  assert.deepEqual(guess('contacts', 'Billing City', 'Mailing City', 'Region', 'State'), { city: ['Mailing City', 'Billing City'], region: ['State', 'Region'] });
});

test('one column alone is the key, but for one key in two cases', () => {
  assert.deepEqual(guess('contacts', 'External ID', 'Record ID'), { id: ['Record ID'] });
  assert.deepEqual(guess('contacts', 'ID', 'id', 'uuid'), { id: ['ID', 'id'] });
  assert.deepEqual(mapColumns(['a', 'b'], 'contacts', [], [{ column: 'a', field: 'id' }, { column: 'b', field: 'id' }]).feeds[0]!.columns, ['a', 'b']);
});

test('what a CRM calls the type of a company is none, beside the owner of its record', () => {
  assert.deepEqual(guess('companies', 'Type', 'Ownership', 'Account Owner'), { company_type: ['Ownership'] });
  assert.deepEqual(guess('companies', 'Type', 'owner'), { company_type: ['Type'] });
});

test('exports in other languages than English are known', () => {
  const german = { Vorname: 'first_name', Nachname: 'last_name', Jobtitel: 'job_title', 'E-Mail-Adresse': 'email', 'Telefon geschäftlich': 'phone', Postleitzahl: 'postal_code', 'Land/Region geschäftlich': 'country', Webseite: 'company_domain' };
  const french = { Prénom: 'first_name', Nom: 'last_name', Fonction: 'job_title', 'Adresse de messagerie': 'email', 'Téléphone (bureau)': 'phone', 'Ville (bureau)': 'city', "Secteur d'activité": 'industry' };
  const others = { Förnamn: 'first_name', Apellidos: 'last_name', Stilling: 'job_title', Sähköposti: 'email', Telefoonnummer: 'phone', Município: 'city', Azienda: 'company_name', 'Liczba pracowników': 'company_size' };
  for (const header of [german, french, others]) {
    assert.deepEqual(guess('contacts', ...Object.keys(header)), Object.fromEntries(Object.entries(header).map(([column, field]) => [field, [column]])));
  }
  assert.deepEqual(guess('companies', 'Raison sociale', 'Site web', 'Rechtsform', 'Antal anställda', 'Comune', 'Gegründet'), {
    name: ['Raison sociale'], website: ['Site web'], company_type: ['Rechtsform'], employee_count: ['Antal anställda'], city: ['Comune'], founded_year: ['Gegründet'],
  });
  assert.deepEqual(guess('companies', 'Société', 'Effectif', 'Année de création'), { name: ['Société'], employee_count: ['Effectif'], founded_year: ['Année de création'] });
  assert.deepEqual(guess('companies', 'Nombre', 'Razón social'), { name: ['Razón social', 'Nombre'] });
});

test('an export in another language names its key, country and state as its English one does, and a Japanese one every field', () => {
  assert.deepEqual(guess('contacts', 'ID de registro', 'Nombre', 'Apellidos', 'País/región', 'Estado/región', 'Cargo'), {
    id: ['ID de registro'], first_name: ['Nombre'], last_name: ['Apellidos'], country: ['País/región'], region: ['Estado/región'], job_title: ['Cargo'],
  });
  assert.deepEqual(guess('contacts', 'Datensatz-ID', 'Jobbezeichnung', 'Bundesland/Region', 'Telefon (Büro)'), {
    id: ['Datensatz-ID'], job_title: ['Jobbezeichnung'], region: ['Bundesland/Region'], phone: ['Telefon (Büro)'],
  });
  assert.deepEqual(guess('contacts', 'Nom', 'Intitulé de poste', 'E-mail professionnel', 'Téléphone professionnel'), {
    full_name: ['Nom'], job_title: ['Intitulé de poste'], email: ['E-mail professionnel'], phone: ['Téléphone professionnel'],
  });
  assert.deepEqual(guess('contacts', '氏名', '会社名', '部署', '役職', 'メールアドレス', '電話番号', '郵便番号', '都道府県'), {
    full_name: ['氏名'], company_name: ['会社名'], department: ['部署'], job_title: ['役職'], email: ['メールアドレス'], phone: ['電話番号'], postal_code: ['郵便番号'], region: ['都道府県'],
  });
  assert.deepEqual(guess('companies', '担当者名', '会社名', '従業員数', 'ホームページ'), { name: ['会社名'], employee_count: ['従業員数'], website: ['ホームページ'] });
});

test('Czech, Turkish, Russian and Chinese exports are known, and the name of a person is none of a company', () => {
  const fields = ['first_name', 'last_name', 'company_name', 'email', 'phone', 'city', 'country', 'job_title', 'postal_code'];
  for (const header of [
    ['Jméno', 'Příjmení', 'Společnost', 'E-mail', 'Telefonní číslo', 'Město', 'Země', 'Pozice', 'PSČ'], ['Ad', 'Soyad', 'Şirket', 'E-posta', 'Cep Telefonu', 'Şehir', 'Ülke', 'Unvan', 'Posta Kodu'],
    ['Имя', 'Фамилия', 'Компания', 'Электронная почта', 'Телефон', 'Город', 'Страна', 'Должность', 'Индекс'], ['名', '姓', '公司名称', '邮箱', '手机号码', '城市', '国家/地区', '职位', '邮政编码'],
  ]) assert.deepEqual(guess('contacts', ...header), Object.fromEntries(fields.map((field, at) => [field, [header[at]]])));
  for (const whole of ['Jméno', 'İsim', 'Adı Soyadı', 'ФИО', '姓名', 'Imię i nazwisko']) assert.deepEqual(guess('contacts', whole), { full_name: [whole] });
  assert.deepEqual(guess('contacts', 'Ad', 'Name'), { full_name: ['Name'] });
  assert.deepEqual(guess('contacts', 'Nome', 'Telefone', 'CEP'), { full_name: ['Nome'], phone: ['Telefone'], postal_code: ['CEP'] });
  assert.deepEqual(guess('companies', '公司名称', '姓名', '员工人数', '网站'), { name: ['公司名称'], employee_count: ['员工人数'], website: ['网站'] });
  assert.deepEqual(guess('companies', 'Nazwa firmy', 'Imię i nazwisko', 'ФИО', 'Şirket Adı'), { name: ['Nazwa firmy', 'Şirket Adı'] });
});

test('a Korean export is known', () => {
  assert.deepEqual(guess('contacts', '이름', '회사명', '직책', '부서', '이메일', '휴대폰', '국가', '도시', '업종', '직원 수', '홈페이지', '수정일'), {
    full_name: ['이름'], company_name: ['회사명'], job_title: ['직책'], department: ['부서'], email: ['이메일'], phone: ['휴대폰'], country: ['국가'], city: ['도시'],
    industry: ['업종'], company_size: ['직원 수'], company_domain: ['홈페이지'], updated_at: ['수정일'],
  });
  assert.deepEqual(guess('contacts', '성', '이름'), { first_name: ['이름'], last_name: ['성'] });
  assert.deepEqual(guess('contacts', '담당자', '이름'), { full_name: ['이름', '담당자'] });
  assert.deepEqual(guess('companies', '기업명', '담당자명', '이름', '직원수', '홈페이지', '설립일'), { name: ['기업명'], employee_count: ['직원수'], website: ['홈페이지'], founded_year: ['설립일'] });
});

test('an address of any kind is taken where there is no other', () => {
  assert.deepEqual(guess('contacts', 'Person - Email - Home', 'Person - Email - Other', 'Person - Email - Work', 'Office Phone', 'Current Employer Website', 'Address Zip'), {
    email: ['Person - Email - Work', 'Person - Email - Home', 'Person - Email - Other'], phone: ['Office Phone'], company_domain: ['Current Employer Website'], postal_code: ['Address Zip'],
  });
  assert.deepEqual(guess('contacts', 'Domain name', 'Email', 'personal_emails', 'location_postal_code'), {
    company_domain: ['Domain name'], email: ['Email', 'personal_emails'], postal_code: ['location_postal_code'],
  });
});

test('a page of LinkedIn that everybody can see goes before the one of a sales account', () => {
  assert.deepEqual(guess('contacts', 'profileUrl', 'defaultProfileUrl', 'companyUrl', 'regularCompanyUrl'), {
    linkedin_url: ['defaultProfileUrl', 'profileUrl'], company_domain: ['companyUrl'], company_linkedin_url: ['regularCompanyUrl'],
  });
  assert.deepEqual(guess('contacts', 'linkedInProfileUrl', 'defaultProfileUrl'), { linkedin_url: ['defaultProfileUrl', 'linkedInProfileUrl'] });
  assert.deepEqual(guess('contacts', 'LinkedIn URL Unique ID', 'LinkedIn URL Public'), { linkedin_url: ['LinkedIn URL Public', 'LinkedIn URL Unique ID'] });
});

test('the handles, counts and second choices of the services that sell contacts are known', () => {
  assert.deepEqual(guess('contacts', 'Person Linkedin Handle', 'Private Email', 'nb_employees', 'Company social', 'LAST_CHANGED'), {
    linkedin_url: ['Person Linkedin Handle'], email: ['Private Email'], company_size: ['nb_employees'], company_linkedin_url: ['Company social'], updated_at: ['LAST_CHANGED'],
  });
  assert.deepEqual(guess('contacts', 'employment.name', 'linkedin.handle', 'organization.estimated_num_employees', 'organization.primary_phone.number'), {
    company_name: ['employment.name'], linkedin_url: ['linkedin.handle'], company_size: ['organization.estimated_num_employees'],
  });
  assert.deepEqual(guess('companies', 'estimated_num_employees', 'primary_phone.number', 'linkedin.handle', 'category_list'), {
    employee_count: ['estimated_num_employees'], phone: ['primary_phone.number'], linkedin_url: ['linkedin.handle'], keywords: ['category_list'],
  });
});

test('a word for a name is the whole or a part, by the names beside it', () => {
  assert.deepEqual(guess('contacts', 'Name', 'Vorname'), { first_name: ['Vorname'], last_name: ['Name'] });
  assert.deepEqual(guess('contacts', 'Name', 'Vorname', 'Nachname'), { full_name: ['Name'], first_name: ['Vorname'], last_name: ['Nachname'] });
  assert.deepEqual(guess('contacts', 'Name', 'First Name'), { full_name: ['Name'], first_name: ['First Name'] });
  for (const alone of ['Nom', 'Nombre', 'Nome']) assert.deepEqual(guess('contacts', alone), { full_name: [alone] });
  assert.deepEqual(guess('contacts', 'Nome', 'Cognome'), { first_name: ['Nome'], last_name: ['Cognome'] });
  assert.deepEqual(guess('contacts', 'Nome', 'Nome completo'), { first_name: ['Nome'], full_name: ['Nome completo'] });
});

test('what an API wraps about its records is passed over, and what it says of them beside is left out', () => {
  assert.deepEqual(guess('contacts', 'id', 'properties.firstname', 'properties.company', 'properties.hubspot_owner_id', 'name.givenName', 'homeAddress.city', 'businessAddress.city', 'businessAddress.countryOrRegion'), {
    id: ['id'], first_name: ['properties.firstname', 'name.givenName'], company_name: ['properties.company'], city: ['businessAddress.city'], country: ['businessAddress.countryOrRegion'],
  });
  assert.deepEqual(guess('companies', 'attributes.type', 'attributes.url', 'Name'), { name: ['Name'] });
  assert.deepEqual(guess('contacts', 'attributes.type', 'attributes.url', 'Account.attributes.type', 'Account.attributes.url', 'Account.Website'), { company_domain: ['Account.Website'] });
  assert.deepEqual(guess('companies', 'source.name', '_source.name'), { name: ['_source.name'] });
  assert.deepEqual(guess('contacts', 'data.id', 'data.name', 'id', 'name'), { id: ['id'], full_name: ['name', 'data.name'] });
  assert.deepEqual(guess('contacts', 'firstName', 'lastName', 'entity.name'), { first_name: ['firstName'], last_name: ['lastName'] });
  assert.deepEqual(guess('companies', 'attributes.type', 'attributes.name'), { name: ['attributes.name'], company_type: ['attributes.type'] });
});

test('the types that MongoDB writes about its values are passed over', () => {
  assert.deepEqual(guess('contacts', '_id.$oid', 'name', 'address.zip.$numberInt', 'updatedAt.$date.$numberLong', 'createdAt.$date'), {
    id: ['_id.$oid'], full_name: ['name'], postal_code: ['address.zip.$numberInt'], updated_at: ['updatedAt.$date.$numberLong'],
  });
  // As they are read without MongoDB's own.
  assert.deepEqual(guess('contacts', '_id.$oid', 'id', 'name', 'company.$oid', 'address.city.$oid'), { id: ['id', '_id.$oid'], full_name: ['name'] });
  const { feeds } = mapColumns(['_id.$oid', 'age.$numberLong'], 'contacts', [{ name: 'age', type: 'integer', description: '' }], []);
  assert.deepEqual(feeds.map(({ field }) => field), ['id', 'age']);
  const { feeds: told } = mapColumns(['name', 'key.$oid'], 'contacts', [], [{ column: 'key', field: 'id' }]);
  assert.deepEqual(told[0], { field: 'id', columns: ['key.$oid'], unsure: false, places: [], currency: null });
});

test('lines of words before a header are passed over, where a table stands below a blank line', () => {
  const table = 'First Name,Last Name,URL\r\nJane,Doe,x\r\n';
  const dialect = dialectOf(`Notes:\r\n"Some of the addresses, as you may notice, are missing"\r\n\r\n${table}`, 'utf-8', UNTOLD);
  assert.deepEqual([dialect.header, dialect.delimiter, dialect.skip, dialect.words], [['First Name', 'Last Name', 'URL'], ',', 3, 2]);
  for (const plain of ['name\nJane\n\nDoe, John\n', 'email\na@b.co\n\nb@b.co\n', 'name\n\n', 'name\n\nid,name,']) {
    assert.deepEqual([dialectOf(plain, 'utf-8', UNTOLD).skip, dialectOf(plain, 'utf-8', UNTOLD).words], [0, 0], plain);
  }
});

test('remarks behind a hash sign are passed over where a table stands right below them', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const dialect = dialectOf(['# Contacts', '# 2024-05-06 10:11', '#Id;Name;Email', '1;Jo;jo@x.de', ''].join(end), 'utf-8', UNTOLD);
    assert.deepEqual([dialect.header, dialect.delimiter, dialect.skip, dialect.words], [['#Id', 'Name', 'Email'], ';', 2, 2], JSON.stringify(end));
  }
  for (const plain of ['#,Name,Email\n1,Jo,jo@x.de\n', '#Email\njo@x.de\n', '#Email,,\njo@x.de,Jo,Doe\n', '#Email\njo@x.de,Jo\n']) assert.equal(dialectOf(plain, 'utf-8', UNTOLD).skip, 0, plain);
});

test('a sheet with a title above its table is read, though a spreadsheet fills its lines up with delimiters', () => {
  for (const delimiter of [',', ';', '\t']) {
    const row = (...cells: string[]): string => cells.join(delimiter);
    const text = [row('Contacts Report', '', ''), row('"As of 5/6/2024, all"', '', ''), row('', '', ''), row('Name', 'Email', 'City'), row('Jo', 'jo@x.de', 'Bonn'), ''].join('\r\n');
    const dialect = dialectOf(text, 'utf-8', UNTOLD);
    assert.deepEqual([dialect.header, dialect.delimiter, dialect.skip, dialect.words], [['Name', 'Email', 'City'], delimiter, 3, 2]);
  }
  for (const plain of ['Email,,\njo@x.de,Jo,Doe\n', 'Name,Email,City\n,,\nJo,jo@x.de,Bonn\n']) assert.equal(dialectOf(plain, 'utf-8', UNTOLD).skip, 0, plain);
});

test('a header of one name is no title where its lines end with CR LF, and many blank lines below it are read at once', () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const { header, skip } = dialectOf(['Company,,,', 'Acme,Berlin,DE,x', 'Beta,Rome,IT,y', ''].join(end), 'utf-8', UNTOLD);
    assert.deepEqual([header, skip], [['Company', 'column 2', 'column 3', 'column 4'], 0]);
    assert.deepEqual(dialectOf(`Name${end.repeat(10_000)}`, 'utf-8', UNTOLD).header, ['Name']);
  }
});

test('what Dynamics tells not to modify is the key of the record, and when it was modified', () => {
  assert.deepEqual(guess('contacts', '(Do Not Modify) Contact', '(Do Not Modify) Row Checksum', '(Do Not Modify) Modified On', 'Full Name'), {
    id: ['(Do Not Modify) Contact'], full_name: ['Full Name'], updated_at: ['(Do Not Modify) Modified On'],
  });
  assert.deepEqual(guess('companies', '(Do Not Modify) Account', 'Account Name'), { id: ['(Do Not Modify) Account'], name: ['Account Name'] });
});

test('the better of two columns for one field comes first', () => {
  assert.deepEqual(guess('contacts', 'personal email', 'email', 'work email').email, ['work email', 'email', 'personal email']);
});

test('a delimited head is read with the delimiter on which its records agree', () => {
  assert.equal(dialectOf('a;b\n1,5;2\n', 'utf-8', UNTOLD).delimiter, ';');
  assert.deepEqual(dialectOf('"a, b"|c|c||\n1|2|3|4|5\n', 'utf-8', UNTOLD).header, ['a, b', 'c', 'c 2', 'column 4', 'column 5']);
  assert.deepEqual(dialectOf('email\na@b.co\n', 'utf-8', UNTOLD).header, ['email']);
  assert.deepEqual(dialectOf('"multi\nline",b\n1,2\n', 'utf-8', UNTOLD).header, ['multi line', 'b']);
});

test('an encoding is told from the bytes, a letter cut at the end being no fault', () => {
  assert.equal(encodingOf(Buffer.from('é').subarray(0, 1)), 'utf-8');
  assert.equal(encodingOf(Buffer.from('é,x', 'latin1')), 'latin-1');
  assert.equal(encodingOf(Buffer.from([0xff, 0xfe, 0x61, 0])), 'utf-16');
});
