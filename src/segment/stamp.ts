import { PLAIN, type ScannedRow } from './scanned_row.ts';

const FORM = '0000-00-00T00:00:00Z';
const MINUTE_MS = 60_000;

/** The milliseconds since 1970 of a text that is a time, else NaN. A time as nearly all are stored is told without making a text of it. */
export function stampMs(row: ScannedRow, place: number): number {
  const from = row.from[place]!;
  if (row.forms[place] === PLAIN && row.to[place]! - from === FORM.length && isForm(row.bytes, from)) {
    const { bytes } = row;
    const month = twoDigits(bytes, from + 5);
    const day = twoDigits(bytes, from + 8);
    const hour = twoDigits(bytes, from + 11);
    const minute = twoDigits(bytes, from + 14);
    const second = twoDigits(bytes, from + 17);
    // What is odd, such as the last days of some months, is left to the library.
    if (month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 ? 28 : 30) && hour < 24 && minute < 60 && second < 60) {
      return daysOf(twoDigits(bytes, from) * 100 + twoDigits(bytes, from + 2), month, day) * 1_440 * MINUTE_MS + (hour * 60 + minute) * MINUTE_MS + second * 1_000;
    }
  }
  const text = row.textOf(place);
  return text === null ? Number.NaN : Date.parse(text);
}

/** The form, byte by byte: what a digit is to be is zero. */
const WANTED = Uint8Array.from(FORM, (letter) => (letter === '0' ? 0 : letter.charCodeAt(0)));

function isForm(bytes: Uint8Array, from: number): boolean {
  for (let at = 0; at < WANTED.length; at++) {
    const byte = bytes[from + at]!;
    if (WANTED[at] === 0 ? byte < 0x30 || byte > 0x39 : byte !== WANTED[at]) return false;
  }
  return true;
}

function twoDigits(bytes: Uint8Array, at: number): number {
  return bytes[at]! * 10 + bytes[at + 1]! - 0x30 * 11;
}

/** Days since 1970-01-01 in the Gregorian calendar, whose years are counted from March here, so that the odd day is their last. */
function daysOf(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return years * 365 + Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400) + dayOfYear - 719_468;
}
