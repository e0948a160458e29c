import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SENIORITIES } from '../../../src/model/field.ts';
import { departmentOf } from '../../../src/ingest/normalise/department.ts';
import { joinName, splitName } from '../../../src/ingest/normalise/name.ts';
import { seniorityOf, seniorityOfTitle } from '../../../src/ingest/normalise/seniority.ts';
import { maps } from './maps.ts';

test('what people say behind their name is no part of it, nor is the field of their title', () => {
  for (const full of ['Jo Doe (she/her)', 'Prof. Dr. med. Jo Doe', 'Dr. rer. nat. Jo Doe', 'Mag. (FH) Jo Doe', 'Dipl.-Ing. Jo Doe', 'Doe, Jo (he/him)', 'Jo Doe, MBA (Acme)', 'Jo Doe 🚀', '★ Jo Doe ★ ✔️', 'Jo Doe - PMP', '🚀 Jo Doe, MBA', 'Jo 🌟 Doe', 'Jo | Doe', 'Jo Doe, CPA 🚀', 'Jo Doe 🚀, CPA', 'Jo Doe (she/her) 🚀', 'Doe, 🚀 Jo']) {
    assert.deepEqual(splitName(full), { first: 'Jo', last: 'Doe' }, full);
  }
  assert.deepEqual([splitName('mr. j. k. smith'), splitName('dr st. clair jones')], [{ first: 'j. k.', last: 'smith' }, { first: 'st. clair', last: 'jones' }]);
  maps(splitName, [
    ['Jo 🚀', { first: 'Jo', last: null }], ['🚀 Jo', { first: 'Jo', last: null }], ['50 Cent', { first: '50', last: 'Cent' }], ['Mr 🚀 Doe', { first: null, last: 'Doe' }], ['🚀', { first: '🚀', last: null }],
    ['Jo & Ann Doe', { first: 'Jo & Ann', last: 'Doe' }], ['Doe , Jo', { first: 'Jo', last: 'Doe' }], ['Ⓙⓞ Ⓓⓞⓔ', { first: 'Ⓙⓞ', last: 'Ⓓⓞⓔ' }], ['🅹🅾 🅳🅾🅴', { first: '🅹🅾', last: '🅳🅾🅴' }],
  ]);
  assert.deepEqual([splitName('Jo (she/her)'), splitName('Dr. Phil Doe'), splitName('(she/her)')], [{ first: 'Jo', last: null }, { first: 'Phil', last: 'Doe' }, { first: '(she/her)', last: null }]);
});

test('what stands behind a name and a comma is no given name where that is a degree, nor is a title before one', () => {
  for (const full of ['Jo Doe, CISSP', 'Jo Doe, SHRM-CP', 'Jo Doe, P.E.', 'Jo Doe, RN, BSN', 'Jo Doe PMP, CSM', 'Jo Doe, BSc', 'Jo Doe, she/her', 'Jo Doe, Dr.', 'Doe, Jo, CSM', 'Dr. Doe, Jo', 'Prof. Dr. med. Doe, Jo', 'Doe, Jo, Dr.', 'Doe, Dr. Jo', 'Doe, Prof. Dr. Jo', 'Doe, Herr Jo', 'Jo Doe, CSM, PSM I', 'Jo Doe, CISSP, B.Sc.', 'Jo Doe, Dr. med.', 'Doe, Dr. med. Jo', 'Doe, Jo, Dr. rer. nat.', 'Jo Doe RN']) {
    assert.deepEqual(splitName(full), { first: 'Jo', last: 'Doe' }, full);
  }
  maps(splitName, [
    ['DOE, JO', { first: 'JO', last: 'DOE' }], ['Doe, JO', { first: 'JO', last: 'Doe' }], ['DOE ROE, JANE', { first: 'JANE', last: 'DOE ROE' }], ['van der Berg, JAN', { first: 'JAN', last: 'van der Berg' }],
    ['Garcia Lopez, J.M.', { first: 'J.M.', last: 'Garcia Lopez' }], ['Garcia Lopez, JM', { first: 'JM', last: 'Garcia Lopez' }], ['Garcia Lopez, M.', { first: 'M.', last: 'Garcia Lopez' }], ['Garcia Lopez, J-P', { first: 'J-P', last: 'Garcia Lopez' }], ['Lee, Hon Ming', { first: 'Hon Ming', last: 'Lee' }], ['Roe, M. Jo', { first: 'M. Jo', last: 'Roe' }],
    ['Doe, Dr.', { first: 'Dr.', last: 'Doe' }], ['Salinger, J.D.', { first: 'J.D.', last: 'Salinger' }], ['Sharma, RN', { first: 'RN', last: 'Sharma' }], ['Doe Jr., JO', { first: 'JO', last: 'Doe Jr.' }], ['Doe III, JO', { first: 'JO', last: 'Doe III' }],
    ['JO DOE, RN', { first: 'JO', last: 'DOE' }], ['JO DOE, RN, BSN', { first: 'JO', last: 'DOE' }], ['JO DOE, MSN, APRN', { first: 'JO', last: 'DOE' }], ['DOE, JO, APRN', { first: 'JO', last: 'DOE' }], ['Doe Roe, Jo, CISSP', { first: 'Jo', last: 'Doe Roe' }],
    ['Dr. med. Doe', { first: null, last: 'Doe' }], ['Dr. phil. Doe, CISSP', { first: null, last: 'Doe' }], ['dr. j. doe', { first: 'j.', last: 'doe' }],
    ['Mr. Doe', { first: null, last: 'Doe' }], ['Herr Doe', { first: null, last: 'Doe' }], ['Frau Dr. Doe', { first: null, last: 'Doe' }], ['Hon Lee', { first: 'Hon', last: 'Lee' }], ['Drew Doe', { first: 'Drew', last: 'Doe' }],
  ]);
});

