import type { Dataset } from './dataset.ts';

export const FIELD_TYPES = ['string', 'strings', 'integer', 'timestamp'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export type Field = { readonly name: string; readonly type: FieldType; readonly nullable: boolean; readonly description: string };

/** One normalised row: every field of its dataset, then the source's extra columns; null where unknown. */
export type Row = Record<string, string | number | string[] | null>;

const text = (name: string, description: string): Field => ({ name, type: 'string', nullable: true, description });
const always = (name: string, type: FieldType, description: string): Field => ({ name, type, nullable: false, description });

const ID = always('id', 'string', "the source's name, a colon, and the source's own key");
const SOURCE = always('source', 'string', 'the source this row came from');
const SOURCES = always('sources', 'strings', 'every source that had this identity');
const UPDATED: Field = { name: 'updated_at', type: 'timestamp', nullable: true, description: 'ISO 8601 time of the last change, in UTC' };
const list = (name: string, description: string): Field => ({ name, type: 'strings', nullable: true, description });
const integer = (name: string, description: string): Field => ({ name, type: 'integer', nullable: true, description });

const PLACE = [
  text('country', 'ISO 3166-1 alpha-2 code'),
  text('region', 'state, province or region'),
  text('city', 'city'),
  text('postal_code', 'postal code'),
] as const;
const [COUNTRY, REGION, CITY, POSTAL_CODE] = PLACE;

/** The order here is the order of the members in every row that leaves the service. */
export const FIELDS: Readonly<Record<Dataset, readonly Field[]>> = {
  contacts: [
    ID, SOURCE, SOURCES,
    text('full_name', 'full name'),
    text('first_name', 'given name'),
    text('last_name', 'family name'),
    text('headline', 'headline'),
    text('job_title', 'job title'),
    text('seniority', 'seniority level'),
    text('department', 'department'),
    text('email', 'email address, lower case'),
    text('email_status', 'what the source says of the address: verified, risky, invalid or unknown'),
    text('phone', 'phone number, E.164 where it parses'),
    text('linkedin_url', 'LinkedIn profile'),
    COUNTRY, REGION, CITY, POSTAL_CODE,
    text('company_name', "the employer's name"),
    text('company_domain', "the employer's registrable domain"),
    text('company_linkedin_url', "the employer's LinkedIn page"),
    text('industry', "the employer's industry"),
    text('company_size', "the employer's size bracket"),
    list('skills', 'skills'),
    UPDATED,
  ],
  companies: [
    ID, SOURCE, SOURCES,
    text('name', 'company name'),
    text('domain', 'registrable domain'),
    text('website', 'website'),
    text('linkedin_url', 'LinkedIn page'),
    text('description', 'what the company does'),
    text('industry', 'industry'),
    list('keywords', 'keywords'),
    COUNTRY, REGION, CITY, POSTAL_CODE,
    text('phone', 'phone number, E.164 where it parses'),
    text('email', 'general email address, lower case'),
    integer('employee_count', 'number of employees'),
    text('size', 'size bracket'),
    integer('revenue_usd', 'yearly revenue in US dollars'),
    integer('founded_year', 'year of foundation'),
    text('company_type', 'legal or ownership type'),
    text('ticker', 'stock ticker'),
    list('technologies', 'technologies in use'),
    UPDATED,
  ],
};

export const SEARCHABLE: Readonly<Record<Dataset, readonly string[]>> = {
  contacts: ['full_name', 'job_title', 'company_name', 'city', 'skills'],
  companies: ['name', 'description', 'industry', 'city', 'keywords'],
};

export const SENIORITIES = ['owner', 'founder', 'c_suite', 'partner', 'vp', 'head', 'director', 'manager', 'senior', 'entry', 'intern'] as const;
export const SIZES = ['1-10', '11-50', '51-200', '201-500', '501-1000', '1001-5000', '5001-10000', '10001+'] as const;
export const EMAIL_STATUSES = ['verified', 'risky', 'invalid', 'unknown'] as const;
