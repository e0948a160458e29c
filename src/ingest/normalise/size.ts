import { SIZES } from '../../model/field.ts';
import { countOf, halfWidth, integerOf, SCALES, SCIENTIFIC } from './number.ts';

const WORDS: ReadonlyMap<string, string> = new Map([['self-employed', '1-10'], ['self employed', '1-10'], ['myself only', '1-10'], ['micro', '1-10']]);
/** Nobody employs more: where a letter makes that of a number it says something else (`$5M`, `51-200 B`, `50 T`). */
const SCALED_MAX = 4_000_000;
/** Fractions and the small numbers of notes: `5½`, `200¹`. */
const NO_DIGITS = /\p{No}/gu;
/** A share or an amount of money counts nobody. */
const NO_HEADS = /[%\p{Sc}]|(?<!\p{L})(?:usd|eur|euros?|gbp|chf|jpy|cny|rmb|inr|pln|zł|czk|kč|huf|sek|nok|dkk|brl|mxn|cad|aud|rub|dollars?)(?=\s*(?:\d|$))/u;
const FLOORS = SIZES.map((size) => Number.parseInt(size, 10));

/** The bracket of a headcount. */
export function sizeOfCount(employees: number): string | null {
  return employees < 1 ? null : SIZES[FLOORS.findLastIndex((floor) => floor <= employees)]!;
}

const MORE_THAN = '>|≥|over|above|more|mehr als|über|plus de|más de|mas de|mais de|più di|oltre|meer dan|ponad|více než|более|свыше';
const AND_MORE = '(?:(?<!\\p{L})(?:or|and|oder|und|et|ou|y|o|e|of|en)\\s(?:more|above|over|up|mehr|plus|más|mas|mais|più|oltre|meer)|以上|이상)';
/** Open above: `10000+` is all that is larger, and hardly any that has just so many. */
const ABOVE = new RegExp(`^\\s*(?:${MORE_THAN})(?!\\p{L})|\\d\\s*k?\\s*(?:\\+|plus\\b)|\\d\\D*${AND_MORE}`, 'u');
const BELOW = /^\s*(?:<|≤|under|below|less|fewer|up to|unter|weniger|moins|menos|meno|minder|poniżej|méně|менее|少于|不到)(?!\p{L})/u;

const WORDS_OF_SCALE = Object.keys(SCALES).join('|');
/** What multiplies a number. A word that only begins so does not (`50 kişi`, `200 m2`), but for those of languages that part no words. */
const SCALE = `(?:${WORDS_OF_SCALE})(?![\\p{Script=Latin}\\p{Script=Cyrillic}\\d])`;
const BOUND = new RegExp(`(\\d+,\\d{1,2}(?=\\s*${SCALE})|\\d+(?:\\.\\d+)?)\\s*(${SCALE})?`, 'gu');

/** The bracket of `51 - 200 employees`, `10,001+`, `11–50`, `1K-5K` or a plain count; of other ranges the one that holds their middle. */
export function sizeOf(text: string): string | null {
  const plain = text.replace(NO_DIGITS, ' ').normalize('NFKC').toLowerCase().trim();
  const known = WORDS.get(plain);
  if (known !== undefined) return known;
  if (SCIENTIFIC.test(plain)) return sizeOfCount(integerOf(plain) ?? 0);
  const bounds = boundsOf(plain);
  const [low, high] = bounds;
  if (low === undefined || bounds.length > 2 || NO_HEADS.test(plain) || bounds.some(Number.isNaN)) return null;
  if (high !== undefined) return sizeOfCount(high <= low ? low : middle(low, high));
  if (BELOW.test(plain)) return sizeOfCount(Math.max(1, low - 1));
  return sizeOfCount(ABOVE.test(plain) ? low + 1 : low);
}

/** The numbers of a text. In `5-10K` both are thousands. */
function boundsOf(plain: string): number[] {
  const found = [...plain.replace(/(\d)[,.'’\s](?=\d{3}(?!\d))/g, '$1').matchAll(BOUND)].map(([, digits, word]) => (
    { number: Number(digits!.replace(',', '.')), scale: word === undefined ? 1 : SCALES[word]! }
  ));
  const [low, high] = found;
  const isShared = found.length === 2 && low!.scale === 1 && low!.number < high!.number;
  return found.map(({ number, scale: own }) => {
    const scale = isShared ? high!.scale : own;
    return scale > 1 && number * scale > SCALED_MAX ? Number.NaN : number * scale;
  });
}

/** Of two numbers with a word between them the second is no year: `120 en 2023`, `120 i 2023`. */
const RANGE = /\d\s*k?\s*(?:(?:[-–—~至到]|to)\s*|\s(?:and|à|et|bis|und|a|y|e|al|tot|en|do|i|til|till|до|ila)\s+(?!20(?:0[1-9]|[1-3]\d)(?!\d)))\d/i;

/** One number alone, as a year beside one is not. */
const ONE_NUMBER = /^\D*\d(?:[\d.,'’\s]*\d)?\D*$/;

/** The bracket of a count as people write it, or of what stands in its place: a range, or one that is open, such as `10000+`, `> 5000` and `< 10`. */
export function sizeOfHeads(said: string): string | null {
  const text = halfWidth(said);
  const plain = text.toLowerCase();
  const isOpen = ONE_NUMBER.test(text) && (ABOVE.test(plain) || BELOW.test(plain));
  return isOpen || RANGE.test(text) ? sizeOf(text) : sizeOfCount(countOf(text) ?? 0);
}

/** LinkedIn writes 1-10 as `0-1` and `2-10`; a range is told by its middle, in ratio. */
function middle(low: number, high: number): number {
  return Math.ceil(Math.sqrt(Math.max(1, low) * high));
}
