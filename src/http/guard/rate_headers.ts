import type { Gauge, Standing } from '../../accounts/caps.ts';
import type { Headers } from '../exchange.ts';

/**
 * `RateLimit-Policy` and `RateLimit` in the form of draft-ietf-httpapi-ratelimit-headers since its eighth version: lists of named
 * policies with quota `q`, window `w` and unit `qu`, and of what remains `r` until `t` seconds from now. For a burst, whose window
 * slides, `t` is when the first place comes free. Nothing on a plan without caps.
 */
export function rateHeaders({ burst, daily }: Standing): Headers {
  if (burst.limit === null || daily.limit === null) return [];
  return [
    ['RateLimit-Policy', `"burst";q=${burst.limit};w=60, "daily";q=${daily.limit};w=86400;qu="units"`],
    ['RateLimit', `${item('burst', burst)}, ${item('daily', daily)}`],
  ];
}

/** For callers without a key, whose calls of a day are counted by where they come from. */
export function allowanceHeaders(calls: Gauge): Headers {
  return [['RateLimit-Policy', `"playground";q=${calls.limit};w=86400`], ['RateLimit', item('playground', calls)]];
}

/** For every answer that was charged; what remains only where there is a budget. */
export function unitHeaders(charged: number, { daily }: Standing): Headers {
  const headers: [string, string][] = [['X-Units-Charged', String(charged)]];
  if (daily.remaining !== null) headers.push(['X-Units-Remaining', String(daily.remaining)]);
  return headers;
}

function item(name: string, { remaining, resetSeconds }: Gauge): string {
  return `"${name}";r=${remaining};t=${resetSeconds}`;
}
