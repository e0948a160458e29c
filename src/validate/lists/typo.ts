import { suffixOf } from '../public_suffix.ts';
import { POPULAR_DOMAINS } from './free.ts';

/** Keys side by side, and letters that look alike. */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  a: 'qwsz', b: 'vghn', c: 'xdfv', d: 'serfcx', e: 'wsdr', f: 'drtgvc', g: 'ftyhbv', h: 'gyujnb', i: 'ujko1l', j: 'huikmn', k: 'jiolm', l: 'kop1i',
  m: 'njk', n: 'bhjm', o: 'iklp0', p: 'ol', q: 'wa', r: 'edft', s: 'awedxz', t: 'rfgy', u: 'yhji', v: 'cfgb', w: 'qase', x: 'zsdc', y: 'tghu', z: 'asx',
};

/** Slips of the commonest endings; each is no top-level domain itself. */
const ENDINGS: ReadonlyMap<string, string> = new Map([
  ...'con cmo ocm comm vom xom cim cpm coom comn cok colm'.split(' ').map((slip) => [slip, 'com'] as const),
  ...'ner nett nte met'.split(' ').map((slip) => [slip, 'net'] as const),
  ...'ogr orgg rog'.split(' ').map((slip) => [slip, 'org'] as const),
]);

/** Shorter names have too many real neighbours. */
const NAME_LETTERS_MIN = 5;
/** From here on one letter too many or too few is a slip; below only those that fingers make. */
const NAME_LETTERS_SURE = 6;
/** From here on a letter in the place of another makes no other word. */
const NAME_LETTERS_OWN = 8;
const NAME_LETTERS_MAX = 20;

/** A letter away from a popular provider, and somebody's own. */
const REAL: ReadonlySet<string> = new Set(['coxmail.com', 'faxmail.com', 'gotmail.com', 'voxmail.com']);

type Target = { readonly name: string; readonly ending: string };

const TARGETS: readonly Target[] = POPULAR_DOMAINS.map((domain) => {
  const dot = domain.indexOf('.');
  return { name: domain.slice(0, dot), ending: domain.slice(dot + 1) };
});

const ENDINGS_OF = new Map<string, string[]>();
/** Popular names by their number of letters: a slip changes it by one at most. */
const BY_LETTERS: string[][] = Array.from({ length: NAME_LETTERS_MAX + 2 }, () => []);
for (const { name, ending } of TARGETS) {
  if (!ENDINGS_OF.has(name) && name.length >= NAME_LETTERS_MIN) BY_LETTERS[name.length]!.push(name);
  ENDINGS_OF.set(name, [...(ENDINGS_OF.get(name) ?? []), ending]);
}

/** The domain that was most likely meant, or null. A domain that is known to be real is nobody's slip: not to be asked. Cost: under 1 us. */
export function likelyMeant(domain: string): string | null {
  if (REAL.has(domain)) return null;
  const dot = domain.indexOf('.');
  const name = domain.slice(0, dot);
  const ending = domain.slice(dot + 1);
  const mended = ENDINGS.get(ending) ?? null;
  for (const meant of namesMeant(name)) {
    const right = endingMeant(ENDINGS_OF.get(meant)!, mended ?? ending);
    if (right !== null) return `${meant}.${right}`;
  }
  return mended === null ? null : `${name}.${mended}`;
}

/** The popular names that this one is, or is one slip away from. */
function namesMeant(name: string): readonly string[] {
  if (ENDINGS_OF.has(name)) return [name];
  const letters = name.length;
  if (letters < NAME_LETTERS_MIN - 1 || letters > NAME_LETTERS_MAX) return NONE;
  let near: string[] | null = null;
  for (let length = letters - 1; length <= letters + 1; length++) {
    for (const target of BY_LETTERS[length]!) if (sharesAnEnd(name, target) && isSlip(name, target)) near = [...near ?? [], target];
  }
  return near ?? NONE;
}

const NONE: readonly string[] = [];

/** One slip leaves the first letter or the last. Most names are told apart by this alone. */
function sharesAnEnd(a: string, b: string): boolean {
  return a.charCodeAt(0) === b.charCodeAt(0) || a.charCodeAt(a.length - 1) === b.charCodeAt(b.length - 1);
}

/** One of the provider's endings: the one written, or the one it is a letter away from. Endings of two letters have too many neighbours, and `co.il` is a country's own. */
function endingMeant(endings: readonly string[], written: string): string | null {
  if (endings.includes(written)) return written;
  if (written.includes('.') && suffixOf(written).registrable === null) return null;
  return endings.find((ending) => ending.length > 2 && isOneEdit(written, ending)) ?? null;
}

/**
 * One insertion, deletion, replacement or swap of neighbours; in short names only those that fingers make. Another first letter makes another word
 * (`cloud`, `tmail`, `mt-online`): it must be a long name of which that is said.
 */
function isSlip(written: string, meant: string): boolean {
  const letters = meant.length;
  const [from, toWritten, toMeant] = differing(written, meant);
  const extra = toWritten - from;
  const missing = toMeant - from;
  if (from === 0 && letters <= NAME_LETTERS_SURE && (extra === 1 || missing === 1)) return false;
  if (extra === 0 && missing === 1) return true;
  if (extra === 1 && missing === 0) return from === 0 ? meant[1] !== '-' : letters >= NAME_LETTERS_SURE || isStutter(written, from);
  if (extra === 1 && missing === 1) return (from > 0 && letters >= NAME_LETTERS_OWN) || isMistaken(written[from]!, meant[from]!, letters >= NAME_LETTERS_SURE);
  return extra === 2 && missing === 2 && written[from] === meant[from + 1] && written[from + 1] === meant[from];
}

/** For a key beside it or a letter like it; in longer names a digit, or one vowel for another by ear. */
function isMistaken(letter: string, meant: string, longer: boolean): boolean {
  if (NEIGHBOURS[meant]?.includes(letter) === true) return true;
  return longer && (/\d/.test(letter) || (VOWELS.includes(letter) && VOWELS.includes(meant)));
}

const VOWELS = 'aeiou';

function isOneEdit(a: string, b: string): boolean {
  const [from, toA, toB] = differing(a, b);
  return toA - from <= 1 && toB - from <= 1;
}

/** What is left of both texts between their common head and tail. */
function differing(a: string, b: string): readonly [from: number, toA: number, toB: number] {
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from += 1;
  let toA = a.length;
  let toB = b.length;
  while (toA > from && toB > from && a[toA - 1] === b[toB - 1]) {
    toA -= 1;
    toB -= 1;
  }
  return [from, toA, toB];
}

/** A letter twice, or with a neighbouring key. */
function isStutter(written: string, at: number): boolean {
  const letter = written[at]!;
  return [written[at - 1], written[at + 1]].some((beside) => beside !== undefined && (beside === letter || (NEIGHBOURS[beside]?.includes(letter) ?? false)));
}
