import type { Search } from '../../../src/sources/source.ts';
import { including } from '../../contract/sources/odd_texts.ts';

/** What may hold a plain text without having its letters, or has them without holding it. */
export const TEXTS = [
  'Kiel', ' KIEL ', 'kiel\u00a0', '\u2003Kiel', 'Ｋｉｅｌ', 'Kıel', 'K\u0131el', '\u212aiel', 'Ki\u0308el', 'Kïel', 'K\u0130EL', 'Ki\u093eel', 'Кiel', 'Kiel Киль', 'Κίελ', 'Kielß', 'Kielbaum', 'Neu-Kiel',
  '\tKiel\n', 'Kiel\r\n', 'Kiel\u2028', 'Ki\nel', '\u0085Kiel', 'Kiel\u200b', '\x7f', 'Kiel\x7f', '基尔', '基尔 Kiel', 'Kiel基', 'ᴷiel', 'kie\u02e1', 'Ⅻ', '№ 7', 'straße', 'STRASSE', 'stra\u1e9ee', 'ﬁsch', 'fisch', 'a.b', 'axb', "o'neil", 'o\\neil', '%', '100%', 'x'.repeat(300), '', ' ', '\u3000', '①', '𝐊𝐢𝐞𝐥', 'café', 'cafe\u0301', 'пример.рф', '例え.テスト', 'xn--e1afmkfd.xn--p1ai', 'Kiel 24\u037e', 'Kiel 24;',
];
const WORDS = ['kiel', 'kie', 'strasse', 'fisch', 'xii', 'no', '1', '7', 'cafe', 'baum', '基尔', 'киль', 'neil', 'b', 'i'];

export const term = (kind: Search['terms'][number]['kind'], words: readonly string[], negated: boolean): Search => ({ filters: [], terms: [{ kind, words, negated }] });
const TERMS: readonly Search[] = [
  ...WORDS.map((word, at) => term(at % 2 === 0 ? 'word' : 'prefix', [word], at % 5 === 0)), term('word', ['kiel'], false),
  ...[['neu', 'kiel'], ['a', 'b'], ['基尔', 'kiel'], ['kiel', 'bonn'], ['o', 'neil']].map((words) => term('phrase', words, false)),
];

/** Of some of the texts, as they are compared. */
const DOMAINS = ['xn--e1afmkfd.xn--p1ai', 'xn--r8jz45g.xn--zckzah'];

/** The same as an item of a list in JSON, its letters beyond ASCII as escapes. */
function inJson(text: string): string {
  return JSON.stringify([text, 'Bonn']).replace(/[^\x00-\x7f]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Lists as texts: each as it is, in JSON, and with escapes that are letters. */
export const LISTS = [...TEXTS, ...TEXTS.map(inJson), '["\\u004biel"]', '["K\\u0069el", "x"]', '["neu", "kiel"]', 'neu;kiel', ' ["neu kiel"]', '["neu, kiel"]', '[null, true, 7]', '["o\\\\neil"]'];

/** For all of the texts, and all that is made of them. `most`: how many an engine looks for at once. */
export function searchesOf(most: number): Search[] {
  const values = [...new Set(TEXTS.map((text) => text.trim()).filter((text) => text !== ''))].filter((text) => text.length < 100);
  const asked = [...WORDS, ...values.map((text) => text.toLowerCase())];
  return [
    ...TERMS,
    ...asked.map((text, at): Search => ({ filters: [at % 4 === 0 ? { kind: 'terms', name: 'city', include: null, exclude: [text] } : including('city', text)], terms: [] })),
    ...asked.slice(0, 8).map((text): Search => ({ filters: [including('email_domain', text)], terms: [] })),
    ...DOMAINS.map((domain): Search => ({ filters: [including('email_domain', domain)], terms: [] })),
    ...DOMAINS.map((domain): Search => ({ filters: [{ kind: 'terms', name: 'email_domain', include: null, exclude: [domain] }], terms: [] })),
    { filters: [including('city', 'kiel 24;')], terms: [] },
    { filters: [including('city', ...asked.slice(0, 3))], terms: [] }, { filters: [including('city', ...asked.slice(0, most + 1))], terms: [] },
    ...[true, false].map((present): Search => ({ filters: [{ kind: 'presence', name: 'has_email', present, absent: !present }], terms: [] })),
  ];
}

/** For the lists and the texts in them. */
export const OF_LISTS: readonly Search[] = [
  ...TERMS, ...WORDS.slice(0, 5).map((word): Search => ({ filters: [including('city', word)], terms: [] })), ...['null', 'true', '7'].map((word) => term('word', [word], false)),
];