test('a dash between two words of a name joins them, and a generation is no part of a given name that stands last', () => {
  maps(splitName, [
    ['Anna Kowalska - Nowak', { first: 'Anna', last: 'Kowalska - Nowak' }], ['Jean – Pierre Dupont', { first: 'Jean – Pierre', last: 'Dupont' }], ['Doe - Roe, Jane', { first: 'Jane', last: 'Doe - Roe' }],
    ['Dr. Doe - Roe', { first: null, last: 'Doe - Roe' }], ['Doe - Roe', { first: 'Doe', last: 'Roe' }], ['DOE - ROE Jane', { first: 'Jane', last: 'DOE ROE' }],
    ['Doe, Jo Jr.', { first: 'Jo', last: 'Doe' }], ['Doe, Jo A. III', { first: 'Jo A.', last: 'Doe' }], ['Doe, Jo, Jr.', { first: 'Jo', last: 'Doe' }], ['Jo Doe - PhD', { first: 'Jo', last: 'Doe' }], ['Doe, Jo – Jr.', { first: 'Jo', last: 'Doe' }],
  ]);
});

test('degrees and titles of other languages are no part of a name where a point tells them from one', () => {
  for (const full of ['Jo Doe, M.Sc.', 'Jo Doe, M. Sc.', 'Jo Doe, M.B.A.', 'Jo Doe, LL.M.', 'Jo Doe LL.M.', 'Jo Doe M.Ed.', 'Ing. Jo Doe, CSc.', 'Bc. Jo Doe', 'JUDr. Jo Doe', 'Mgr. inż. Jo Doe', 'Dott.ssa Jo Doe', 'Dra. Jo Doe', 'Drs. Jo Doe']) {
    assert.deepEqual(splitName(full), { first: 'Jo', last: 'Doe' }, full);
  }
  maps(splitName, [['Arch Lee Doe', { first: 'Arch Lee', last: 'Doe' }], ['Xiao Li Meng', { first: 'Xiao Li', last: 'Meng' }], ['Garcia Lopez, M.A.', { first: 'M.A.', last: 'Garcia Lopez' }]]);
});

