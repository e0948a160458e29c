import { randomBytes } from 'node:crypto';

const RADIX = 36;
const TIME_DIGITS = 9;
const COUNT_DIGITS = 5;
const COUNTS = RADIX ** COUNT_DIGITS;
const CLIENT_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Tells processes apart that make ids in the same millisecond. */
const process = BigInt(`0x${randomBytes(6).toString('hex')}`).toString(RADIX).padStart(10, '0');

let timeMs = 0;
let timeText = '';
let count = 0;

/** What stands behind the time of the first ids of a millisecond, of which there are hardly ever more: to write a number in this radix costs the engine a call. */
const TAILS = Array.from({ length: RADIX ** 2 }, (_, at) => tail(at));

/** Sorts by time, then by order of making: `TIME-COUNT-PROCESS`, each of fixed length. Never goes back, though the wall clock may. */
export function requestId(): string {
  const nowMs = Date.now();
  if (nowMs > timeMs) {
    timeMs = nowMs;
    timeText = digits(nowMs, TIME_DIGITS);
    count = 0;
  }
  const id = timeText + (count < TAILS.length ? TAILS[count]! : tail(count));
  count += 1;
  if (count === COUNTS) {
    timeMs += 1;
    timeText = digits(timeMs, TIME_DIGITS);
    count = 0;
  }
  return id;
}

/** What the caller named his request in `X-Request-Id`, if it is fit for a log. */
export function clientRequestId(header: string | undefined): string | null {
  return header !== undefined && CLIENT_ID.test(header) ? header : null;
}

function tail(at: number): string {
  return `-${digits(at, COUNT_DIGITS)}-${process}`;
}

function digits(value: number, length: number): string {
  return value.toString(RADIX).padStart(length, '0');
}
