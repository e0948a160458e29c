import { parsePhoneNumberFromString, type CountryCode } from 'libphonenumber-js/min';
import { LIMITS } from '../../config/limits.ts';
import { cut } from './text.ts';

/** A plus amid a text begins the next number, as where a cell had two lines; but behind some few digits nobody knows whether those are one (`Office 1234 +49 30 123456`). */
const SEVERAL = /\s*(?:[;|,]|:::)\s*|\s+or\s+|\s+(?=\+\s?\d)(?<!^\D*\d(?:\D*\d){3,5}\D*)/;
/** Digits that a seller put out until the number is paid for: who has such a one has none. */
const MASKED = /[*•#]{2}|(?<![a-z])x{2}/i;
/** What stands before a stroke where that does not part two numbers, but the area from the number in it, as Germans write: `030 / 123456`. */
const AREA = /^(?=[+(0])(?:\(?(?:\+|00)\d{1,3}\)?[\s.-]*)?(?:\(0\)\s*)?\(?\d{1,6}\)?$/;
/** As a spreadsheet shows a number that its column is too narrow for. */
const SCIENTIFIC = /^\d(?:[.,](\d+))?E\+?(\d{1,2})$/i;
/** A whole number as written by what knows none. */
const POINTED = /^(\+?\d+)\.0$/;
/** The code of a country without its plus, as before a zero in brackets that is dialled at home alone. */
const UNPLUSSED = /^\(?[1-9]\d{0,2}\)?[\s.-]*\(0\)/;
/** In Germany it also begins area codes (`04921`), where no number has eleven digits, but for those of an extension behind a letter. */
const GERMAN_UNPLUSSED = /^\(?49(?:[^\d\p{L}]*\d){9}/u;
/** Of any script, as the parser knows them. Zeros alone are what people write where a form wants a number. */
const DIGITS = /^(?=.*[^\P{Nd}0０٠۰]).*?\p{Nd}(?:\P{Nd}*\p{Nd}){3}/su;

/** E.164 where it parses with the row's country, else the text as it came; null for what holds no number at all, or not all of its digits. */
export function phoneOf(text: string, country: string | null): string | null {
  const several = SCIENTIFIC.test(text) ? [text] : text.split(SEVERAL);
  const first = several.flatMap(parted).find((part) => DIGITS.test(part) && !MASKED.test(part));
  const number = first === undefined ? null : written(first);
  if (number === null) return null;
  const parsed = parsePhoneNumberFromString(plussed(number, country), (country ?? undefined) as CountryCode | undefined);
  return parsed?.isPossible() === true ? parsed.number : cut(text.replace(POINTED, '$1'), LIMITS.phoneCharactersMax);
}

/** A stroke with blanks about it parts two numbers, but for one behind an area. */
function parted(part: string): string[] {
  const [before, after, ...more] = part.split(/\s+\/\s+/);
  return after !== undefined && AREA.test(before!) && /^[1-9]/.test(after) ? [`${before!} ${after}`, ...more] : [before!, ...(after === undefined ? [] : [after]), ...more];
}

/** Without what programs add to whole numbers; null where some of the digits are lost. */
function written(number: string): string | null {
  const [, decimals, exponent] = SCIENTIFIC.exec(number) ?? [];
  if (exponent === undefined) return number.replace(POINTED, '$1');
  return (decimals ?? '').length >= Number(exponent) ? String(Number(number.replace(',', '.'))) : null;
}

/** A spreadsheet takes the plus from whatever it holds for a number; others write two zeros for it. */
function plussed(number: string, country: string | null): string {
  const isUnplussed = UNPLUSSED.test(number) || (country === 'DE' && GERMAN_UNPLUSSED.test(number));
  return isUnplussed ? `+${number}` : number.replace(/^00 ?(?=[1-9])/, '+');
}
