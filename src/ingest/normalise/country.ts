import { COUNTRY_CODES, countryCode } from '../../model/country.ts';
import { fold, words } from '../../lib/fold.ts';
import { COUNTRY_ALIASES, ISO3_CODES } from './country_names.ts';

/** Languages whose own country names are understood beside English and each country's own. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'sv', 'da', 'nb', 'fi', 'cs', 'hu', 'ro', 'el', 'ru', 'uk', 'tr', 'ar', 'he', 'hi', 'th', 'vi', 'id', 'ja', 'ko', 'zh', 'zh-Hant'] as const;

const key = (name: string): string => words(fold(name)).filter((word) => word !== 'the' && word !== 'and').join(' ');

const BY_NAME = namesToCodes();

/** Few letters are those of a state as well: `Wilmington, DE`, `Gary, Ind`. */
const MAY_BE_STATE = /^\s*(?!(?:usa?|u\.s|u\.?k|uae)\s*$)[a-z.]{1,3}\s*$/i;

/** A tidy cell of a column of places: with a blank behind it, as no tidy cell has one, what may be a state is the code of no country. None begins with `US` or `UK`. */
export function placeSql(cell: string): string {
  return `regexp_replace(${cell}, '(?i)^([a-tv-z][a-z.]{0,2}|u(?:[a-jl-rt-z.][a-z.]?)?)$', '\\1 ')`;
}

/**
 * ISO 3166-1 alpha-2 of a country's code (two or three letters) or name, of both side by side (`Germany (DE)`), or of a place that ends with the name
 * (`Berlin, Germany`); null where no country is meant, or more than one.
 */
export function countryOf(text: string): string | null {
  // As `placeSql` leaves it. Without marks some names have as few letters: `CR` for Czechs, `AO` for Vietnamese.
  if (text.endsWith(' ') && MAY_BE_STATE.test(text)) return null;
  const whole = codeOf(text);
  if (whole !== null) return whole;
  const parts = text.split(/[(),;|/]|\s[-–—]\s/).filter((part) => part.trim() !== '');
  if (parts.length < 2) return null;
  const [first, ...more] = parts.map(codeOf);
  return more.every((code) => code === first) ? first! : countryOfPlace(parts);
}

/** Georgia is a state, too, and Congo two countries: behind a place neither tells one, nor speaks against another. Two countries stand side by side in `France & Germany`. */
function countryOfPlace(parts: readonly string[]): string | null {
  const known = parts.flatMap((part) => (codeOf(part) === null ? part.split('&') : [part]));
  const codes = known.map((part) => (MAY_BE_STATE.test(part) ? null : codeOf(part))).map((code) => (code === 'GE' || code === 'CG' ? null : code));
  const last = codes.at(-1)!;
  return codes.every((code) => code === null || code === last) ? last : null;
}

/** Whether places are, or may be, states alone: `CA` and `IN`, or `Georgia` among what is no country. */
export function mayBeStates(places: readonly string[]): boolean {
  const found = places.map((place) => ({ place, code: countryOf(place) })).filter(({ code }) => code !== null);
  return found.some(({ place }) => MAY_BE_STATE.test(place)) || (found.length > 0 && found.every(({ code }) => code === 'GE'));
}

function codeOf(text: string): string | null {
  return countryCode(text) ?? ISO3_CODES.get(text.trim().toUpperCase()) ?? BY_NAME.get(key(text)) ?? null;
}

/** Later names never take what an earlier language gave to another country. */
function namesToCodes(): ReadonlyMap<string, string> {
  const codes = new Map<string, string>();
  const learn = (name: string, code: string): void => {
    const known = key(name);
    if (known !== '' && !codes.has(known)) codes.set(known, code);
  };
  for (const [code, names] of COUNTRY_ALIASES) for (const name of names) learn(name, code);
  for (const language of LANGUAGES) {
    const display = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    for (const code of COUNTRY_CODES) {
      const name = display.of(code);
      if (name !== undefined) learn(name, code);
    }
  }
  return codes;
}
