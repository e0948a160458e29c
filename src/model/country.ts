/** ISO 3166-1 alpha-2, as officially assigned. */
export const COUNTRY_CODES: readonly string[] = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ ' +
  'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR ' +
  'GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
  'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ ' +
  'NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW ' +
  'SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ ' +
  'UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
).split(' ');

const KNOWN = new Set(COUNTRY_CODES);
/** Of other letters some become two of these in upper case: a sharp s would be South Sudan. */
const CODE = /^[A-Za-z]{2}$/;

/** What matches these codes and `UK`, and nothing else, in the regular expressions of every engine: by first letters, `A[DE]|B[AB]`. */
export const COUNTRY_PATTERN: string = patternOf([...COUNTRY_CODES, 'UK']);

function patternOf(codes: readonly string[]): string {
  const seconds = (first: string): string => codes.filter((code) => code.startsWith(first)).map((code) => code[1]!).join('');
  return [...new Set(codes.map((code) => code[0]!))].map((first) => `${first}[${seconds(first)}]`).join('|');
}

/** The code that a caller or a file means, in any case; null where it is none. */
export function countryCode(text: string): string | null {
  const trimmed = text.trim();
  if (!CODE.test(trimmed)) return null;
  const code = trimmed.toUpperCase();
  if (code === 'UK') return 'GB';
  return KNOWN.has(code) ? code : null;
}
