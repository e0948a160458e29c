const EAST_ASIAN = /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const KATAKANA = /^\p{Script=Katakana}/u;
const HONORIFIC = /^(?:mr|mrs|ms|miss|mx|dr|prof|professor|sir|dame|herr|frau|ing|dipl|dipl\.?-[a-z]+|mag|rev|hon|m|mme|sr|sra|eng)\.?$/i;
/** Titles of Czechs, Poles, Italians, Spaniards and the Dutch: without a point some of them are names. */
const POINTED_HONORIFIC = /^(?:bc|mgr|in[żz]|[a-z]{2,4}dr|dott|avv|arch|geom|rag|dra|lic|arq|drs|ir|dhr|mevr|mw|sig)\.$|^(?:dott\.ssa|sig\.ra)\.?$/i;
/** What stands before one name alone and is a title: `Eng` and `Hon` may be names there, and `M.` an initial. */
const PLAIN_HONORIFIC = /^(?:(?:mr|mrs|ms|dr|prof)\.?|(?:dipl|dipl\.?-[a-z]+|ing|mag|rev)\.|professor|herr|frau)$/i;
/** What the plain ones begin with: a text that begins so is none of two names alone. */
export const HONORIFIC_STARTS = '(?i:mr|mrs|ms|dr|prof|dipl|ing|mag|rev|professor|herr|frau)(?:[. -]|$)';
/** What follows one and is no name, in lower case and with a point, or in brackets: `Dr. med.`, `Mag. (FH)`. */
const FIELD_OF_TITLE = /^(?:\p{Ll}[\p{L}.]*\.|\(.*\))$/u;
/** What people say of themselves behind their name: `(she/her)`. */
const ASIDE = /\s+\([^()]*\)$/;
/** What stands beside one in a column of titles. */
const DEGREE = /^(?:med|h\.?c|jur|phil|rer|nat|lic|drs|monsieur|madame|mlle|mister|señora?|sig|sig\.ra|dott|dott\.ssa|dhr|mevr|mw)\.?$/i;
const SUFFIX = /^(?:jr|sr|ii|iii|iv|ph\.?d|m\.?d|m\.?b\.?a|msc|[bm]\. ?(?:arch|com|ed|eng|phil|sc|tech)|d\.phil|(?:ed|pharm|psy)\.d|ll\.?[bmd]|csc|esq|cpa|pe|cfa|pmp|dds)\.?$/i;
/** A degree behind a whole name, and initials behind a family's alone: `Salinger, J.D.` */
const DEGREE_OR_INITIALS = /^(?:p\.e|r\.?n|j\.?d)\.?$/i;
/** What stands behind a name and a comma, as no given name does: `CISSP`, `SHRM-CP`, `BSc`, `she/her`. Two capitals may be initials. */
const BEHIND = /^(?:\p{Lu}{3,}\d*|\p{Lu}{2,}(?:-\p{Lu}+)+|BA|BS|CA|MA|MS|NP|PA|[BM](?:Arch|Com|Ed|Eng|Phil|Sc|Tech)|(?:Ed|Pharm|Psy)D|(?:she|he|they)\/\S+)$/u;
const PARTICLE = /^(?:van|von|der|den|de|del|della|di|da|do|dos|du|la|le|el|al|bin|ibn|ben|ter|ten|af|av|zu|zum|zur|st\.?)$/i;

