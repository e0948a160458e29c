import examples from 'libphonenumber-js/mobile/examples';
import { getCountryCallingCode, type CountryCode } from 'libphonenumber-js/min';
import type { Chance } from './chance.ts';

const AREAS = [202, 212, 213, 303, 305, 312, 404, 415, 503, 512, 602, 612, 617, 702, 713, 718, 805, 901, 917];

/** A number that parses for the country, none where it has no numbers of its own; in the US one of those kept for fiction. */
export function phoneIn(country: string, chance: Chance): string | null {
  if (country === 'US') return `+1${chance.one(AREAS)}55501${String(chance.below(100)).padStart(2, '0')}`;
  const example = examples[country as CountryCode];
  if (example === undefined) return null;
  return `+${getCountryCallingCode(country as CountryCode)}${example.slice(0, -3)}${String(chance.below(1_000)).padStart(3, '0')}`;
}
