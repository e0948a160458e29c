import { LIMITS } from '../config/limits.ts';
import type { Dataset } from '../model/dataset.ts';
import type { ExtraField } from '../model/vocabulary.ts';
import { name, type Cell, type CellKind } from './duckdb.ts';
import { BLANKS, cut } from './normalise/text.ts';
import { countryOf } from './normalise/country.ts';
import { departmentOf } from './normalise/department.ts';
import { emailOf, emailStatusOf, PLACEHOLDER, PLACEHOLDER_STARTS } from './normalise/email.ts';
import { linkedinCompanyOf, linkedinPersonOf } from '../model/linkedin.ts';
import { listOf } from './normalise/list.ts';
import { CAPITALS_START, HONORIFIC_STARTS, SIGN_OF_TWO, splitName } from './normalise/name.ts';
import { countOf, dollarsOf, integerOf, yearOf } from './normalise/number.ts';
import { phoneOf } from './normalise/phone.ts';
import { seniorityOf, seniorityOfTitle } from './normalise/seniority.ts';
import { sizeOf, sizeOfHeads } from './normalise/size.ts';
import { timeOf } from './normalise/time.ts';
import { ownDomainOf, siteDomainOf, websiteOf } from './normalise/web.ts';

/**
 * How the distinct texts of one field become values. Most cells of most files stand in their normal form already: what `settled`
 * (a whole match, RE2) lets by is tidy and final, after `forward` has brought it there where it has one. All others are normalised here, once
 * for each different text. `settled` and `forward` are short cuts alone: `normalise` of such a text gives the same, which a test proves.
 */
export type Rule = {
  readonly field: string;
  readonly outputs: readonly CellKind[];
  normalise(text: string, country: string | null): readonly Cell[];
  /** The normal form, as a pattern. */
  readonly settled?: string;
  /** Where a settled text is not the value itself: what must hold beside the pattern, and the value of an output. */
  readonly settledAs?: { holds(cell: string): string; value(cell: string, output: number): string };
  /** Ordinary forms that the engine itself can turn into the normal one. */
  readonly forward?: { readonly pattern: string; sql(cell: string): string };
  /** Whether a cell is likely to say something: of several columns the first whose cell does goes before those whose cells do not. */
  telling?(cell: string): string;
  readonly byCountry?: boolean;
  /** It reads numbers, in whose texts a separator may group digits. */
  readonly numbers?: true;
  /** It reads days, whose order their column may tell. */
  readonly days?: true;
  /** Only where these fields are null too. */
  readonly unless?: readonly string[];
  /** The fields that its outputs are for, where those say nothing themselves; without them the one output is for `field`. */
  readonly derives?: readonly string[];
};

const one = (field: string, normalise: (text: string) => Cell, shortCut: Pick<Rule, 'settled' | 'settledAs' | 'forward' | 'telling'> = {}, kind: CellKind = 'text'): Rule =>
  ({ field, outputs: [kind], normalise: (text) => [normalise(text)], ...shortCut });

const DAY = '(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)';
const TIME = '(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]';
const YEAR = '[1-9][0-9]{3}';
/** Top-level domains below which no second level is a public suffix. */
const PLAIN_DOMAIN = '[a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){0,2}\\.(?:com|net|org|info|biz|eu|de|nl|ch)';
const LOCAL = '[a-z0-9_-]{1,15}(?:\\.[a-z0-9_-]{1,15}){0,3}';
/** Words for "nothing" that are made of what plain items are. */
const BLANK_ITEMS = BLANKS.filter((blank) => /^\w+(?:\/\w+)?$/.test(blank)).join('|');
const LINKEDIN_SLUG = '[a-z0-9](?:[a-z0-9-]{0,80}[a-z0-9])';

const UPDATED: Rule = { ...one('updated_at', timeOf, {
  settled: `${YEAR}-${DAY}T${TIME}Z`,
  forward: { pattern: `${YEAR}-${DAY}[ T]${TIME}(?:\\.000)?Z?`, sql: (cell) => `${cell}[:10] || 'T' || ${cell}[12:19] || 'Z'` },
}), days: true };
/** A code of digits is one that is dialled. */
const COUNTRY = one('country', countryOf, { telling: (cell) => `regexp_matches(${cell}, '\\p{L}')` });
const EMAIL = one('email', emailOf, {
  telling: (cell) => `regexp_matches(${cell}, '^[^*•]+@[^*•]+$') AND NOT regexp_matches(lower(${cell}), '${PLACEHOLDER.source}')`,
  settled: `${LOCAL}@${PLAIN_DOMAIN}`,
  settledAs: { holds: (cell) => PLACEHOLDER_STARTS.map((start) => `NOT starts_with(${cell}, '${start}')`).join(' AND '), value: (cell) => cell },
  forward: { pattern: `(?i:${LOCAL}@${PLAIN_DOMAIN})`, sql: (cell) => `lower(${cell})` },
});
/**
 * E.164 of most countries. A number with its country's code is changed only where digits that are dialled at home stand after the code; whatever is
 * too long or too short stays as it came. So the pattern needs to know only how numbers there may begin.
 */
