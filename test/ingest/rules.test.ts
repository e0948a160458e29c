import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { getCountries, getCountryCallingCode } from 'libphonenumber-js/min';
import { Duck, literal, type Cell } from '../../src/ingest/duckdb.ts';
import { identitySql } from '../../src/ingest/lead_table.ts';
import { tidy } from '../../src/ingest/normalise/text.ts';
import { forwarded, rulesOf, settledSql, DERIVING_RULES, type Rule } from '../../src/ingest/rules.ts';
import { TIDY_MACROS } from '../../src/ingest/tidy_sql.ts';
import { DATASETS } from '../../src/model/dataset.ts';
import { identityOf } from '../../src/model/identity.ts';
import { sortTexts } from '../../src/lib/text_order.ts';
import { SEED } from '../support/seed.ts';

const workDir = await mkdtemp(join(tmpdir(), 'lds-rules-'));
const duck = await Duck.open(workDir, { folders: [], files: [] }, new AbortController().signal);
after(async () => { duck.close(); await rm(workDir, { recursive: true }); });
for (const macro of TIDY_MACROS) await duck.run(macro);

/** What the engine makes of each text. */
async function engine(texts: readonly string[], sql: string): Promise<Cell[]> {
  await duck.run('CREATE OR REPLACE TABLE texts (n BIGINT, x VARCHAR)');
  const chunks = Array.from({ length: Math.ceil(texts.length / 2_000) }, (_, at) => texts.slice(at * 2_000, (at + 1) * 2_000));
  await duck.append('texts', ['integer', 'text'], chunks.map((chunk, at) => [chunk.map((_, n) => at * 2_000 + n), chunk]));
  return (await duck.rows(`SELECT ${sql} AS value FROM texts ORDER BY n`)).map(({ value }) => value ?? null);
}

const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number): T[] => fc.sample(arbitrary, { numRuns, seed: SEED });

const DIGIT = fc.integer({ min: 0, max: 9 }).map(String);
const digits = (min: number, max: number): fc.Arbitrary<string> => fc.array(DIGIT, { minLength: min, maxLength: max }).map((all) => all.join(''));
const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
const host = fc.tuple(fc.stringMatching(/^[a-zA-Z0-9-]{1,12}$/), fc.constantFrom('com', 'de', 'COM', 'co.uk', 'roma.it', 'eu', 'nl', 'ch', 'org', 'info', 'zz')).map((parts) => parts.join('.'));
const item = fc.oneof(
  fc.constantFrom('SQL', 'sql', 'C++', 'C#', 'Machine Learning', 'None', 'null', 'n/a', 'N/A', 'NaN', '-', '.', 'R&D', 'Node.js', 'é', 'x'.repeat(99), 'a b ', ' b', 'a  b', 'none of', ''),
  fc.stringMatching(/^[A-Za-z0-9 .+#-]{1,6}$/),
);
const items = fc.array(fc.tuple(item, fc.constantFrom(';', '; ', '; ', ' ;', ',', '|')), { minLength: 1, maxLength: 7 })
  .map((parts) => parts.flat().slice(0, -1).join(''));
const CALLING_CODES = [...new Set(getCountries().map((country) => `+${getCountryCallingCode(country)}`))];
const names = fc.constantFrom('Jane', 'JANE', 'O’NEILL', 'LE', 'van', 'de', 'Dr.', 'Herr', 'MRS', 'Mag.', 'Mag', 'Dipl.-Ing.', 'dipl-ing', 'Drew', 'Doe', 'Doe,', 'PhD', 'Jr', 'Ünal', '王明', '太郎', 'マリ', '김', 'O’Neill', 'von', '(she/her)', 'med.', '🚀', '|', '&', '7');

/** Texts near to the normal form of each field, most of all those just beside it. */
const NEAR: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.oneof(
    { weight: 9, arbitrary: fc.tuple(word, fc.constantFrom('', '.', '..'), word, fc.constantFrom('@', '@@'), host).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom('email_not_unlocked', 'none', 'No', 'no-email', 'nora'), fc.constantFrom('none', 'noemail', 'domain', 'acme')).map(([local, name]) => `${local}@${name}.com`) },
  ),
  company_domain: host, domain: host,
  phone: fc.tuple(
    fc.constantFrom('+1', '+44', '+33', '+49', '+91', '+34', '+31', '+55119', '+8190', '+614', '+393', '+467', '+485', '+491', '+7', '+54', '+549', '+521', '+55', '+61', '+86', '+390', '00', '', ...CALLING_CODES),
    digits(4, 13),
  ).map((parts) => parts.join('')),
  linkedin_url: fc.tuple(
    fc.constantFrom('https://www.linkedin.com', 'http://linkedin.com', 'uk.linkedin.com', 'https://evil.com'),
    fc.constantFrom('/in/', '/company/', '/pub/'), fc.oneof(word, fc.stringMatching(/^[a-z0-9-]{1,12}$/)), fc.constantFrom('', '/', '?x=1', '/en'),
  ).map((parts) => parts.join('')),
  updated_at: fc.tuple(digits(4, 4), digits(2, 2), digits(2, 2), fc.constantFrom(' ', 'T'), digits(2, 2), digits(2, 2), digits(2, 2), fc.constantFrom('', 'Z', '.000', '.000Z', '.5Z', '+01:00', '+25:00'))
    .map(([year, month, day, t, hour, minute, second, zone]) => `${year}-${month}-${day}${t}${hour}:${minute}:${second}${zone}`),
  ...Object.fromEntries(['skills', 'keywords', 'technologies'].map((field) => [field, items])),
  full_name: fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(' ')),
};
const date = fc.date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T00:00:00Z'), noInvalidDate: true }).map((day) => day.toISOString().replace(/\.\d+/, ''));

