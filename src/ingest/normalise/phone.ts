import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import { LIMITS } from '../../config/limits.ts';
import { cut } from './text.ts';

const SEVERAL = /\s*(?:[;|,]|:::)\s*|\s+(?:or|\/)\s+/;
/** A whole number as written by what knows none. */
const POINTED = /^(\+?\d+)\.0$/;
const DIGITS = /\d(?:\D*\d){3}/;

/** E.164 where it parses with the row's country, else the text as it came; null for what holds no number at all. */
export function phoneOf(text: string, country: string | null): string | null {
  const first = text.split(SEVERAL).find((part) => DIGITS.test(part.normalize('NFKC')));
  if (first === undefined) return null;
  const number = first.replace(POINTED, '$1');
  const parsed = parsePhoneNumberFromString(number.replace(/^00(?=[1-9])/, '+'), (country ?? undefined) as CountryCode | undefined);
  return parsed?.isPossible() === true ? parsed.number : cut(text, LIMITS.phoneCharactersMax);
}
