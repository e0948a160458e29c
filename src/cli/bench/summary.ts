import { hundredths } from '../../lib/rounding.ts';
import { PRECISION } from './histogram.ts';
import type { LoadEnd } from './load.ts';
import type { Stop, Tally } from './tally.ts';

/** What was asked for, as the summary repeats it. */
type Told = { readonly url: string; readonly searches: number; readonly connections: number; readonly rate: number | null };

/** The object of `--json`: its names are stable. Milliseconds and rates have two decimals. */
type Summary = ReturnType<typeof summaryOf>;

export function summaryOf({ url, searches, connections, rate }: Told, tally: Tally, end: LoadEnd) {
  const seconds = end.elapsedMs / 1_000;
  const aSecond = (amount: number): number => (seconds > 0 ? hundredths(amount / seconds) : 0);
  const { latencies } = tally;
  const atMs = (share: number): number | null => rounded(latencies.quantileMs(share));
  return {
    url, searches, connections, rate,
    seconds: hundredths(seconds),
    stopped: end.stop?.why ?? null,
    requests: tally.requests,
    whole: tally.whole,
    partial: { count: tally.partial, reasons: Object.fromEntries(tally.partialReasons) },
    refused: { count: tally.refused, codes: Object.fromEntries(tally.refusedCodes) },
    failed: { count: tally.failed, reasons: Object.fromEntries(tally.failedReasons) },
    abandoned: end.abandoned,
    unsent: end.unsent,
    late_ms_max: rate === null ? null : hundredths(end.lateMsMax),
    rows: tally.rows,
    bytes: tally.bytes,
    requests_per_second: aSecond(tally.whole + tally.partial),
    rows_per_second: aSecond(tally.rows),
    mib_per_second: aSecond(tally.bytes / 1_048_576),
    latency_ms: { p50: atMs(0.5), p90: atMs(0.9), p99: atMs(0.99), max: rounded(latencies.mostMs()), precision_percent: hundredths(PRECISION * 100) },
    units: tally.units,
    units_remaining: tally.unitsRemaining,
  };
}

function rounded(ms: number | null): number | null {
  return ms === null ? null : hundredths(ms);
}

/** The same for a reader. */
export function summaryText(summary: Summary): string {
  const { partial, refused, failed, latency_ms: { p50, p90, p99, max, precision_percent: precision } } = summary;
  const few = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 1 : 0 });
  const ms = (value: number | null): string => (value === null ? '-' : value.toLocaleString('en', { minimumFractionDigits: 2 }));
  const left = summary.units_remaining === null ? '' : `, ${whole(summary.units_remaining)} left of the day`;
  const lines: (readonly [string, string])[] = [
    ['searches', `${whole(summary.searches)} in turn over ${whole(summary.connections)} connections, ${summary.rate === null ? 'as fast as answers came' : `${whole(summary.rate)} due a second`}, for ${few(summary.seconds)} s`],
    ['answered', `${few(summary.requests_per_second)} requests/s, ${few(summary.rows_per_second)} rows/s, ${few(summary.mib_per_second)} MiB/s`],
    ['latency ms', `p50 ${ms(p50)}   p90 ${ms(p90)}   p99 ${ms(p99)}   max ${ms(max)}   (to ${precision} %)`],
    ['whole', whole(summary.whole)],
    ['partial', `${whole(partial.count)}${counted(partial.reasons)}`],
    ['refused', `${whole(refused.count)}${counted(refused.codes)}`],
    ['failed', `${whole(failed.count)}${counted(failed.reasons)}`],
    ...(summary.abandoned > 0 ? [['abandoned', `${whole(summary.abandoned)} under way at the end`] as const] : []),
    ...(summary.unsent > 0 ? [['unsent', `${whole(summary.unsent)} were due and found no free connection; how long they waited is in the latencies`] as const] : []),
    ...(summary.late_ms_max === null ? [] : [['sent late', `${ms(summary.late_ms_max)} ms at most, which is in the latencies`] as const]),
    ['rows', whole(summary.rows)],
    ['units', `${whole(summary.units)}${left}`],
  ];
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join('');
}

function whole(value: number): string {
  return value.toLocaleString('en');
}

/** A gateway's words may hold what a terminal would run. */
function counted(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${name.replace(/[\p{Cc}\p{Cf}]/gu, ' ')} ${whole(count)}`);
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

const STOPS: Readonly<Record<Stop, string>> = {
  key_refused: 'Stopped: the gateway refuses the key.',
  units_spent: 'Stopped: the units of the key are spent.',
  no_answer: 'Stopped: nothing answers any more.',
  interrupted: 'Interrupted: this is what was measured so far.',
};

export function stopText({ why, outcome }: NonNullable<LoadEnd['stop']>): string {
  return `${STOPS[why]}${outcome?.kind === 'refused' && outcome.detail !== '' ? ` ${outcome.detail}` : ''}\n`;
}
