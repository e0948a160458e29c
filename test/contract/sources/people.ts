import { isWellFormed } from '../../../src/lib/well_formed.ts';
import type { Row } from '../../../src/model/field.ts';

/** What tries to become syntax, in one engine or another. */
export const HOSTILE = [
  "' OR 1=1--", "'", "''", '"', '\\', "\\'", "'\\''", '`', '%', '_', '%%', '$1', '$$', '$tag$', '{x:String}', '{', '}', '{{', ';', '--', '/*', '*/', '#', '\u0000', 'a\u0000b',
  '\n', '\r\n', '\t', '\u0001', '\u001a', '\u00a0', '\u2028', '\ud800', '\u{10ffff}', '?', ':1', '@x', "E'\\x27'", "x'; DROP TABLE people; --", '\\x27', '\\\\', '\\N', '[', ']', '(', ')', '.*', '^', '|',
  'Ł', 'ß', 'ẞ', 'İ', 'ı', 'K', 'ſ', 'Ǿ', 'ﬁ', 'Ａ', '½', 'Ω', 'ς', 'Σ', 'ا', '日本', 'e\u0301', '\u0301', 'a\u0300\u0301', '🙂', '\u202e', ' x ', '\u3000x\u3000',
];

const CITIES = ['Berlin', 'berlin ', 'BERLIN', 'München', 'Munchen', 'MU\u0308NCHEN', 'São Paulo', 'Łódź', 'Lodz', 'Straße', 'strasse', 'İstanbul', 'Istanbul', 'ΑΘΗΝΑΣ', 'Αθηνας', 'Москва', '東京', 'New York', ' ', '\u00a0', ''];
const TITLES = ['VP Engineering', 'vp, engineering', 'Engineering VP', 'Engineer', 'Ingénieur en chef', 'Head of Sales', "head-of-sales", 'vpengineering', 'C++ / C# dev', 'VP\u0001Engineering', 'Président'];
const COUNTRIES = ['US', 'us', ' de ', 'UK', 'gb', 'FR', 'XX', 'xk', 'Germany', 'U', '', 'ß'];
const EMAILS = ['Ann@Example.com', ' bob@b.co ', 'JÖRG@müller.DE', 'no-at', 'two@at@x.org', 'trailing@', '\u212Aelvin@k.org', "o'neil@x.org", 'Info@BU\u0308CHER.de', 'info@xn--bcher-kva.DE', 'x@ｘ.org', ''];
const SKILLS = [['SQL', ' ', 'Go'], ['go lang'], [], ['Übung', 'VP'], ['a,b', 'Engineering'], null];
const TIMES = ['2024-01-31T09:30:00Z', '2024-01-31T09:30:00.123Z', '1999-12-31T23:59:59.999Z', '1970-01-01T00:00:00Z', '2030-06-01T00:00:00.5Z', null];

/** A person as a source may store one: nothing is normalised yet. */
export type Person = {
  readonly key: string; readonly full_name: string | null; readonly job_title: string | null; readonly seniority: string | null; readonly email: string | null;
  readonly phone: string | null; readonly linkedin_url: string | null; readonly country: string | null; readonly city: string | null; readonly company_name: string | null;
  readonly skills: readonly string[] | null; readonly updated_at: string | null; readonly score: number | null;
};

/** Rows of every kind, the same each time: what hosts differ in is how they hold them. */
export function people(count = 400): Person[] {
  const usable = HOSTILE.filter((text) => !text.includes('\0') && isWellFormed(text));
  const pick = <T>(list: readonly T[], seed: number): T => list[((seed * 2_654_435_761) >>> 7) % list.length]!;
  return Array.from({ length: count }, (_, i) => ({
    key: i % 9 === 0 ? `K-${i}` : String(i),
    full_name: i % 7 === 0 ? null : `${pick(['Ann', 'Bob', 'Çelik', "O'Neil"], i)} ${pick(usable, i + 3)}`,
    job_title: i % 11 === 0 ? null : pick(TITLES, i * 3 + 1),
    seniority: pick(['vp', 'VP', 'manager', null, 'Vp '], i * 5 + 2),
    email: i % 5 === 0 ? null : i % 3 === 0 ? pick(EMAILS, i * 7 + 3) : `p${i % 150}@${pick(['x.org', 'Y.com', 'z.de'], i)}`,
    phone: i % 4 === 0 ? null : pick(['+49301234', ' ', '030 123'], i),
    linkedin_url: i % 6 === 0 ? `https://www.linkedin.com/in/P${i % 40}` : null,
    country: i % 13 === 0 ? null : pick(COUNTRIES, i * 11 + 5),
    city: i % 8 === 0 ? pick(usable, i * 13 + 1) : pick(CITIES, i * 13 + 7),
    company_name: i % 10 === 0 ? null : pick([...usable, 'Acme GmbH', 'ACME gmbh', 'Æther', 'Oetker'], i * 17 + 9),
    skills: pick(SKILLS, i * 19 + 11),
    updated_at: pick(TIMES, i * 23 + 13),
    score: i % 4 === 0 ? null : (i * 37) % 100,
  }));
}

export const EXTRAS = [{ name: 'lead_score', type: 'integer', description: 'how promising' }] as const;

/** Every text that the rows hold in a field. */
export function fieldTexts(rows: readonly Row[], field: string): string[] {
  return [...new Set(rows.flatMap((row) => { const value = row[field]; return typeof value === 'string' ? [value] : Array.isArray(value) ? value : []; }))];
}