test('a family name that stands first is told by its capitals, and in Russian by the name of the father', () => {
  maps(splitName, [
    ['DUPONT Jean', { first: 'Jean', last: 'DUPONT' }], ['LE GOFF Anne Marie', { first: 'Anne Marie', last: 'LE GOFF' }], ['O’NEILL Pat, MBA', { first: 'Pat', last: 'O’NEILL' }], ['Dr. NAGY János', { first: 'János', last: 'NAGY' }], ['LEE Kuan Yew', { first: 'Kuan Yew', last: 'LEE' }],
    ['Jean DUPONT', { first: 'Jean', last: 'DUPONT' }], ['JEAN DUPONT', { first: 'JEAN', last: 'DUPONT' }], ['JP Morgan', { first: 'JP', last: 'Morgan' }], ['JOHN F. Kennedy', { first: 'JOHN F.', last: 'Kennedy' }], ['JUAN de la Cruz', { first: 'JUAN', last: 'de la Cruz' }], ['VAN Nguyen', { first: 'VAN', last: 'Nguyen' }],
    ['MARIA DEL Carmen', { first: 'MARIA', last: 'DEL Carmen' }],
    ['VVS Laxman', { first: 'VVS', last: 'Laxman' }], ['KVSN Murthy', { first: 'KVSN', last: 'Murthy' }], ['APJ Abdul Kalam', { first: 'APJ Abdul', last: 'Kalam' }],
    ['ARNDT Ernst', { first: 'Ernst', last: 'ARNDT' }], ['J-P Dupont', { first: 'J-P', last: 'Dupont' }],
    ['MBA Jo Doe', { first: 'MBA Jo', last: 'Doe' }], ['DRA Ana Lopez', { first: 'DRA Ana', last: 'Lopez' }], ['--- Doe', { first: '---', last: 'Doe' }],
    ['Иванов Иван Иванович', { first: 'Иван Иванович', last: 'Иванов' }], ['ПЕТРОВА АННА ИЛЬИНИЧНА', { first: 'АННА ИЛЬИНИЧНА', last: 'ПЕТРОВА' }], ['Шевченко Оксана Василівна', { first: 'Оксана Василівна', last: 'Шевченко' }],
    ['Иван Иванович Иванов', { first: 'Иван Иванович', last: 'Иванов' }], ['Иван Петрович Лукашевич', { first: 'Иван Петрович', last: 'Лукашевич' }], ['Иван Лукашевич', { first: 'Иван', last: 'Лукашевич' }],
    ['А. В. Лукашевич', { first: 'А. В.', last: 'Лукашевич' }], ['Иван П. Лукашевич', { first: 'Иван П.', last: 'Лукашевич' }],
  ]);
});

test('a seniority comes from a level or from a job title, and only from the closed list', () => {
  for (const level of SENIORITIES) assert.equal(seniorityOf(level), level);
  maps(seniorityOf, [['C-Level', 'c_suite'], ['Vice President', 'vp'], ['VP-Level', 'vp'], ['Non-Management', 'entry'], ['C Level Exec', 'c_suite'], ['Entry level', 'entry'], ['blue', null]]);
  maps(seniorityOf, [['Senior Manager', 'manager'], ['Manager/Director', 'director'], ['Mid-Senior level', 'senior'], ['Owner / Founder', 'founder'], ['Board', null], ['Not Applicable', null]]);
  maps(seniorityOf, [['Individual Contributor (Non-Manager)', null], ['Non Manager / IC', null], ['Below Director', null], ['Not a manager', null], ['Kein Manager', null]]);
  maps(seniorityOf, [['Kierownik', 'manager'], ['Dyrektor', 'director'], ['Zarząd', 'c_suite'], ['Starszy specjalista', 'senior'], ['Specjalista', 'senior'], ['Stażysta', 'intern'], ['Właściciel', 'owner']]);
  maps(seniorityOf, [['Müdür', 'manager'], ['Üst Düzey Yönetici', 'c_suite'], ['Uzman', 'senior'], ['Менеджер', 'manager'], ['Топ-менеджер', 'c_suite'], ['Руководитель', 'head'], ['Владелец', 'owner'], ['Стажер', 'intern']]);
  maps(seniorityOf, [['Owner / Partner', 'owner'], ['Experienced Manager', 'manager'], ['Entry Level Manager', 'manager'], ['Strategic', 'senior'], ['In Training', 'intern']]);
  maps(seniorityOfTitle, [
    ['CEO & Co-Founder', 'founder'], ['Chief Technology Officer', 'c_suite'], ['Senior Vice President, Sales', 'vp'], ['VP Engineering', 'vp'], ['Head of Data', 'head'],
    ['Product Owner', null], ['Owner', 'owner'], ['Executive Assistant to the CEO', 'entry'], ['HR Business Partner', null], ['Managing Partner', 'partner'],
    ['Senior Software Engineer', 'senior'], ['Sales Manager', 'manager'], ['Software Engineer', null], ['Geschäftsführer', 'c_suite'], ['Praktikantin Marketing', 'intern'], ['President', 'c_suite'],
  ]);
});