const DIALLED_AS_WRITTEN = '3[049]|4[578]|5[26]|65|216|22[0-9]|23[056789]|24[0245678]|25[378]|26[6-9]|29[079]|35[01467]|37[126]|420|50[01234579]|59[279]|67[03-9]|68[01235789]|69[01]|85[23]|96[058]|97[3-5]|99[28]';
const DIALLED_WITH_ZERO = '2[07]|3[1236]|4[01369]|5[1378]|6[02346]|8[24]|9[0123458]|21[1238]|23[1-4]|24[139]|25[0124-6]|26[02345]|291|35[3589]|37[347]|38[0-35-79]|421|508|59[0134568]|686|85[056]|88[06]|96[123467]|97[01267]|99[4-6]';
const E164 = `\\+(?:(?:${DIALLED_AS_WRITTEN})[0-9]{6,12}|(?:${DIALLED_WITH_ZERO})[1-9][0-9]{5,11}|1[2-9][0-9]{2}[2-9][0-9]{6}|7[0-79][0-9]{9}|44[1-9][0-9]{9}|54[4-9][0-9]{7,10}|55[1-8][0-9]{7,10}|61[2-9][0-9]{8}|81[789]0[0-9]{8}|86[2-9][0-9]{8,10})`;
const PHONE: Rule = {
  field: 'phone', outputs: ['text'], byCountry: true, normalise: (text, country) => [phoneOf(text, country)],
  settled: E164,
  telling: (cell) => `regexp_matches(${cell}, '(?:\\p{Nd}\\P{Nd}*){4}') AND regexp_matches(${cell}, '[^\\P{Nd}0０٠۰]') AND NOT regexp_matches(${cell}, '[*•#]{2}|[xX]{2}|^\\d(?:[.,]\\d*)?[eE]')`,
};
const linkedin = (field: string, path: 'in' | 'company', normalise: (text: string) => string | null): Rule => one(field, normalise, {
  settled: `https://www\\.linkedin\\.com/${path}/${LINKEDIN_SLUG}`,
  forward: {
    pattern: `(?:https?://)?(?:[a-z]{2,3}\\.)?linkedin\\.com/${path}/${LINKEDIN_SLUG}/?`,
    sql: (cell) => `'https://www.linkedin.com/${path}/' || rtrim(split_part(${cell}, '/${path}/', 2), '/')`,
  },
});
const domain = (field: string): Rule => one(field, ownDomainOf, { settled: PLAIN_DOMAIN });
/**
 * Lists of plain items between semicolons, all of them with a blank behind or none. 200 characters hold at most 100 items, none too long; a word for
 * "nothing" is an item of its own alone, and of doubles the first stays. Such words are looked for twice, as a search for what begins with a given
 * letter takes half the time.
 */
const PLAIN_ITEM = '[A-Za-z0-9](?:(?: ?[A-Za-z0-9.+#/&_-])* ?[A-Za-z0-9+#])?';
const itemsOf = (cell: string, letters = cell): string => `string_split(${letters}, CASE WHEN contains(${cell}, '; ') THEN '; ' ELSE ';' END)`;
const list = (field: string): Rule => one(field, listOf, {
  settled: `${PLAIN_ITEM}(?:(?:; ${PLAIN_ITEM})*|(?:;${PLAIN_ITEM})*)`,
  settledAs: {
    holds: (cell) => `strlen(${cell}) <= 200
      AND NOT regexp_matches(${cell}, '^(?:${BLANK_ITEMS})(?:;|$)') AND NOT regexp_matches(${cell}, '; ?(?:${BLANK_ITEMS})(?:;|$)')
      AND list_unique(${itemsOf(cell, `lower(${cell})`)}) = len(string_split(${cell}, ';'))`,
    value: (cell) => itemsOf(cell),
  },
}, 'texts');
const integer = (field: string, normalise: (text: string) => number | null): Rule => ({ ...one(field, normalise, {}, 'integer'), numbers: true });
const size = (field: string): Rule => ({ ...one(field, sizeOf), numbers: true });

