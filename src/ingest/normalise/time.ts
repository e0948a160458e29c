import { fold } from '../../lib/fold.ts';
import { momentText } from '../../lib/moment.ts';
/** Oracle, Finns and Italians write points in a time (`10.11.12`), and never one behind a colon. */
const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:,?[T ]+(?!\d+:\d+\.)(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,](\d{1,9}))?)?\s*([ap]m)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$/i;
const PARTED = /^(\d{1,4})([/.-])(\d{1,2})[/.-](\d{1,4})(?:,?[T ]+(.+))?$/;
/** How months begin in English, German, French, Spanish, Italian, Dutch, Portuguese, Polish and the Nordic languages, folded. `Listopad` is not here: it is November in Polish, and October in Croatian. */
const MONTHS = [
  'jan|ene|gen|sty', 'feb|fev|lut', 'mar|maa|mrt', 'apr|abr|avr|kwi', 'may|mai|maj|mei|mag', 'jun|juin|giu|cze', 'jul|juil|lug|lipc|lipi', 'aug|aou|ago|sie', 'sep|set|wrz', 'oct|okt|ott|out|paz', 'nov', 'dec|dez|des|dic|gru',
].map((beginnings) => new RegExp(`^(?:${beginnings})`));
/** Finnish for November (`marraskuu`), which begins as March does. */
const FINNISH_NOVEMBER = 'marras';
const NAMED = /^(?:[a-z]{2,10}[.,]{0,2}\s+)?(?:(\d{1,2})(?:st|nd|rd|th|er|o|\.)?[\s-]+(?:de\s+)?([a-z]{3,12})\.?|([a-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?),?[\s-]+(?:del?\s+)?(\d{4})(?:,?[T ]+(?:(?:at|um|a|kl\.?)\s+)?(.+))?$/i;
/** As spreadsheets and Oracle shorten it: with the month's name between them, two numbers are the day and the year. */
const SHORT_YEAR = /^(\d{1,2}-[a-z]{3}-)(\d\d)(?!\d)/i;
/** As warehouses and ISO 8601 write it without separators. */
const COMPACT = /^((?:19|20)\d{2})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(?:(\d{2})(?:[.,](\d{1,9}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;
/** What stands before the distance of a zone: `GMT+0100`. */
const ZONE_WORDS = /(?:GMT|UTC)(?=[+-]\d)/;
const ZONED = /(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)$/i;
const ZONE = /^(?:UTC|GMT)(?:[+-]\d\d:?\d\d)?$/;
/** Of which a date is another day. */
const BEFORE_CHRIST = /^b\.?\s?c\.?(?:\s?e\.?)?$/i;
const EPOCH = /^(\d{10})(\d{3})?(?:\.\d+)?$/;
/** The day as spreadsheets count it, from the end of 1899 on, and the time as its fraction. Before 2000 it may be a day that programs count, from 1970 on. */
const SERIAL = /^\d{5}(?:[.,]\d{1,15})?$/;
const SERIALS = { from: 36_526, below: 73_051, epoch: 25_569 };
const DAY_SECONDS = 86_400;
/** As Chinese and Japanese write it, and spreadsheets there show it. */
const EAST_ASIAN = /^(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日(?:\s*(\d{1,2})(?:[:：]|時|时)\s?(\d{1,2})(?:(?:[:：]|分)(?:\s?(\d{1,2})秒?)?|分)?)?$/;
/** Later ones are no times but numbers of another kind. */
const EPOCH_MS_MAX = Date.UTC(2101, 0);

/**
 * ISO 8601 in UTC, to the second, or to the millisecond where the text tells them. A time without a zone is UTC. A date such as
 * 03/04/2024, whose day cannot be told from its month, is null: a guess would be wrong half of the time.
 */
export function timeOf(text: string): string | null {
  const epoch = EPOCH.exec(text);
  if (epoch !== null) {
    const ms = Number(epoch[1]) * 1_000 + Number(epoch[2] ?? 0);
    return ms < EPOCH_MS_MAX ? written(ms) : null;
  }
  if (SERIAL.test(text)) return ofSerial(Number(text.replace(',', '.')));
  const eastAsian = EAST_ASIAN.exec(text);
  if (eastAsian !== null) return fromParts(eastAsian);
  const compact = COMPACT.exec(text);
  if (compact !== null) return fromParts([...compact.slice(0, 8), undefined, compact[8]]);
  const iso = isoOf(unbracketed(text.trim()).replace(ZONE_WORDS, ''));
  const parts = iso === null ? null : ISO.exec(iso);
  return parts === null ? null : fromParts(parts);
}

/** Which comes first in the days of a column, where that is told by enough of those that cannot be read in another way, and by none otherwise. */
export type DayOrder = 'month first' | 'day first';
const ORDERED = /^\s*(\d{1,2})[/-](\d{1,2})[/-]\d{4}/;
const TELLING_MIN = 3;

export function dayOrderOf(texts: readonly string[]): DayOrder | null {
  const days = texts.map((text) => ORDERED.exec(text)).filter((found) => found !== null).map(([, first, second]) => [Number(first), Number(second)] as const);
  const dayFirst = days.filter(([first]) => first > 12).length;
  const monthFirst = days.filter(([, second]) => second > 12).length;
  if (dayFirst > 0 && monthFirst > 0) return null;
  return monthFirst >= TELLING_MIN ? 'month first' : dayFirst >= TELLING_MIN ? 'day first' : null;
}

/** A cell of a column of such an order, with its day as ISO 8601 orders it; as it came where it tells its month itself, or can be no day. */
export function orderedSql(cell: string, order: DayOrder): string {
  const either = '(0?[1-9]|1[0-2])';
  return `regexp_replace(${cell}, '^\\s*${either}[/-]${either}[/-](\\d{4})', '${order === 'month first' ? '\\3-\\1-\\2' : '\\3-\\2-\\1'}')`;
}

function fromParts([, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', half, zone = 'Z']: readonly (string | undefined)[]): string | null {
  const [y, m, d, clock, minutes, seconds] = [year, month, day, hour, minute, second].map(Number) as [number, number, number, number, number, number];
  const hours = half === undefined ? clock : hourOf(clock, half.toLowerCase());
  const date = new Date(0);
  const dayMs = date.setUTCFullYear(y, m - 1, d);
  const real = date.getUTCFullYear() === y && date.getUTCMonth() === m - 1 && date.getUTCDate() === d && hours < 24 && minutes < 60 && seconds < 61;
  return real ? written(dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1_000 + Math.trunc(Number(`0.${fraction}0`) * 1_000) - offsetMs(zone)) : null;
}

/**
 * Without the words in brackets that say once more what stands before them (`GMT+0100 (Central European Time)`). They stay, so that nothing can be made of
 * it, where they alone tell the zone of a time: `UTC-05:00` in brackets is one, of `EST` nobody knows.
 */
function unbracketed(text: string): string {
  const opens = text.lastIndexOf('(');
  if (opens === -1 || !text.endsWith(')')) return text;
  const [before, said] = [text.slice(0, opens).trimEnd(), text.slice(opens + 1, -1)];
  if (BEFORE_CHRIST.test(said)) return text;
  if (ZONED.test(before) || !/\d[:.]\d\d/.test(before)) return before;
  return ZONE.test(said) ? `${before} ${said}` : text;
}

function ofSerial(day: number): string | null {
  return day >= SERIALS.from && day < SERIALS.below ? written(Math.round((day - SERIALS.epoch) * DAY_SECONDS) * 1_000) : null;
}

/** Of a clock of twelve hours; one that has no such hour has none. */
function hourOf(clock: number, half: string): number {
  return clock < 1 || clock > 12 ? Number.NaN : (clock % 12) + (half === 'pm' ? 12 : 0);
}

/** Of a zone; one of more hours or minutes than a clock has is none. */
function offsetMs(zone: string): number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  if (sign === undefined) return 0;
  return Number(hours) > 23 || Number(minutes) > 59 ? Number.NaN : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function written(ms: number): string | null {
  const year = new Date(ms).getUTCFullYear();
  return year >= 1 && year <= 9999 ? momentText(ms) : null;
}

/** Dates with slashes, dots or a month's name, or with the year last, as ISO 8601 has them. */
function isoOf(text: string): string | null {
  if (ISO.test(text)) return text;
  const named = NAMED.exec(fold(text).replace(SHORT_YEAR, (_, dayAndMonth: string, year: string) => `${dayAndMonth}${Number(year) < 70 ? 20 : 19}${year}`));
  if (named !== null) {
    const word = (named[2] ?? named[3])!;
    const month = MONTHS.findIndex((beginning) => beginning.test(word)) + 1;
    return month === 0 || word.startsWith(FINNISH_NOVEMBER) ? null : dashed(named[5]!, month, Number(named[1] ?? named[4]), named[6]);
  }
  const [, first, sign, second, third, rest] = PARTED.exec(text) ?? [];
  if (first === undefined) return null;
  if (first.length === 4) return dashed(first, Number(second), Number(third), rest);
  const [a, b] = [Number(first), Number(second)];
  if (third!.length !== 4) return null;
  if (sign === '.') return dashed(third!, b, a, rest);
  if (a <= 12 && b <= 12 && a !== b) return null;
  return a > 12 ? dashed(third!, b, a, rest) : dashed(third!, a, b, rest);
}

const dashed = (year: string, month: number, day: number, rest: string | undefined): string => `${year}-${month}-${day}${rest === undefined ? '' : ` ${rest}`}`;