/** The name of the father, behind the given one: `Иванов Иван Иванович`. Behind initials (`А. В. Станкевич`) it is the family's. */
const PATRONYMIC = /^\p{Script=Cyrillic}+(?:ич|вна|чна)$/iu;
const INITIAL = /^\p{L}\.?$/u;
/** The family's name as the French and others write it, before the given one: `DUPONT Jean`. Two letters may be initials. */
const CAPITALS = /^[\p{Lu}'’-]+$/u;
const THREE_CAPITALS = /\p{Lu}{3}/u;
/** Without a vowel behind the first, three or four letters are initials or a rank: `VVS Laxman`, `AKM Rahman`, `CPT Doe`. */
const INITIALS = /^[A-Z][B-DF-HJ-NP-TV-XZ]{2,3}$/;
const LOWER = /\p{Ll}/u;
/** What all that is turned for its capitals begins with, of two names. */
export const CAPITALS_START = "[\\p{Lu}\\x27\\x{2019}-]{3}[^ ]* [^ ]*\\p{Ll}";

/** Signs and pictures that people put about their names have none. */
const LETTER = /\p{L}/u;
/** Such of them behind the first word, but for letters in circles (`Ⓙⓞ Ⓓⓞⓔ`), and for what joins two names (`Jo & Ann Doe`, `Ann Doe - Roe`) or belongs to an aside. */
const SIGNS = / *(?<=[ ,])(?![-–—] \p{Lu}\p{Ll})[^\p{Alphabetic} ,&+/()]+(?![^ ,])/gu;
/** And before it, where `50 Cent` has a number and `--- Doe` no name. */
const SIGNS_FIRST = /^[^\p{Alphabetic}\p{N}\p{P} +]+ (?=\p{L})/u;
/** A text of two words one of which is such a sign. */
export const SIGN_OF_TWO = '[^ ]+ [^\\p{L} ]+$|[^\\p{L}\\p{N} ]+ ';
/** A dash before the last word of a name, where that may be a generation or a degree: `Jo Doe - PhD`. */
const DASH_LAST = / [-–—](?= ([^ ,]+)$)/;
/** A word of a name, or two that a dash joins. */
const WORD = /[^ ]+(?: [-–—] [^ ]+)*/g;

/** What programs call whoever uses them. */
const ROLE = /^(?:user|lead|customer|subscriber|member|guest|viewer|contact)$/i;

/** Whether a text is no title of a job, though a column of titles may hold it: a form of address, or what a program calls somebody. */
export function isNoTitle(text: string): boolean {
  return ROLE.test(text) || isAddress(text);
}

/** Whether a text is a form of address and no more: `Mrs`, `Prof. Dr.`, `Herr`. */
function isAddress(text: string): boolean {
  return text.split(/[ ,/]+|(?<=\.)(?=\S)/).filter((word) => word !== '').every((word) => HONORIFIC.test(word) || DEGREE.test(word));
}

type NameParts = { readonly first: string | null; readonly last: string | null };

/** Given and family name of a full one: `Last, First` is turned, titles, degrees, signs and an aside in brackets go, particles stay with the family name. */
export function splitName(full: string): NameParts {
  const signless = full.replace(SIGNS, '').replace(SIGNS_FIRST, '').replace(DASH_LAST, (dash, word: string) => (SUFFIX.test(word) ? '' : dash));
  const [family, ...behind] = signless.replace(ASIDE, '').split(',').map((part) => part.trim()).filter((part) => part !== '' && !SUFFIX.test(part));
  const [given, ...more] = endsName(family ?? '', behind) ? [] : behind.filter((part, at) => at === 0 || !isBehind(part));
  if (given !== undefined && more.length === 0) return { first: untitled(given), last: withoutTitles(family!.split(' ')) };
  const name = family ?? signless;
  const parts = bareParts(name);
  if (parts.length < 2) return { first: parts[0] ?? null, last: null };
  if (parts.length === 2 && isTitle(parts[0]!, name)) return { first: null, last: parts[1]! };
  if (parts.length === 2 && isFamilyFirst(parts)) return { first: parts[1]!, last: parts[0]! };
  const familyEnd = familyEndOf(parts);
  if (familyEnd > 0) return { first: parts.slice(familyEnd).join(' '), last: parts.slice(0, familyEnd).join(' ') };
  const at = parts.findIndex((part, index) => index > 0 && PARTICLE.test(part));
  const cutAt = at > 0 && at < parts.length - 1 ? at : parts.length - 1;
  return { first: parts.slice(0, cutAt).join(' '), last: parts.slice(cutAt).join(' ') };
}

/** Whether the first of the two parts that are left of a name is a title, or of which field one is: of `Dr. med. Doe`. */
function isTitle(part: string, name: string): boolean {
  return PLAIN_HONORIFIC.test(part) || (FIELD_OF_TITLE.test(part) && PLAIN_HONORIFIC.test(name.split(' ')[0]!) && /\p{Lu}/u.test(name));
}

/** Whether the name ends at its first comma. Where all is in capitals, what looks like a degree is a given name, but for what is followed by another. */
function endsName(before: string, [part, next]: readonly string[]): boolean {
  if (part === undefined || !isWhole(before)) return false;
  if (DEGREE_OR_INITIALS.test(part)) return true;
  return isBehind(part) && (/\p{Ll}/u.test(before) || (next !== undefined && isBehind(next)));
}

function isBehind(part: string): boolean {
  return part.split(' ').every((word, at) => SUFFIX.test(word) || DEGREE_OR_INITIALS.test(word) || BEHIND.test(word) || PLAIN_HONORIFIC.test(word) || (at > 0 && FIELD_OF_TITLE.test(word)));
}

/** Whether a text before a comma is a given name too. */
function isWhole(text: string): boolean {
  const [first, ...more] = text.split(' ').filter((word) => !SUFFIX.test(word));
  return more.length > 0 && !PARTICLE.test(first!);
}

function untitled(given: string): string {
  const parts = given.split(' ');
  while (parts.length > 1 && SUFFIX.test(parts.at(-1)!)) parts.pop();
  return withoutTitles(parts);
}

function withoutTitles(parts: string[]): string {
  while (parts.length > 1 && PLAIN_HONORIFIC.test(parts[0]!)) {
    parts.shift();
    while (parts.length > 1 && FIELD_OF_TITLE.test(parts[0]!)) parts.shift();
  }
  return parts.join(' ');
}

/** How many parts the family's name has that stands first, as capitals or the name of a father tell; 0 where nothing does. */
function familyEndOf(parts: readonly string[]): number {
  if (parts.length === 3 && PATRONYMIC.test(parts[2]!) && !PATRONYMIC.test(parts[1]!) && !INITIAL.test(parts[1]!)) return 1;
  const end = parts.findIndex((part) => !CAPITALS.test(part));
  const isTold = end > 0 && parts.slice(0, end).some(isFamily) && !parts.slice(end - 1, end + 1).some((part) => PARTICLE.test(part)) && parts.slice(end).every((part) => LOWER.test(part));
  return isTold ? end : 0;
}

/** Whether what stands in capitals is a name: neither initials nor a title (`MBA`, `LIC`, `III`). */
function isFamily(part: string): boolean {
  return THREE_CAPITALS.test(part) && !INITIALS.test(part) && !PARTICLE.test(part) && !SUFFIX.test(part) && !POINTED_HONORIFIC.test(`${part}.`);
}

/** As East Asian scripts have it, but for names of other languages, which Katakana spells in their own order. */
function isFamilyFirst(parts: readonly string[]): boolean {
  return parts.every((part) => EAST_ASIAN.test(part)) && !parts.every((part) => KATAKANA.test(part));
}

/** East Asian scripts write the family name first, and no blank between. */
export function joinName(first: string | null, last: string | null): string | null {
  if (first === null || last === null) return first ?? last;
  return EAST_ASIAN.test(first) && EAST_ASIAN.test(last) ? `${last}${first}` : `${first} ${last}`;
}

/** Only of more than two parts are titles, degrees and signs taken off. Between two words alone a dash parts the names. */
function bareParts(name: string): string[] {
  const words = name.match(WORD) ?? [];
  const parts = words.length > 1 ? words : name.split(/ (?:[-–—] )?/).filter((part) => part !== '');
  const count = parts.length;
  // Where all is in lower case, initials look like one.
  const isField = (part: string): boolean => parts.length < count && FIELD_OF_TITLE.test(part) && /\p{Lu}/u.test(name);
  while (parts.length > 2 && (HONORIFIC.test(parts[0]!) || POINTED_HONORIFIC.test(parts[0]!) || isField(parts[0]!) || !LETTER.test(parts[0]!))) parts.shift();
  while (parts.length > 2 && (SUFFIX.test(parts.at(-1)!) || DEGREE_OR_INITIALS.test(parts.at(-1)!) || !LETTER.test(parts.at(-1)!))) parts.pop();
  return parts;
}
