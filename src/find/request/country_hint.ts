import { nearest } from '../../lib/nearest.ts';
import { fold } from '../../lib/fold.ts';
import { COUNTRY_CODES } from '../../model/country.ts';

const NAMES_IN_USE: readonly (readonly [string, string])[] = [
  ['usa', 'US'], ['u.s.', 'US'], ['u.s.a.', 'US'], ['america', 'US'], ['united states of america', 'US'], ['great britain', 'GB'], ['england', 'GB'], ['scotland', 'GB'], ['wales', 'GB'],
  ['gbr', 'GB'], ['uae', 'AE'], ['holland', 'NL'], ['korea', 'KR'], ['czech republic', 'CZ'], ['turkey', 'TR'], ['deutschland', 'DE'],
];
let codeOfName: ReadonlyMap<string, string> | null = null;

/** The code that a caller meant who wrote a country's English name, or something like it. */
export function countryHint(text: string): string | null {
  codeOfName ??= new Map([...englishNames(), ...NAMES_IN_USE]);
  const name = fold(text.trim());
  const exact = codeOfName.get(name);
  if (exact !== undefined) return exact;
  const near = name.length > 3 ? nearest(name, codeOfName.keys()) : null;
  return near === null ? null : codeOfName.get(near)!;
}

function englishNames(): [string, string][] {
  const display = new Intl.DisplayNames('en', { type: 'region' });
  return COUNTRY_CODES.map((code) => [fold(display.of(code)!), code]);
}
