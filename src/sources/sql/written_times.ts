const LEAP_YEAR = '(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const MONTH_AND_DAY = '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))';

/** A text that is a day of the calendar, as rows show it. */
export const WRITTEN_DAY = `(?:[0-9]{4}-${MONTH_AND_DAY}|${LEAP_YEAR}-02-29)`;

const MINUTE_AND_SECOND = '(?::[0-5][0-9]){2}';
const UTC = '(?:Z|[+]00(?::?00)?| UTC)';

/** A text that is a day, or a time that says of itself that it is in UTC, in the ways that programs write one. */
export const WRITTEN_TIME = `${WRITTEN_DAY}(?:[T ](?:[01][0-9]|2[0-3])${MINUTE_AND_SECOND}(?:[.][0-9]{1,9})?${UTC})?`;

/** What is replaced of a written time by what, to be as rows show it: to the millisecond, rounded down. A day stays as it is. */
export const AS_SHOWN: readonly [pattern: string, replacement: string] = ['^(.{10})[T ](.{8}(?:[.][0-9]{1,3})?).+$', '\\1T\\2Z'];

/** A time as rows show it, to be compared as a text: with the sign of its zone a second would come behind the parts of it. */
export function comparedTime(shown: string): string {
  return `rtrim(${shown}, 'Z')`;
}

/** What was compared, as rows show it. */
export function shownTime(compared: string): string {
  return compared.includes('T') ? `${compared}Z` : compared;
}