const RULES: Readonly<Record<Dataset, readonly Rule[]>> = {
  contacts: [
    COUNTRY, EMAIL, PHONE, UPDATED, domain('company_domain'), list('skills'),
    one('email_status', emailStatusOf), one('seniority', seniorityOf), size('company_size'),
    one('department', (text) => departmentOf(text) ?? cut(text, LIMITS.textCharactersMax)),
    linkedin('linkedin_url', 'in', linkedinPersonOf), linkedin('company_linkedin_url', 'company', linkedinCompanyOf),
  ],
  companies: [
    COUNTRY, EMAIL, PHONE, UPDATED, domain('domain'), one('website', websiteOf), list('keywords'), list('technologies'),
    size('size'), integer('employee_count', countOf), integer('revenue_usd', dollarsOf), integer('founded_year', yearOf),
    linkedin('linkedin_url', 'company', linkedinCompanyOf),
  ],
};

const TITLE: Rule = { field: 'job_title', outputs: ['text', 'text'], derives: ['seniority', 'department'], normalise: (title) => [seniorityOfTitle(title), departmentOf(title)] };
const FULL_NAME: Rule = {
  field: 'full_name', outputs: ['text', 'text'], derives: ['first_name', 'last_name'], unless: ['first_name', 'last_name'],
  settled: '[^ ,\\p{Han}\\p{Hangul}\\p{Hiragana}\\p{Katakana}][^ ,]* [^ ,(][^ ,]*',
  settledAs: { holds: (cell) => `NOT regexp_matches(${cell}, '^(?:${HONORIFIC_STARTS}|${CAPITALS_START}|${SIGN_OF_TWO})')`, value: (cell, output) => `split_part(${cell}, ' ', ${output + 1})` },
  normalise: (full) => { const { first, last } = splitName(full); return [first, last]; },
};

/** What is read from a field for others. */
export const DERIVING_RULES: Readonly<Record<Dataset, readonly Rule[]>> = {
  contacts: [TITLE, FULL_NAME],
  companies: [{ ...one('website', siteDomainOf), derives: ['domain'] }, { ...one('employee_count', sizeOfHeads), derives: ['size'] }],
};

/** What a row may have from another field where its own was not understood. */
export const DERIVED: ReadonlySet<string> = new Set(Object.values(DERIVING_RULES).flat().flatMap(({ derives = [] }) => derives));

export function rulesOf(dataset: Dataset, extras: readonly ExtraField[]): readonly Rule[] {
  return [...RULES[dataset], ...extras.flatMap(extraRule)];
}

function extraRule({ name: field, type }: ExtraField): Rule[] {
  switch (type) {
    case 'string': return [];
    case 'strings': return [list(field)];
    case 'integer': return [integer(field, integerOf)];
    case 'timestamp': return [{ ...UPDATED, field }];
    default: return type satisfies never;
  }
}

/** The cell on its way into the raw table: ordinary forms brought forward. What stands in its normal form is not put together again. */
export function forwarded(rule: Rule | undefined, cell: string): string {
  if (rule?.forward === undefined) return cell;
  const settled = rule.settled === undefined ? '' : `WHEN regexp_full_match(${cell}, '${rule.settled}') THEN ${cell}`;
  return `CASE ${settled} WHEN regexp_full_match(${cell}, '${rule.forward.pattern}') THEN ${rule.forward.sql(cell)} ELSE ${cell} END`;
}

/** Whether the engine itself knows what becomes of a cell; null of none. */
export function settledSql({ settled, settledAs }: Rule, cell: string): string {
  if (settled === undefined) return 'false';
  const matched = `regexp_full_match(${cell}, '${settled}')`;
  return settledAs === undefined ? matched : `CASE WHEN NOT ${matched} THEN false ELSE ${settledAs.holds(cell)} END`;
}

/** Whether a text of the raw table is to be normalised here. `odd`, for fields where that was noted: whether the cell was not settled as it came. */
export function unsettled(rule: Rule, odd: string | null): string {
  const text = `raw.${name(rule.field)}`;
  const still = `NOT (${settledSql(rule, text)})`;
  const isLeft = rule.settled === undefined ? [] : [odd === null ? still : `CASE WHEN ${odd} THEN ${still} ELSE false END`];
  return [`${text} IS NOT NULL`, ...isLeft, ...askedSql(rule)].join(' AND ');
}

/** What is to hold of a row of the raw table where a rule is not asked of all. */
export function askedSql({ unless = [] }: Rule): string[] {
  return unless.map((field) => `raw.${name(field)} IS NULL`);
}
