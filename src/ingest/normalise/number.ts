import { wholeOf } from '../../lib/rounding.ts';

/** Words for thousands and more, in lower case, with which dollars are written too. */
const DOLLAR_SCALES: Readonly<Record<string, number>> = {
  k: 1e3, thousand: 1e3, m: 1e6, mm: 1e6, mn: 1e6, mio: 1e6, million: 1e6, millions: 1e6, b: 1e9, bn: 1e9, billion: 1e9, billions: 1e9, t: 1e12, tn: 1e12, trillion: 1e12,
};
/** And others. `mil` is a thousand in Spanish and Portuguese, and a million in English: nobody knows how many it says. */
export const SCALES: Readonly<Record<string, number>> = {
  ...DOLLAR_SCALES, tsd: 1e3, tausend: 1e3, mille: 1e3, mila: 1e3, тыс: 1e3, тис: 1e3, tys: 1e3, tis: 1e3, 千: 1e3, 천: 1e3, 万: 1e4, 萬: 1e4, 만: 1e4, lakh: 1e5, crore: 1e7,
  mln: 1e6, млн: 1e6, mil: Number.NaN,
};
/** And what stands beside those where a text says dollars itself: for billions, and for millions where they are declined. */
const MONEY_SCALES: Readonly<Record<string, number>> = {
  ...SCALES, ...scaled(1e6, 'millionen millones milioni milhões milhoes miljoen miljoner milionów'), 億: 1e8, 亿: 1e8, 억: 1e8, 兆: 1e12,
  ...scaled(1e9, 'mrd mld mlrd mds milliard milliards milliarde milliarden miliardi miliardów miljard miljarder млрд'),
};
const NUMBER = /^([+-]?\d[\d.,'’\s]*)(\p{L}*)\.?\s*\+?$/u;
/** As programs write large ones. */
export const SCIENTIFIC = /^[+-]?\d(?:[.,]\d+)?e\+?\d{1,2}$/;
/** What stands before a number that is about right. */
const ABOUT = /^(?:(?:ca|circa|cca|approx|approximately|about|around|roughly|etwa|rund|ungefähr|env|environ|aprox|ok|około)(?:\.\s*|\s+)|[~≈]\s*|約|约|약\s*)(?=\d)/;
/** Whom a number counts. */
const HEADS = new RegExp(`(?<!\\s)\\s*(?:${[
  'employees|people|persons|staff|workers|ftes?|mitarbeiter(?:innen|n)?|mitarbeitende|beschäftigte|angestellte|personen|salariés|employés|collaborateurs|personnes|empleados|trabajadores|personas',
  'funcionários|colaboradores|empregados|pessoas|dipendenti|addetti|persone|medewerkers|werknemers|pracowników|osób|zaměstnanců|lidí|çalışan|kişi|anställda|ansatte|työntekijää|сотрудников|человек|чел\\.?',
  '人|名|명|员工|員工',
].join('|')})$`, 'u');
/** The signs of ASCII as Chinese and Japanese type them. */
const FULL_WIDTH = /[\uff01-\uff5e]/g;
const DOLLARS = /^(?:us\s?\$|usd|\$)\s*|\s*(?:usd|(?:u\.?s\.?[\s-])?dollars?|\$)$/g;
const YEAR = /(?<!\d)(1[0-9]{3}|20\d{2})(?!\d)/g;

/** With the digits and signs of ASCII. */
export function halfWidth(text: string): string {
  return text.replace(FULL_WIDTH, (sign) => String.fromCharCode(sign.charCodeAt(0) - 0xfee0));
}

/** A whole number as people write it: `1,200`, `1.200`, `1958.0`, `10,001+`, `1.2M`; null for ranges and words. */
export function integerOf(text: string, scales = SCALES): number | null {
  const plain = halfWidth(text).trim().toLowerCase();
  if (SCIENTIFIC.test(plain)) return wholeOf(Number(plain.replace(',', '.')));
  const [, digits, unit] = NUMBER.exec(plain) ?? [];
  const scale = unit === undefined || unit === '' ? 1 : scales[unit];
  if (digits === undefined || scale === undefined) return null;
  return wholeOf(Number(plainDecimal(digits.trim(), scale)) * scale);
}

/** US dollars: a plain number or one with `$`; other currencies are not converted but null, as is `5 crore`, of which nobody says dollars. */
export function dollarsOf(text: string): number | null {
  const said = halfWidth(text).trim().toLowerCase();
  const plain = said.replace(DOLLARS, '');
  const value = integerOf(plain.replace(/\s+(?=[a-z]+$)/, ''), plain === said ? DOLLAR_SCALES : MONEY_SCALES);
  return value === null || value < 0 ? null : value;
}

/** The year of `1958`, `1958-03-01` or `founded in 1958`; null where there is none or more than one. */
export function yearOf(text: string): number | null {
  const years = new Set([...halfWidth(text).matchAll(YEAR)].map(([year]) => Number(year)));
  return years.size === 1 ? [...years][0]! : null;
}

export function countOf(text: string): number | null {
  const value = integerOf(halfWidth(text).trim().toLowerCase().replace(ABOUT, '').replace(HEADS, ''));
  return value === null || value < 0 ? null : value;
}

/**
 * A separator followed by exactly three digits groups them, behind three at most of which the first is no zero, any other is the decimal point; of two kinds
 * the last is the point. Before a word for millions a single point groups nothing, and before one for billions no single separator does.
 */
function plainDecimal(digits: string, scale: number): string {
  const joined = digits.replace(/[\s'’]/g, '');
  const point = Math.max(joined.lastIndexOf('.'), joined.lastIndexOf(','));
  if (point === -1) return joined;
  const separator = joined[point]!;
  const once = joined.indexOf(separator) === point;
  const both = joined.includes('.') && joined.includes(',');
  const groups = !both && (!once || (/^[+-]?[1-9]\d{0,2}[.,]\d{3}$/.test(joined) && !(scale > 1 && separator === '.') && scale < 1e9));
  return groups ? joined.replace(/[.,]/g, '') : `${joined.slice(0, point).replace(/[.,]/g, '')}.${joined.slice(point + 1)}`;
}

function scaled(scale: number, words: string): Record<string, number> {
  return Object.fromEntries(words.split(' ').map((word) => [word, scale]));
}
