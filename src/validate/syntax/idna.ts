import { requirePackage } from '../../lib/require_package.ts';
import { decodePunycode, encodePunycode } from './punycode.ts';

const { toASCII, toUnicode } = requirePackage('tr46') as typeof import('tr46');

/** UTS-46, non-transitional. Hyphens are judged by the scan of the A-labels; `xn--` at the head of a decoded label is refused here. */
const CHECKS = { checkBidi: true, checkJoiners: true, useSTD3ASCIIRules: true } as const;
const ACE = 'xn--';

/** A-labels in lower case; null where UTS-46 refuses. Cost: 5 to 50 us. */
export function encodeIdna(text: string): string | null {
  return toASCII(text, { ...CHECKS, verifyDNSLength: false });
}

export function decodeIdna(ascii: string): string | null {
  const { domain, error } = toUnicode(ascii, CHECKS);
  return error ? null : domain;
}

/** A name in A-labels and as people write it. */
type IdnaNames = { readonly ascii: string; readonly unicode: string };

/**
 * What `encodeIdna` gives, and `decodeIdna` of that, for names of code points whose standing does not depend on those around them; null where
 * UTS-46 refuses one wherever it stands; `unsure` for all other names. Of UTF-16 without lone surrogates. Cost: about 1 us.
 */
export function quickIdna(text: string): IdnaNames | 'unsure' | null {
  let mapped = '';
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at)!;
    at += point > 0xffff ? 2 : 1;
    switch (point < 128 ? (point >= 65 && point <= 90 ? UPPER : PLAIN) : standing(point)) {
      case PLAIN: case INSIDE: mapped += String.fromCodePoint(point); break;
      case UPPER: mapped += String.fromCharCode(point + 32); break;
      case MAPPED: mapped += MAPPINGS.get(point)!; break;
      case NEVER: return null;
      default: return 'unsure';
    }
  }
  const labels = mapped.normalize('NFC').split('.');
  const ascii: string[] = [];
  const unicode: string[] = [];
  for (const label of labels) {
    const names = label.startsWith(ACE) ? decodedLabel(label) : encodedLabel(label);
    if (names === null) return 'unsure';
    ascii.push(names.ascii);
    unicode.push(names.unicode);
  }
  return { ascii: ascii.join('.'), unicode: unicode.join('.') };
}

function encodedLabel(label: string): IdnaNames | null {
  const points = plainPoints(label);
  if (points === null) return null;
  if (points.every((point) => point < 128)) return { ascii: label, unicode: label };
  const encoded = encodePunycode(points);
  return encoded === null ? null : { ascii: ACE + encoded, unicode: label };
}

function decodedLabel(ascii: string): IdnaNames | null {
  const points = decodePunycode(ascii.slice(ACE.length));
  if (points === null || points.every((point) => point < 128)) return null;
  const unicode = String.fromCodePoint(...points);
  if (unicode.startsWith(ACE) || unicode.normalize('NFC') !== unicode || plainPoints(unicode) === null) return null;
  return encodePunycode(points) === ascii.slice(ACE.length) ? { ascii, unicode } : null;
}

/** Null where one is not as it should be, whatever stands beside it. */
function plainPoints(label: string): number[] | null {
  const points: number[] = [];
  for (let at = 0; at < label.length;) {
    const point = label.codePointAt(at)!;
    at += point > 0xffff ? 2 : 1;
    const kind = point < 128 ? (isLdh(point) ? PLAIN : DEPENDS) : standing(point);
    if (kind !== PLAIN && (kind !== INSIDE || points.length === 0)) return null;
    points.push(point);
  }
  return points;
}

function isLdh(point: number): boolean {
  return (point >= 97 && point <= 122) || (point >= 48 && point <= 57) || point === 45;
}

/** `INSIDE`: anywhere but at the head of a label. */
const [UNASKED, PLAIN, INSIDE, UPPER, MAPPED, NEVER, DEPENDS] = [0, 1, 2, 3, 4, 5, 6] as const;
/** A byte a code point of Unicode, of which memory is taken for those that occur. */
const standings = new Uint8Array(0x11_0000);
/** At most one for every code point that UTS-46 maps: about 6,000. */
const MAPPINGS = new Map<number, string>();
/** Their neighbours say whether they may stand. */
const JOINERS: ReadonlySet<number> = new Set([0x200c, 0x200d]);

/** How UTS-46 sees a code point beyond ASCII; asked once for each. */
function standing(point: number): number {
  const known = standings[point]!;
  if (known !== UNASKED) return known;
  const asked = ask(point);
  if (asked.mapping !== null) MAPPINGS.set(point, asked.mapping);
  standings[point] = asked.standing;
  return asked.standing;
}

/** Found out between letters from left to right, at the head of a label, and between letters from right to left: there alone some may stand. */
function ask(point: number): { readonly standing: number; readonly mapping: string | null } {
  const letter = String.fromCodePoint(point);
  const between = roundTrip(`x${letter}x`);
  if (between === `x${letter}x`) return { standing: roundTrip(`${letter}x`) === `${letter}x` ? PLAIN : INSIDE, mapping: null };
  if (between === null) {
    const nowhere = !JOINERS.has(point) && roundTrip(letter) === null && roundTrip(`\u05d0${letter}\u05d0`) === null;
    return { standing: nowhere ? NEVER : DEPENDS, mapping: null };
  }
  const mapping = between.slice(1, -1);
  const itself = between.length >= 2 && between.startsWith('x') && between.endsWith('x') && roundTrip(`${letter}x`) === `${mapping}x`;
  const settled = itself && Array.from(mapping).every((each) => each === '.' || (each < '\u0080' ? isLdh(each.codePointAt(0)!) : standing(each.codePointAt(0)!) === PLAIN));
  return settled ? { standing: MAPPED, mapping } : { standing: DEPENDS, mapping: null };
}

function roundTrip(text: string): string | null {
  const ascii = encodeIdna(text);
  return ascii === null ? null : decodeIdna(ascii);
}
