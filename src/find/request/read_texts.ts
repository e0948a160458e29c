import { LIMITS } from '../../config/limits.ts';
import { fold } from '../../lib/fold.ts';
import { nearest } from '../../lib/nearest.ts';
import { comparable } from '../../model/compare.ts';
import { countryCode } from '../../model/country.ts';
import type { FilterSpec } from '../../model/filter.ts';
import { countryHint } from './country_hint.ts';
import { lists, plainText, type Reader, type Refuse, type Spent } from './values.ts';

/** The form in which a value is compared, or a refusal. */
type Normalise = (text: string, place: number, refuse: Refuse) => string;

const ASCII = /^[\x00-\x7f]*$/;

export function readTexts(spec: FilterSpec, refuse: Refuse): Reader {
  const normalise = normaliserOf(spec);
  const text = (value: unknown, place: number, spent: Spent): string => {
    const plain = plainText(value, place, refuse);
    const normalised = normalise(plain, place, refuse);
    // A ligature may unfold to whole words.
    if (!ASCII.test(plain)) spent.foldedCharacters += Math.max(plain.length, normalised.length / 4);
    if (spent.foldedCharacters <= LIMITS.filterFoldedCharactersMax) return normalised;
    return refuse(`cannot use value ${place}: all values beyond ASCII have together more than ${LIMITS.filterFoldedCharactersMax} characters`);
  };
  const texts = (values: readonly unknown[], spent: Spent): readonly string[] => {
    const found = values.map((value, at) => text(value, at + 1, spent));
    return found.length > 1 ? [...new Set(found)] : found;
  };
  return (value, spent) => {
    const { include, exclude } = lists(value, refuse);
    return { kind: 'terms', name: spec.name, include: include && texts(include, spent), exclude: texts(exclude, spent) };
  };
}

function normaliserOf(spec: FilterSpec): Normalise {
  switch (spec.compares) {
    case 'folded': case 'lower': return (text) => comparable(spec.compares, text);
    case 'country': return country;
    case 'enum': return listed(spec.values ?? []);
    case 'number': case 'date': case 'presence': throw new Error(`${spec.name} compares no text`);
    default: return spec.compares satisfies never;
  }
}

const country: Normalise = (text, place, refuse) => {
  const code = countryCode(text);
  if (code !== null) return code;
  const hint = countryHint(text);
  return refuse(`cannot use value ${place}: it is not an ISO 3166-1 alpha-2 code${hint === null ? ', like US or DE' : ` (did you mean ${hint}?)`}`);
};

/** Of a closed list: `C-Suite` is `c_suite`, `1,001 - 5,000` is `1001-5000`. */
function listed(values: readonly string[]): Normalise {
  const known = new Map(values.map((value) => [spelling(value), value]));
  return (text, place, refuse) => {
    // Nearly always spelled as it is listed: spelling it out costs half a microsecond.
    const meant = known.get(text) ?? known.get(spelling(text));
    if (meant !== undefined) return meant;
    const near = nearest(spelling(text), known.keys());
    return refuse(`cannot use value ${place}: it is none of ${values.join(', ')}${near === null ? '' : ` (did you mean ${known.get(near)!}?)`}`);
  };
}

function spelling(text: string): string {
  return fold(text.trim()).trim().replace(/,(?=\d)/g, '').replace(/[\s_\-\u2010-\u2015]+/g, '_');
}