for (const rule of DATASETS.flatMap((dataset) => [...rulesOf(dataset, []), ...DERIVING_RULES[dataset]]).filter(({ settled }) => settled !== undefined)) {
  test(`what the engine takes for a normal ${rule.field} is what the full reading makes of it (${rule.settled!.slice(0, 30)})`, () => proveShortCut(rule));
}

async function proveShortCut(rule: Rule): Promise<void> {
  const near = NEAR[rule.field] ?? NEAR.linkedin_url!;
  const cells = [...sample(near, rule.field === 'phone' ? 20_000 : 4_000), ...sample(rule.field === 'updated_at' ? date : near, 1_000)];
  const asTheyCame = await engine(cells, `(${settledSql(rule, 'x')})::INTEGER`);
  if (rule.derives === undefined) for (const [at, cell] of cells.entries()) if (asTheyCame[at] === 1) assert.equal(tidy(cell), cell, `settled as it came: ${cell} (LDS_FUZZ_SEED=${SEED})`);
  const texts = cells.map(tidy).filter((text) => text !== null);
  const forward = await engine(texts, forwarded(rule, 'x'));
  const settled = await engine(texts, `(${settledSql(rule, `(${forwarded(rule, 'x')})`)})::INTEGER`);
  const values: unknown[][] = [];
  for (const output of rule.outputs.keys()) values.push(await engine(texts, rule.settledAs?.value(`(${forwarded(rule, 'x')})`, output) ?? forwarded(rule, 'x')));
  let proven = 0;
  for (const [at, text] of texts.entries()) {
    const wanted = rule.normalise(text, null);
    if (forward[at] !== text || settled[at] === 1) proven += 1;
    if (forward[at] !== text) assert.deepEqual(rule.normalise(forward[at] as string, null), wanted, `brought forward: ${text} (LDS_FUZZ_SEED=${SEED})`);
    if (settled[at] !== 1) continue;
    assert.deepEqual(values.map((output) => output[at]), wanted, `settled: ${text} (LDS_FUZZ_SEED=${SEED})`);
  }
  assert.ok(proven > 20, `only ${proven} texts took the short cut`);
}

const TOLD: Readonly<Record<string, readonly string[]>> = {
  country: ['Germany', 'DE', '日本', 'Österreich', '49', '+49', '0'],
  email: ['jo@acme.com', 'Jo <jo@acme.com>', 'jo@münchen.de', 'jo@acme.com; ann@acme.com', 'nora@acme.com', 'j***@acme.com', 'j••@acme.com', 'email_not_unlocked@domain.com', 'NoEmail@NoEmail.com', 'no', 'yes'],
  phone: ['+49 30 123456', '030/123456', '０３－１２３４－５６７８', '٠٥٠١٢٣٤٥٦٧', '٠٠٠٠٠', '(555) 123-4567 x12', '1234', '12', '123', '0000000', '０００００', '+1 415 *** **00', '(XXX) XXX-0100', '####', '4.91711E+12', '4,9E+11', '5E+09', 'none'],
};

