import { fold } from '../../lib/fold.ts';
import type { Row } from '../../model/field.ts';
import { joinName } from '../normalise/name.ts';
import { Chance } from './chance.ts';
import type { DemoCompany } from './companies.ts';
import { updateTime, weighted } from './draws.ts';
import { namingOf } from './names.ts';
import { phoneIn } from './phones.ts';
import { COUNTRIES, US_PERCENT } from './places.ts';
import { DEPARTMENTS, RANKS } from './work.ts';

export const CRM_ROWS = 60_000;
export const WEB_ROWS = 40_000;
/** People whom both sources know: the last of the one, the first of the other. */
export const SHARED_ROWS = 12_000;
const COUNTRY_ROWS_MIN = 24;
const STATUSES = [['verified', 70], ['risky', 12], ['unknown', 14], ['invalid', 4]] as const;

/** Which of a person's fields a source has, in a hundred. */
type Leaning = { readonly phone: number; readonly linkedin: number; readonly skills: number; readonly headline: number; readonly title: number; readonly department: number };
const CRM: Leaning = { phone: 55, linkedin: 74, skills: 12, headline: 10, title: 96, department: 92 };
const WEB: Leaning = { phone: 21, linkedin: 97, skills: 85, headline: 80, title: 88, department: 45 };

/** The people of both sources, row by row. */
export class DemoPeople {
  readonly #byCountry = new Map<string, DemoCompany[]>();
  readonly #countries: readonly string[];

  constructor(companies: readonly DemoCompany[]) {
    for (const company of companies) {
      const known = this.#byCountry.get(company.country.code);
      if (known === undefined) this.#byCountry.set(company.country.code, [company]);
      else known.push(company);
    }
    this.#countries = residences();
  }

  crm(at: number): Row {
    return this.#row('demo-crm', at, at, CRM);
  }

  web(at: number): Row {
    return this.#row('demo-web', at, at + CRM_ROWS - SHARED_ROWS, WEB);
  }

  /** What is true of the person is drawn from the person's own chance, what the source knows of it from the source's. */
  #row(source: string, at: number, person: number, leaning: Leaning): Row {
    const country = this.#countries[person]!;
    const truth = new Chance('person', person);
    const knows = new Chance(source, at);
    const naming = namingOf(country);
    const [given, family] = [truth.one(naming.given), truth.one(naming.family)];
    const spelling = truth.percent(60) ? 'native' : 'latin';
    const [first, last] = [given[spelling], family[spelling]];
    const company = truth.one(this.#byCountry.get(country)!);
    const place = truth.one(COUNTRIES.find(({ code }) => code === country)!.places);
    const department = truth.one(DEPARTMENTS);
    const rank = weighted(truth, RANKS.map((rank) => [rank, rank.share]));
    const title = rank.title(department, truth.one(department.roles));
    const slug = `${slugOf(given.latin)}-${slugOf(family.latin)}-${person.toString(36)}`;
    const email = truth.percent(72) ? `${slugOf(given.latin)}.${slugOf(family.latin)}${person % 7 === 0 ? '' : person}@${company.row.domain as string}` : null;
    const status = weighted(truth, STATUSES);
    const phone = phoneIn(country, truth);
    const skills = truth.some(department.skills, 2 + truth.below(4));
    return {
      id: `${source}:${at + 1}`, full_name: joinName(first, last), first_name: first, last_name: last,
      headline: knows.percent(leaning.headline) ? `${title} at ${company.row.name as string}` : null,
      job_title: knows.percent(leaning.title) ? title : null, seniority: rank.seniority, department: knows.percent(leaning.department) ? department.name : null,
      email, email_status: email === null ? null : status, phone: knows.percent(leaning.phone) ? phone : null,
      linkedin_url: knows.percent(leaning.linkedin) ? `https://www.linkedin.com/in/${slug}` : null,
      country, region: place.region, city: place.city, postal_code: knows.percent(35) ? String(10_000 + truth.below(89_999)) : null,
      company_name: company.row.name!, company_domain: company.row.domain!, company_linkedin_url: knows.percent(50) ? company.row.linkedin_url! : null,
      industry: company.row.industry!, company_size: company.row.size!, skills: knows.percent(leaning.skills) ? skills : null, updated_at: updateTime(knows),
    };
  }
}

/** Where each person lives: in each source every country comes often enough, and the US as often as it should. */
function residences(): string[] {
  const people = CRM_ROWS + WEB_ROWS - SHARED_ROWS;
  const sure = COUNTRIES.flatMap(({ code }) => Array.from({ length: COUNTRY_ROWS_MIN }, () => code));
  const others = COUNTRIES.filter(({ code }) => code !== 'US').map(({ code, weight }): [string, number] => [code, weight]);
  return Array.from({ length: people }, (_, person) => {
    const fromEnd = people - 1 - person;
    const fixed = sure[person] ?? sure[fromEnd];
    if (fixed !== undefined) return fixed;
    const chance = new Chance('residence', person);
    return chance.percent(US_PERCENT * (people / (people - 2 * sure.length))) ? 'US' : weighted(chance, others);
  });
}

function slugOf(name: string): string {
  return fold(name).replace(/[^a-z0-9]+/g, '') || 'x';
}
