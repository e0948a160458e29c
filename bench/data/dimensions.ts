import { getCountryCallingCode, type CountryCode } from 'libphonenumber-js';
import examples from 'libphonenumber-js/mobile/examples';
import { FIRST_WORDS, HEADCOUNTS } from '../../src/ingest/demo/work.ts';
import { namingOf, type Naming, type Spelling } from '../../src/ingest/demo/names.ts';
import { COUNTRIES, type Country, type Place } from '../../src/ingest/demo/places.ts';
import { fold } from '../../src/lib/fold.ts';
import { INDUSTRIES, skills, titles } from './work.ts';

/** A quarter of all contacts, as in what is sold. */
const US_SHARE = 0.25;
const TOWNS_PER_PLACE = 24;
const TOWN_PARTS = ['North', 'South', 'East', 'West', 'New', 'Old', 'Upper', 'Lower', 'Great', 'Little', 'Port', 'Mount', 'Lake', 'Saint', 'Fort', 'Glen', 'Bay', 'High', 'Castle', 'Green', 'Spring', 'Stone', 'River'];
/** Steps of the country draw: the share of a country is a multiple of one of them. */
export const SLOTS = 8_192;

export type Table = { readonly name: string; readonly columns: Readonly<Record<string, 'VARCHAR' | 'BIGINT'>>; readonly rows: readonly (readonly (string | number | null)[])[] };

/** The small tables that rows are drawn from. `companies`: how many companies there are in all. */
export function dimensions(companies: number): Table[] {
  const counts = slotsOf(COUNTRIES);
  const cultures = [...new Set(COUNTRIES.map(({ code }) => namingOf(code)))];
  return [
    { name: 'slots', columns: { slot: 'BIGINT', country: 'BIGINT' }, rows: counts.flatMap((count, at) => Array.from({ length: count }, () => at)).map((at, slot) => [slot, at]) },
    countriesTable(counts, cultures, companies),
    { name: 'places', columns: { nth: 'BIGINT', city: 'VARCHAR', region: 'VARCHAR' }, rows: COUNTRIES.flatMap(townsOf).map(({ city, region }, at) => [at, city, region]) },
    spellings('given', cultures.map(({ given }) => given)),
    spellings('family', cultures.map(({ family }) => family)),
    listed('legals', cultures.flatMap(({ legal }) => legal)),
    {
      name: 'titles',
      columns: { nth: 'BIGINT', title: 'VARCHAR', seniority: 'VARCHAR', department: 'VARCHAR' },
      rows: titles().map(({ title, seniority, department }, at) => [at, title, seniority, department]),
    },
    listed('skills', skills()),
    listed('industries', INDUSTRIES),
    listed('words', FIRST_WORDS),
    {
      name: 'sizes',
      columns: { nth: 'BIGINT', size: 'VARCHAR' },
      rows: HEADCOUNTS.flatMap(([min, max, share]) => Array.from({ length: share }, () => (max > 10_000 ? '10001+' : `${min}-${max}`))).map((size, at) => [at, size]),
    },
  ];
}

function countriesTable(counts: readonly number[], cultures: readonly Naming[], companies: number): Table {
  const columns = {
    nth: 'BIGINT', code: 'VARCHAR', company: 'BIGINT', companies: 'BIGINT', place: 'BIGINT', places: 'BIGINT',
    given: 'BIGINT', givens: 'BIGINT', family: 'BIGINT', families: 'BIGINT', legal: 'BIGINT', legals: 'BIGINT', phone: 'VARCHAR',
  } as const;
  const before = { company: 0, place: 0 };
  const rows = COUNTRIES.map((country, at) => {
    const own = Math.max(1, Math.floor((companies * counts[at]!) / SLOTS));
    const places = townsOf(country).length;
    const culture = cultures.indexOf(namingOf(country.code));
    const range = (of: (naming: Naming) => readonly unknown[]): number[] => [cultures.slice(0, culture).reduce((sum, naming) => sum + of(naming).length, 0), of(cultures[culture]!).length];
    const row = [
      at, country.code, before.company, own, before.place, places,
      ...range(({ given }) => given), ...range(({ family }) => family), ...range(({ legal }) => legal), phonePrefix(country.code),
    ];
    before.company += own;
    before.place += places;
    return row;
  });
  return { name: 'countries', columns, rows };
}

/** How many slots each country has; each at least one. */
function slotsOf(countries: readonly Country[]): number[] {
  const others = countries.reduce((sum, { code, weight }) => sum + (code === 'US' ? 0 : weight), 0);
  const share = ({ code, weight }: Country): number => (code === 'US' ? US_SHARE : ((1 - US_SHARE) * weight) / others);
  const counts = countries.map((country) => Math.max(1, Math.round(share(country) * SLOTS)));
  counts[0]! += SLOTS - counts.reduce((sum, count) => sum + count, 0);
  return counts;
}

/** The known places of a country, and towns named after them. */
function townsOf({ places }: Country): Place[] {
  const towns = places.flatMap(({ city, region }) => TOWN_PARTS.slice(0, TOWNS_PER_PLACE).map((part): Place => ({ city: `${part} ${city}`, region })));
  return [...places, ...towns];
}

/** All of an example number of the country but its last six digits. */
function phonePrefix(country: string): string | null {
  const example = examples[country as CountryCode];
  if (country === 'US') return '+12125';
  return example === undefined ? null : `+${getCountryCallingCode(country as CountryCode)}${example.slice(0, -6)}`;
}

function listed(name: string, texts: readonly string[]): Table {
  return { name, columns: { nth: 'BIGINT', text: 'VARCHAR' }, rows: texts.map((text, at) => [at, text]) };
}

function spellings(name: string, lists: readonly (readonly Spelling[])[]): Table {
  const rows = lists.flat().map(({ native, latin }, at) => [at, native, fold(latin).replace(/[^a-z0-9]+/g, '') || 'x']);
  return { name, columns: { nth: 'BIGINT', native: 'VARCHAR', slug: 'VARCHAR' }, rows };
}
