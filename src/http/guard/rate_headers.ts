import type { Gauge, Standing } from '../../accounts/caps.ts';
import { NO_LINES, ownLines } from '../answer_lines.ts';
import type { HeaderLines } from '../exchange.ts';

/**
 * `RateLimit-Policy` and `RateLimit` in the form of draft-ietf-httpapi-ratelimit-headers since its eighth version: lists of named
 * policies with quota `q`, window `w` and unit `qu`, and of what remains `r` until `t` seconds from now. For a burst, whose window
 * slides, `t` is when the first place comes free. Nothing on a plan without caps.
 */
export function rateLines({ burst, daily }: Standing): HeaderLines {
  if (burst.limit === null || daily.limit === null) return NO_LINES;
  return ownLines(
    `\r\nRateLimit-Policy: "burst";q=${burst.limit};w=60, "daily";q=${daily.limit};w=86400;qu="units"\r\nRateLimit: ${item('burst', burst)}, ${item('daily', daily)}`,
  );
}

/** For callers without a key, whose calls of a day are counted by where they come from. */
export function allowanceLines(calls: Gauge): HeaderLines {
  return ownLines(`\r\nRateLimit-Policy: "playground";q=${calls.limit};w=86400\r\nRateLimit: ${item('playground', calls)}`);
}

/** For every answer that was charged; `remaining` is null where there is no budget. */
export function unitLines(charged: number, remaining: number | null): HeaderLines {
  return ownLines(`\r\nX-Units-Charged: ${charged}${remaining === null ? '' : `\r\nX-Units-Remaining: ${remaining}`}`);
}

function item(name: string, { remaining, resetSeconds }: Pick<Gauge, 'remaining' | 'resetSeconds'>): string {
  return `"${name}";r=${remaining};t=${resetSeconds}`;
}
