import type { Dataset } from './dataset.ts';
import { SENIORITIES, SIZES } from './field.ts';

/** How a filter compares: `folded` and `lower` are texts under the two rules of the contract, `domain` and `email` lower ones of which letters beyond ASCII count as their A-labels, `enum` is folded from a closed list. */
export type Comparison = 'country' | 'folded' | 'lower' | 'domain' | 'email' | 'enum' | 'number' | 'date' | 'presence';

/** What the callers see of a filter, and the row field it reads. */
export type FilterSpec = {
  readonly name: string;
  readonly field: string;
  readonly compares: Comparison;
  readonly description: string;
  readonly example: unknown;
  readonly values?: readonly string[];
};

/** An inclusive interval; the open sides are the infinities. Dates are milliseconds since 1970, UTC. */
export type Interval = readonly [min: number, max: number];

/**
 * One filter of a search, checked and normalised: texts are folded, trimmed and unique.
 * `include: null` asks for nothing; nulls in a row match no `include`, and are kept by `exclude`.
 */
export type Filter =
  | { readonly kind: 'terms'; readonly name: string; readonly include: readonly string[] | null; readonly exclude: readonly string[] }
  | { readonly kind: 'intervals'; readonly name: string; readonly include: readonly Interval[] | null; readonly exclude: readonly Interval[] }
  | { readonly kind: 'presence'; readonly name: string; readonly present: boolean; readonly absent: boolean };

/** Narrowing decides whether a free text may be asked: exclusions and presence do not narrow. */
export function narrows(filter: Filter): boolean {
  return filter.kind !== 'presence' && filter.include !== null;
}

const folded = (name: string, example: string, description: string): FilterSpec =>
  ({ name, field: name, compares: 'folded', description, example: [example] });
const lower = (name: string, example: string, description: string): FilterSpec =>
  ({ name, field: name, compares: 'lower', description, example: [example] });
const named = (compares: 'domain' | 'email', name: string, example: string, description: string, field = name): FilterSpec =>
  ({ name, field, compares, description, example: [example] });
const listed = (name: string, values: readonly string[], description: string): FilterSpec =>
  ({ name, field: name, compares: 'enum', description, example: [values[4]], values });
const presence = (field: string, name: string): FilterSpec =>
  ({ name, field, compares: 'presence', description: `whether the row has a value in ${field}`, example: ['true'] });

const COUNTRY: FilterSpec = { name: 'country', field: 'country', compares: 'country', description: 'ISO 3166-1 alpha-2 code', example: ['US'] };
const UPDATED: FilterSpec = { name: 'updated_at', field: 'updated_at', compares: 'date', description: 'time of the last change; a date is its whole day in UTC, a time without a zone is in UTC', example: { min: '2024-01-01' } };
const REGION = folded('region', 'California', 'state, province or region');
const CITY = folded('city', 'Berlin', 'city');
const INDUSTRY = folded('industry', 'Software', 'industry');
const LINKEDIN = lower('linkedin_url', 'https://www.linkedin.com/in/jane-doe', 'LinkedIn address, however it is written');
const ID = lower('id', 'demo-crm:1', 'row id');

export const FILTERS: Readonly<Record<Dataset, readonly FilterSpec[]>> = {
  contacts: [
    COUNTRY, REGION, CITY, INDUSTRY,
    listed('seniority', SENIORITIES, 'seniority level'),
    folded('department', 'Engineering', 'department'),
    folded('job_title', 'Head of Sales', 'job title'),
    folded('company_name', 'Acme', "the employer's name"),
    named('domain', 'company_domain', 'acme.com', "the employer's registrable domain, in letters or as xn--, or a web address there"),
    listed('company_size', SIZES, "the employer's size bracket"),
    named('email', 'email', 'jane@acme.com', 'email address'),
    named('domain', 'email_domain', 'acme.com', "the email address's domain, in letters or as xn--, with or without an @", 'email'),
    LINKEDIN, UPDATED, ID,
    presence('email', 'has_email'), presence('phone', 'has_phone'), presence('linkedin_url', 'has_linkedin'),
  ],
  companies: [
    COUNTRY, REGION, CITY, INDUSTRY,
    folded('name', 'Acme', 'company name'),
    named('domain', 'domain', 'acme.com', 'registrable domain, in letters or as xn--, or a web address there'),
    listed('size', SIZES, 'size bracket'),
    { name: 'founded_year', field: 'founded_year', compares: 'number', description: 'year of foundation', example: { min: 1990, max: 2010 } },
    { name: 'employee_count', field: 'employee_count', compares: 'number', description: 'number of employees', example: { min: 50 } },
    LINKEDIN, UPDATED, ID,
    presence('email', 'has_email'), presence('phone', 'has_phone'), presence('linkedin_url', 'has_linkedin'), presence('website', 'has_website'),
  ],
};
