import { DEPARTMENTS } from '../../src/ingest/demo/work.ts';

type Title = { readonly title: string; readonly seniority: string; readonly department: string };

const FOCUS = ['', 'Cloud', 'Platform', 'Growth', 'Enterprise', 'Regional', 'Digital', 'Strategic', 'Technical', 'Commercial', 'Corporate', 'Field', 'Global', 'Clinical', 'Industrial', 'Mobile'];
const PLACE = ['', 'EMEA', 'APAC', 'Americas', 'Nordics', 'DACH', 'Europe', 'Public Sector'];

const RANKED: readonly (readonly [seniority: string, title: (department: string, role: string) => string])[] = [
  ['senior', (_, role) => `Senior ${role}`], ['manager', (department) => `${department} Manager`], ['senior', (_, role) => `Lead ${role}`],
  ['director', (department) => `Director of ${department}`], ['entry', (_, role) => `Junior ${role}`], ['head', (department) => `Head of ${department}`],
  ['vp', (department) => `VP ${department}`], ['vp', (department) => `Vice President, ${department}`], ['intern', (_, role) => `${role} Intern`],
  ['manager', (_, role) => `${role} Team Manager`], ['c_suite', (department) => `Chief ${department} Officer`], ['director', (department) => `Senior Director, ${department}`],
  ['partner', (department) => `${department} Partner`], ['founder', (department) => `Co-Founder & Head of ${department}`], ['owner', () => 'Owner'],
];

/** Tens of thousands of job titles, each once, the plain ones first. */
export function titles(): Title[] {
  const made = new Map<string, Title>();
  for (const place of PLACE) for (const focus of FOCUS) for (const [seniority, spell] of RANKED) for (const { name: department, roles } of DEPARTMENTS) for (const role of roles) {
    const title = `${spell(focus === '' ? department : `${focus} ${department}`, focus === '' ? role : `${focus} ${role}`)}${place === '' ? '' : `, ${place}`}`;
    if (!made.has(title)) made.set(title, { title, seniority, department });
  }
  return [...made.values()];
}

const CRAFTS = ['', 'Advanced ', 'Applied ', 'Enterprise ', 'Cloud ', 'Agile ', 'Technical ', 'Strategic ', 'Digital ', 'Certified '];
const SUFFIXES = ['', ' management', ' strategy', ' automation', ' consulting', ' administration', ' analysis'];

/** Some thousands of skills, the plain ones first. */
export function skills(): string[] {
  const plain = DEPARTMENTS.flatMap(({ skills }) => skills);
  return [...new Set(CRAFTS.flatMap((craft) => SUFFIXES.flatMap((suffix) => plain.map((skill) => `${craft}${skill}${suffix}`))))];
}

const SECTORS = ['Software', 'Banking', 'Insurance', 'Logistics', 'Healthcare', 'Retail', 'Energy', 'Construction', 'Education', 'Media', 'Agriculture', 'Telecommunications', 'Hospitality', 'Biotechnology', 'Consulting', 'Automotive', 'Aerospace', 'Textiles', 'Mining', 'Chemicals', 'Legal', 'Tourism', 'Gaming', 'Shipping'];
const TRADES = ['', ' Services', ' Equipment', ' & Research', ' Wholesale'];

/** About as many as the networks for work have. */
export const INDUSTRIES: readonly string[] = TRADES.flatMap((trade) => SECTORS.map((sector) => `${sector}${trade}`));
