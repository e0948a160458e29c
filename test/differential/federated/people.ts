import { seeded } from '../../../bench/support/figures.ts';

/** A row as a source stores it: texts as somebody typed them, blanks in place of nulls. */
export type Stored = {
  readonly id: string; readonly full_name: string | null; readonly job_title: string | null; readonly seniority: string | null; readonly department: string | null; readonly email: string | null;
  readonly phone: string | null; readonly linkedin_url: string | null;
  readonly country: string | null; readonly region: string | null; readonly city: string | null; readonly company_name: string | null;
  readonly company_domain: string | null; readonly industry: string | null; readonly skills: readonly string[] | null; readonly updated_at: string | null;
};

/** Letters that fold oddly, marks, signs of other scripts, what is drawn as nothing, and what tries to become syntax. */
const ODD = [
  'ſtraſſe', 'STRAẞE', 'İzmir', 'ızmir', '\u212Aelvin', 'ﬁnance', 'FINANCE', 'Ångström', 'A\u030Angstro\u0308m', '한국', '\u1112\u1161\u11AB국', 'กำลัง', 'مُحَمَّد', 'محمد', 'Ⅷ', '½', '１２', 'ΣΊΣΥΦΟΣ', 'Σίσυφος',
  'Москва', 'йод', 'и\u0306од', '😀 party', '👩\u200D👧', 'a\u200Bb', '\u200FRTL', 'a\u00ADb', '\u0301', 'x\u0345', '\u{10FFFD}', "' OR 1=1--", '%', '_', '%_%', 'back\\slash', '\\', '"quoted"', 'line\nbreak', 'a\u0001b', '--', '$1', '{x:String}',
  'long '.repeat(50).trim(), 'é'.repeat(200), '\u3000wide\u3000',
];

const NAMES = ['Ann Lee', 'Bob Ray', 'Çelik Öz', "Ciara O'Neil", 'Dora Łuk', '李 雷', 'Zoë Straße', ...ODD];
const TITLES = ['VP Engineering', 'vp, engineering', 'Head of Sales', 'Sales Engineer', 'Ingénieur', 'Intern', 'Engineering Intern', 'C++ / C# dev', ...ODD];
const SENIORITIES = ['vp', 'VP', 'manager', 'head', 'intern', 'director', 'sorcerer'];
const DEPARTMENTS = ['Sales', 'sales ', 'Engineering', 'R&D', 'R & D'];
const COUNTRIES = ['US', 'us', ' de ', 'DE', 'UK', 'gb', 'FR', 'XX', 'Germany', 'BR', 'US', 'US', 'ß', 'ıt', 'ﬁ'];
const REGIONS = ['Bavaria', 'BAVARIA', 'Île-de-France', 'California', ' '];
const CITIES = ['Berlin', 'berlin ', 'München', 'Mu\u0308nchen', 'MUNCHEN', 'Paris', 'New York', 'Łódź', 'Lodz', '', ...ODD];
const COMPANIES = ['Acme GmbH', 'ACME gmbh', 'Æther', 'Aether', 'Umbrella, Inc.', '50% Off_Co', "O'Reilly", ...ODD];
const INDUSTRIES = ['Software', 'SOFTWARE', 'Retail', 'Santé', 'sante'];
const DOMAINS = ['acme.com', 'ACME.com', 'aether.io', ' umbrella.co.uk ', 'oreilly.example'];
const SKILLS = ['SQL', 'sql', 'Go', 'Übung', 'Sales', 'people skills', ' ', ...ODD];
const TIMES = ['2024-01-31T09:30:00Z', '2024-01-31T09:30:01Z', '1999-12-31T23:59:59Z', '2025-06-30T00:00:00Z'];
const MAIL_HOSTS = ['x.org', 'mail.acme.com', 'Acme.COM', 'gone.example', 'sub.gone.example'];

/** How often a value is missing in a source, and how often it is another than the person's own. */
const BLANK_SHARE = 0.25;
const OTHER_SHARE = 0.2;
/** How often a source has a person twice. */
const TWICE_SHARE = 0.12;

export type Chance = () => number;
const pick = <T>(list: readonly T[], chance: Chance): T => list[Math.floor(chance() * list.length)]!;

function spelled(text: string, chance: Chance): string {
  const roll = chance();
  return roll < 0.15 ? text.toUpperCase() : roll < 0.25 ? `  ${text}\t` : text;
}

/** People of whom every source knows some, each in its own words. */
export function storedBy(source: string, seed: number, people: number, share: number): Stored[] {
  const rows: Stored[] = [];
  const own = seeded(seed * 7_919 + [...source].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 100_003);
  for (let person = 0; person < people; person += 1) {
    const same = seeded(seed * 104_729 + person);
    const [linked, mailed] = [same() < 0.5, same() < 0.75];
    const [host, known] = [pick(MAIL_HOSTS, same), personOf(same)];
    const letter = same() < 0.1 ? 'Ö' : 'p';
    for (let times = own() >= share ? 0 : own() < TWICE_SHARE ? 2 : 1; times > 0; times -= 1) {
      const value = <T>(mine: T, others: readonly T[]): T | null => (own() < BLANK_SHARE ? null : own() < OTHER_SHARE ? pick(others, own) : mine);
      rows.push({
        id: `${source[0]}${person}-${times}`,
        full_name: value(known.full_name, NAMES), job_title: value(known.job_title, TITLES), seniority: value(known.seniority, SENIORITIES), department: value(known.department, DEPARTMENTS),
        email: !mailed || own() < 0.1 ? (own() < 0.3 ? ' ' : null) : spelled(`${letter}${person}@${host}`, own),
        linkedin_url: !linked || own() < 0.1 ? null : `https://www.linkedin.com/in/${own() < 0.2 ? 'P' : letter}${person}`,
        phone: value('+4930123456', ['+14155550100', ' ']), country: value(known.country, COUNTRIES), region: value(known.region, REGIONS), city: value(known.city, CITIES),
        company_name: value(known.company_name, COMPANIES), company_domain: value(known.company_domain, DOMAINS), industry: value(known.industry, INDUSTRIES),
        skills: own() < BLANK_SHARE ? null : Array.from({ length: Math.floor(own() * 3) }, () => pick(SKILLS, own)), updated_at: value(known.updated_at, TIMES),
      });
    }
  }
  return rows;
}

function personOf(chance: Chance) {
  return {
    full_name: pick(NAMES, chance), job_title: pick(TITLES, chance), seniority: pick(SENIORITIES, chance), department: pick(DEPARTMENTS, chance), country: pick(COUNTRIES, chance),
    region: pick(REGIONS, chance), city: pick(CITIES, chance), company_name: pick(COMPANIES, chance), company_domain: pick(DOMAINS, chance),
    industry: pick(INDUSTRIES, chance), updated_at: pick(TIMES, chance),
  };
}
