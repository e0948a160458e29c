import { isAscii } from '../../lib/ascii.ts';
import type { Address } from '../syntax/address.ts';
import type { DomainName } from '../syntax/domain.ts';

const SCRIPTS = [
  'Latin', 'Cyrillic', 'Greek', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo', 'Armenian', 'Hebrew', 'Arabic', 'Devanagari', 'Bengali', 'Thai', 'Georgian', 'Cherokee',
  'Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Gujarati', 'Gurmukhi', 'Sinhala', 'Khmer', 'Lao', 'Myanmar', 'Ethiopic', 'Coptic', 'Lisu', 'Tifinagh', 'Canadian_Aboriginal',
].map((name) => ({ name, pattern: new RegExp(`\\p{Script=${name}}`, 'u') }));

/** UTS-39 highly restrictive: one script, or Latin beside one of these. */
const TOGETHER = [['Latin', 'Han', 'Hiragana', 'Katakana'], ['Latin', 'Han', 'Bopomofo'], ['Latin', 'Han', 'Hangul']];

/** Letters that are read as an ASCII one. */
const LOOKS_LIKE = new Map(pairs(
  'аa еe оo рp сc уy хx ѕs іi јj ӏl ԁd ԛq ԝw һh ҽe ѵv гr кk тt пn мm вb нh ьb ԍg үy ғf '
  + 'αa οo ρp νv υu ιi κk τt χx γy ηn ωw εe σo ϲc ϳj '
  + 'աw օo սu հh ոn ցg զq յj ռn քp '
  + 'ɡg ɩi ɑa ſs ƅb ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz',
));

/** Letters of living languages: alarming only where they turn a name into a known one. */
const CARRIES_MARK = new Map(pairs('ıi łl øo đd ħh'));

/** Mixed scripts in the local part or in a label; a label wholly of look-alikes; a name that reads like one of `known`. */
export function isConfusable({ local, domain }: Address, known: (domain: string) => boolean): boolean {
  if (local.eai && mixesScripts(local.text)) return true;
  return domain.idn && isConfusableDomain(domain, known);
}

function isConfusableDomain(domain: DomainName, known: (domain: string) => boolean): boolean {
  const labels = domain.unicode.split('.');
  if (labels.some(mixesScripts)) return true;
  const endsInAscii = isAscii(labels.at(-1)!);
  if (endsInAscii && labels.some((label) => !isAscii(label) && isAscii(replaced(label, LOOKS_LIKE)))) return true;
  const plain = replaced(replaced(domain.unicode.normalize('NFD').replace(/\p{M}/gu, ''), LOOKS_LIKE), CARRIES_MARK);
  return isAscii(plain) && known(plain);
}

function mixesScripts(text: string): boolean {
  if (isAscii(text)) return false;
  const found = SCRIPTS.filter(({ pattern }) => pattern.test(text)).map(({ name }) => name);
  return found.length > 1 && !TOGETHER.some((allowed) => found.every((name) => allowed.includes(name)));
}

function replaced(text: string, letters: ReadonlyMap<string, string>): string {
  return Array.from(text, (character) => letters.get(character) ?? character).join('');
}

function pairs(text: string): [string, string][] {
  return text.trim().split(/\s+/).map((pair) => {
    const [from, to] = Array.from(pair);
    return [from!, to!];
  });
}
