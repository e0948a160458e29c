import type { Row } from '../../model/field.ts';
import { sizeOfCount } from '../normalise/size.ts';
import { Chance } from './chance.ts';
import { updateTime, weighted } from './draws.ts';
import { namingOf } from './names.ts';
import { phoneIn } from './phones.ts';
import { COUNTRIES, US_PERCENT, type Country } from './places.ts';
import { COMPANY_TYPES, FIRST_WORDS, HEADCOUNTS, INDUSTRIES, TECHNOLOGIES } from './work.ts';

/** An invented company: its row in the registry, and what its people say of it. */
export type DemoCompany = { readonly country: Country; readonly row: Row };

export const COMPANY_COUNT = 10_000;
const COUNTRY_COMPANIES_MIN = 20;

/** The same companies every time, each with a domain of its own: of every country enough, and of the US as many as there should be. */
export function demoCompanies(): DemoCompany[] {
  const sure = COUNTRY_COMPANIES_MIN * COUNTRIES.length;
  const others = COUNTRIES.filter(({ code }) => code !== 'US').map((country): [Country, number] => [country, country.weight + 2]);
  const us = COUNTRIES.find(({ code }) => code === 'US')!;
  const drawn = (chance: Chance): Country => (chance.percent(US_PERCENT * (COMPANY_COUNT / (COMPANY_COUNT - sure))) ? us : weighted(chance, others));
  const taken = new Set<string>();
  return Array.from({ length: COMPANY_COUNT }, (_, at) => {
    const chance = new Chance('company', at);
    const country = at < sure ? COUNTRIES[at % COUNTRIES.length]! : drawn(chance);
    return { country, row: companyRow(chance, at, country, taken) };
  });
}

function companyRow(chance: Chance, at: number, country: Country, taken: Set<string>): Row {
  const industry = chance.one(INDUSTRIES);
  const first = chance.one(FIRST_WORDS);
  const second = chance.one(industry.words);
  const domain = freeDomain(`${first}${second}`, taken);
  const place = chance.one(country.places);
  const [low, high] = weighted(chance, HEADCOUNTS.map((bracket) => [bracket, bracket[2]]));
  const employees = low + chance.below(high - low + 1);
  const website = chance.percent(92) ? `https://www.${domain}` : null;
  const nameOf = `${capital(first)}${chance.percent(40) ? ' ' : ''}${capital(second)} ${chance.one(namingOf(country.code).legal)}`;
  return {
    id: `demo-registry:${at + 1}`, name: nameOf, domain, website,
    linkedin_url: chance.percent(80) ? `https://www.linkedin.com/company/${domain.slice(0, domain.indexOf('.'))}` : null,
    description: chance.percent(85) ? `${capital(first)}${capital(second)} ${industry.does} in ${place.city}.` : null,
    industry: industry.name, keywords: chance.percent(70) ? [industry.name.toLowerCase(), ...chance.some(industry.words, 2)] : null,
    country: country.code, region: place.region, city: place.city, postal_code: chance.percent(60) ? String(10_000 + chance.below(89_999)) : null,
    phone: chance.percent(65) ? phoneIn(country.code, chance) : null, email: chance.percent(55) ? `info@${domain}` : null,
    employee_count: chance.percent(90) ? employees : null, size: sizeOfCount(employees), revenue_usd: chance.percent(50) ? employees * (60_000 + chance.below(200) * 1_000) : null,
    founded_year: chance.percent(85) ? 2_024 - Math.floor(90 * chance.next() ** 2) : null, company_type: chance.one(COMPANY_TYPES),
    ticker: employees > 5_000 && chance.percent(40) ? `${first}${second}`.slice(0, 4).toUpperCase() : null,
    technologies: chance.percent(60) ? chance.some(TECHNOLOGIES, 2 + chance.below(4)) : null, updated_at: updateTime(chance),
  };
}

/** Marked as invented in the name itself: nobody is to take them for real hosts. */
function freeDomain(stem: string, taken: Set<string>): string {
  for (let round = 1; ; round += 1) {
    const domain = `${stem}${round === 1 ? '' : round}-demo.com`;
    if (!taken.has(domain)) {
      taken.add(domain);
      return domain;
    }
  }
}

const capital = (word: string): string => word[0]!.toUpperCase() + word.slice(1);