test('an assistant has not the rank of whom they assist, staff is no rank but an engineer\'s, and initials have points or none', () => {
  maps(seniorityOfTitle, [
    ['EA to CEO', 'entry'], ['PA to the Managing Director', 'entry'], ['Assistante du PDG', 'entry'], ['Asistente del Director General', 'entry'], ['CEO Assistant', 'entry'], ['Assistant Director', 'director'],
    ['Staff Software Engineer', 'senior'], ['Staff Engineer', 'senior'], ['Engineer, Staff', 'senior'], ['Staff Nurse', null], ['Kitchen Staff', null], ['Staff Accountant', null], ['Chief of Staff', 'c_suite'],
    ['Lead Generation Specialist', null], ['Lead Developer', 'senior'],
    ['EVP & CFO', 'c_suite'], ['Senior Vice President, Chief Marketing Officer', 'c_suite'], ['VP Finance and CFO', 'c_suite'], ['CTO & SVP Engineering', 'c_suite'], ['COO, Executive Vice President', 'c_suite'],
    ['VP, Office of the CFO', 'vp'], ['VP Operations to the COO', 'vp'], ['SVP, CIO Advisory', 'vp'], ['Vice President, Chief of Staff', 'vp'], ['EA to EVP & CFO', 'entry'],
    ['VP, Deputy CIO', 'vp'], ['Associate Chief Medical Officer & VP', 'vp'], ['VP Sales | Ex-CFO', 'vp'], ['Vice President, Business Manager to Group CEO', 'vp'], ['Chief of Staff to CEO, VP', 'vp'], ['VP, Office of Group CTO', 'vp'], ['VP Sales at CRO', 'vp'],
    ['V.P. Sales', 'vp'], ['V.P.Sales', 'vp'], ['C.E.O.', 'c_suite'], ['S.V.P', 'vp'], ['C.F.O. and Partner', 'c_suite'], ['R.N.', null], ['J.Doe', null],
  ]);
  maps(seniorityOf, [['V.P.', 'vp'], ['V P', 'vp'], ['C.X.O', 'c_suite'], ['Staff', 'senior']]);
  // Of a cell as long as a line may be, too.
  assert.equal(seniorityOfTitle('staff '.repeat(150_000)), null);
  maps(departmentOf, [['I.T. Manager', 'IT'], ['H.R. Manager', 'Human Resources'], ['C.E.O.', 'Executive'], ['V.P. Sales', 'Sales']]);
});

test('titles of Poles, Turks and Russians say as much, and nobody has the rank of whom they work for there', () => {
  maps(seniorityOfTitle, [
    ['Kierownik działu sprzedaży', 'manager'], ['Prezes Zarządu', 'c_suite'], ['Wiceprezes', 'vp'], ['Asystentka Prezesa', 'entry'], ['Były prezes', null], ['Dyrektor Finansowy', 'c_suite'], ['Dyrektor marketingu', 'director'], ['Współwłaściciel', 'owner'], ['Właściciel produktu', null], ['Właściciel procesu', null],
    ['Genel Müdür', 'c_suite'], ['Genel Müdür Yardımcısı', 'vp'], ['Genel Müdür Yrd.', 'vp'], ['Genel Müdür Sekreteri', 'entry'], ['Eski Genel Müdür', 'manager'], ['Satış Müdürü', 'manager'], ['Yönetici Asistanı', 'entry'], ['Şirket Sahibi', 'owner'], ['Ürün Sahibi', null], ['Süreç Sahibi', null], ['Kurucu Ortak', 'founder'], ['Stajyer', 'intern'],
    ['Генеральный директор', 'c_suite'], ['Помощник генерального директора', 'entry'], ['Заместитель директора', null], ['Бывший генеральный директор', 'director'], ['Вице-президент', 'vp'], ['Директор по продажам', 'director'],
    ['Руководитель отдела маркетинга', 'head'], ['Руководитель проекта', 'manager'], ['Старший инженер', 'senior'], ['Владелец продукта', null], ['Владелец', 'owner'], ['Управляющий директор', 'c_suite'], ['Управляющий партнёр', 'partner'], ['Управляющий', 'manager'], ['Стажёр', 'intern'], ['Секретарь', 'entry'], ['Генеральный секретарь', null], ['Пресс-секретарь', null], ['Специалист', null],
  ]);
  maps(departmentOf, [
    ['Kierownik działu sprzedaży', 'Sales'], ['Młodszy księgowy', 'Finance'], ['Satış Müdürü', 'Sales'], ['Satın Alma Müdürü', 'Operations'], ['İnsan Kaynakları', 'Human Resources'], ['Country Director Mali', null],
    ['Директор по продажам', 'Sales'], ['Начальник отдела кадров', 'Human Resources'], ['Главный бухгалтер', 'Finance'], ['Инженер-программист', 'Engineering'], ['Генеральный директор', 'Executive'], ['Владелец продукта', null],
  ]);
});

test('a director may be abbreviated, and who leads in German is one word with what is led', () => {
  maps(seniorityOfTitle, [
    ['Dir. of IT', 'director'], ['Sr. Dir, Engineering', 'director'], ['Assistant to Dir. of Sales', 'entry'], ['Vertriebsleiter', 'head'], ['Personalleiterin (m/w/d)', 'head'], ['IT-Leiter', 'head'],
    ['Teamleiter', 'manager'], ['Projektleiter', null], ['Flugbegleiterin', null], ['Halbleiter', null],
  ]);
  maps(departmentOf, [['Verkaufsleiterin', 'Sales'], ['Vertriebsleitung', 'Sales'], ['Personalleiter', 'Human Resources'], ['Marketingleiter', 'Marketing'], ['Einkaufsleiter', 'Operations'], ['Entwicklungsleiter', 'Engineering'], ['Flugbegleiter', null]]);
});

