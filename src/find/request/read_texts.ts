import { LIMITS } from '../../config/limits.ts';
import { isAscii } from '../../lib/ascii.ts';
import { fold } from '../../lib/fold.ts';
import { keep } from '../../lib/keep.ts';
import { nearest } from '../../lib/nearest.ts';
import { comparable } from '../../model/compare.ts';
import { countryCode } from '../../model/country.ts';
import type { FilterSpec } from '../../model/filter.ts';
import { keptFormOf, type KeptForm } from '../../model/kept_form.ts';
import { countryHint } from './country_hint.ts';
import { lists, plainText, type Reader, type Refuse, type Spent } from './values.ts';

/** The form in which a value is compared, or a refusal. */
type Normalise = (text: string, place: number, refuse: Refuse) => string;

export function readTexts(spec: FilterSpec, refuse: Refuse): Reader {
  const normalise = normaliserOf(spec);
  const text = (value: unknown, place: number, spent: Spent): string => {
    const plain = plainText(value, place, refuse);
    const normalised = normalise(plain, place, refuse);
    if (isAscii(plain)) {
      known.keep(plain, normalised);
      return normalised;
    }
    // A ligature may unfold to whole words.
    spent.foldedCharacters += Math.max(plain.length, normalised.length / 4);
    if (spent.foldedCharacters <= LIMITS.filterFoldedCharactersMax) return normalised;
    return refuse(`cannot use value ${place}: all values beyond ASCII have together more than ${LIMITS.filterFoldedCharactersMax} characters`);
  };
  const known = new KnownTexts();
  const comparables = (values: readonly unknown[], spent: Spent): readonly string[] => {
    if (values.length === 1) return [known.of(values[0]) ?? text(values[0], 1, spent)];
    const found: string[] = [];
    for (const value of values) found.push(known.of(value) ?? text(value, found.length + 1, spent));
    return unique(found);
  };
  const kept = keptFormOf(spec);
  const texts = (values: readonly unknown[], spent: Spent): readonly string[] => withKept(comparables(values, spent), kept);
  return (value, spent) => {
    const { include, exclude } = lists(value, refuse);
    return { kind: 'terms', name: spec.name, include: include && texts(include, spent), exclude: exclude.length === 0 ? NONE : texts(exclude, spent) };
  };
}

const NONE: readonly string[] = [];

/** Lakes have what is meant in one form, other engines may have it as it was sent: both are asked for. */
function withKept(texts: readonly string[], keptForm: KeptForm | null): readonly string[] {
  if (keptForm === null) return texts;
  const kept = texts.map(keptForm).filter((form) => form !== null);
  return kept.length === 0 ? texts : unique([...texts, ...kept]);
}

/** Values as they were sent, with the form in which they are compared. Few make up most of what is asked, and to read one anew costs half a microsecond. */
class KnownTexts {
  readonly #forms = new Map<unknown, string>();

  of(value: unknown): string | undefined {
    return this.#forms.get(value);
  }

  keep(value: string, form: string): void {
    if (value.length > LIMITS.knownTextCharactersMax) return;
    keep(this.#forms, value, form, LIMITS.knownTextsMax);
  }
}

const FEW = 8;

function unique(texts: readonly string[]): readonly string[] {
  if (texts.length > FEW) return [...new Set(texts)];
  for (let at = 1; at < texts.length; at += 1) {
    if (texts.indexOf(texts[at]!) < at) return [...new Set(texts)];
  }
  return texts;
}

function normaliserOf(spec: FilterSpec): Normalise {
  switch (spec.compares) {
    case 'folded': case 'lower': case 'domain': case 'email': return (text) => comparable(spec.compares, text);
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