for (const rule of DATASETS.flatMap((dataset) => rulesOf(dataset, [])).filter(({ telling }) => telling !== undefined)) {
  test(`a ${rule.field} that is told from others is one that is understood`, async () => {
    const texts = TOLD[rule.field]!;
    assert.deepEqual(await engine(texts, `(${rule.telling!('x')})::INTEGER`), texts.map((text) => Number(rule.normalise(text, 'DE')[0] !== null)));
  });
}

/** Marks of Unicode 16 and 17. The engine and this process each bring tables of their own, and those of either may not know them: each then puts them in another order among marks. */
const NEW_MARKS = [
  [0x897, 0x897], [0x1acf, 0x1aeb], [0x10d69, 0x10d6d], [0x10efa, 0x10efc], [0x113ce, 0x113d2], [0x113e1, 0x113e2], [0x11b60, 0x11b67],
  [0x1611e, 0x1612f], [0x1e5ee, 0x1e5ef], [0x1e6e3, 0x1e6f5],
] as const;
const hasNewMarks = (text: string): boolean => Array.from(text, (letter) => letter.codePointAt(0)!).some((code) => NEW_MARKS.some(([from, to]) => code >= from && code <= to));

/** All signs that are blanks to this process. */
const BLANK_SIGNS = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((sign) => /[\s\p{Z}]/u.test(sign));

test('a cell is tidied by the engine as it is here', async () => {
  const letters = fc.array(fc.oneof(
    fc.integer({ min: 0x300, max: 0x17ff }), fc.integer({ min: 0x1e00, max: 0x1fff }),
    fc.constantFrom(0x93c, 0x94d, 0xe38, 0xe48, 0x64b, 0x654, 0x928),
  ), { maxLength: 5 }).map((codes) => String.fromCodePoint(...codes));
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom(' ', '  ', '\u00a0', '\u200b', '\u061c', '\u2066', '\u206f', '\ufeff', '\t', '\r\n', '\u0000', 'N/A', '-', 'NULL', 'e\u0301', '\u3000', '\u2028', '\u0085', '[]', 'x', '="', '"', '="00123"', "'", "'=", '\uff1d', '#REF!'),
    letters,
  );
  const spaced = BLANK_SIGNS.flatMap((sign) => [sign, `a${sign}b`, `a ${sign}${sign} b${sign}`]);
  const texts = [...spaced, ...sample(fc.array(piece, { maxLength: 5 }).map((parts) => parts.join('')), 8_000).filter((text) => !/\p{Cs}/u.test(text) && !hasNewMarks(text))];
  const wanted = texts.map(tidy);
  assert.deepEqual(await engine(texts, 'tidy(x)'), wanted, `LDS_FUZZ_SEED=${SEED}`);
  assert.deepEqual(await engine(texts, 'tidy_repeated(x)'), wanted, `LDS_FUZZ_SEED=${SEED}`);
  assert.deepEqual(await engine(texts, 'tidy_first_repeated(x)'), await engine(texts, 'tidy_first(x)'), `LDS_FUZZ_SEED=${SEED}`);
});

test('the engine orders texts by their UTF-8 bytes, as the segment does', async () => {
  const texts = [...new Set(sample(fc.string({ unit: 'binary', maxLength: 6 }), 2_000).filter((text) => !/\p{Cs}|\0/u.test(text)))];
  const ordered = await duck.rows(`SELECT x FROM (VALUES ${texts.map((text) => `(${literal(text)})`).join(', ')}) t(x) ORDER BY x`);
  assert.deepEqual(ordered.map(({ x }) => x), sortTexts([...texts]));
});

test('the identity of a row is the same in the engine and in the segment', async () => {
  const rows = [
    { id: 'crm:1', email: 'a@b.co', linkedin_url: 'https://www.linkedin.com/in/a', domain: 'b.co' }, { id: 'crm:2', email: null, linkedin_url: 'https://www.linkedin.com/in/josé', domain: null },
    { id: 'crm:Ü', email: null, linkedin_url: null, domain: null }, { id: 'crm:3', email: null, linkedin_url: 'https://www.linkedin.com/in/ACoAABcDeFgBkLmNoPqRsTuVwXyZ', domain: null },
  ];
  for (const dataset of DATASETS) {
    const identity = identitySql(dataset);
    for (const row of rows) {
      const columns = Object.entries(row).map(([name, value]) => `${value === null ? 'NULL' : literal(value)} AS ${name}`).join(', ');
      const [found] = await duck.rows(`SELECT ${identity.rank} AS class, ${identity.key} AS key FROM (SELECT ${columns})`);
      assert.deepEqual({ ...found }, identityOf(dataset, row));
    }
  }
});