test('nobody has the rank of whom they work for, nor the one they had, and a professor is no beginner', () => {
  maps(seniorityOfTitle, [
    ['Project Manager, Office of the CEO', 'manager'], ['Business Manager to the COO', 'manager'], ['Business Manager to Group CEO', 'manager'], ['Executive Assistant, Office of the President', 'entry'],
    ['Ex-CEO', null], ['Former CEO', null], ['Past President', null], ['CEO, former CFO', 'c_suite'], ['Deputy CEO', 'c_suite'], ['Vice Chairman', 'c_suite'], ['CCO', 'c_suite'], ['EVP & CCO', 'c_suite'],
    ['Former Managing Director', null], ['Project Manager, Office of the Managing Director', 'manager'], ['Managing Director', 'c_suite'], ['Former Director', 'director'],
    ['Associate Professor', null], ['Assistant Professor of Law', null], ['Associate General Counsel', null], ['Associate', 'entry'], ['Sales Assistant', 'entry'],
  ]);
});

test('who manages projects, accounts or risks is not of the management', () => {
  maps(departmentOf, [
    ['Program and Project Management', 'Operations'], ['Programme Manager', 'Operations'], ['Account Management', 'Sales'], ['Risk Management', null], ['Management Consultant', null], ['Senior Management Consultant', null],
    ['Management', 'Executive'], ['Management Team', 'Executive'], ['Member of the Management Team', 'Executive'], ['Member of Risk Management', null], ['Risk Management Team', null], ['Senior Management', 'Executive'], ['Product Management', 'Product'],
  ]);
});

test('a personal trainer works not in the department that others call so, nor a guard in IT', () => {
  maps(departmentOf, [
    ['Personal Trainer', null], ['Personal Banker', null], ['Personal Assistant', 'Administration'], ['Leiter Personal', 'Human Resources'], ['Jefe de Personal', 'Human Resources'],
    ['Leiterin Personal und Recht', 'Human Resources'], ['Personal', 'Human Resources'], ['Security Guard', null], ['Security Engineer', 'IT'], ['Head of Security', 'IT'],
    ['Chief Information Security Officer', 'IT'],
    ['Leiter Personal (m/w/d)', 'Human Resources'], ['Leiter Personal DACH', 'Human Resources'], ['Personal (w/m/d)', 'Human Resources'], ['Coordinador de Personal Senior', 'Human Resources'],
    ['Information Security Supervisor', 'IT'],
  ]);
});

test('a department has one name', () => {
  maps(departmentOf, [
    ['VP Engineering', 'Engineering'], ['Sales Development Representative', 'Sales'], ['Account Executive', 'Sales'], ['HR Business Partner', 'Human Resources'], ['Data Engineer', 'Data'],
    ['Chief Financial Officer', 'Finance'], ['CEO', 'Executive'], ['Customer Success Manager', 'Customer Service'], ['Astronaut', null],
  ]);
});

test('a name is split and joined as its script has it', () => {
  maps(splitName, [
    ['Jane Doe', { first: 'Jane', last: 'Doe' }], ['Doe, Jane', { first: 'Jane', last: 'Doe' }], ['Dr. Jane Doe PhD', { first: 'Jane', last: 'Doe' }],
    ['Ludwig van Beethoven', { first: 'Ludwig', last: 'van Beethoven' }], ['Maria del Carmen Ruiz', { first: 'Maria', last: 'del Carmen Ruiz' }], ['Mary Jane Watson', { first: 'Mary Jane', last: 'Watson' }],
    ['Pelé', { first: 'Pelé', last: null }], ['Jane Doe, MBA', { first: 'Jane', last: 'Doe' }],
    ['山田 太郎', { first: '太郎', last: '山田' }], ['김 철수', { first: '철수', last: '김' }], ['田中 マリ', { first: 'マリ', last: '田中' }], ['ジョン スミス', { first: 'ジョン', last: 'スミス' }], ['Jane 王', { first: 'Jane', last: '王' }],
  ]);
  assert.equal(joinName('Jane', 'Doe'), 'Jane Doe');
  assert.equal(joinName('明', '王'), '王明');
  assert.equal(joinName(null, 'Doe'), 'Doe');
});
