import { connectionsMax } from '../config/open_files.ts';
import type { ForeignEvent } from '../federation/foreign_sources.ts';
import { systemClock } from '../lib/clock.ts';
import type { SourceNews } from '../plan/source_news.ts';
import type { ScanObservation } from '../pool/scan_pool.ts';
import type { Instruments } from '../telemetry/instruments.ts';
import type { Log } from '../telemetry/log.ts';
import { Repeats } from '../telemetry/repeats.ts';

/** What the log tells an operator of the parts of the service, and what the metrics count of their scans. */

/** A thread that cannot begin is begun anew every second. */
export function tellLost(log: Log): (error: unknown) => void {
  const repeats = new Repeats(systemClock);
  return (error) => { if (repeats.isNews('scan', String(error))) log.error('a scan thread was lost', { error }); };
}

/** A caller is told that a scan failed, and here stands why: the disk of its rows, or a fault of our own. */
export function observeScans(log: Log, { scans }: Instruments, onFailed: (mount: string) => void): (observation: ScanObservation) => void {
  const repeats = new Repeats(systemClock);
  return ({ segment, thread, failure }) => {
    const source = sourceOf(segment);
    scans.add(1, source, thread === 0 ? 'main' : 'worker');
    if (failure === null) return;
    onFailed(segment);
    // By the words alone: two segments fail by two names, and searches of two kinds meet the same failure in two places of the stack.
    if (!repeats.isNews(segment, failure.detail.split('\n', 1)[0]!)) return;
    log.error('a scan failed', { source, segment, thread, code: failure.code, reason: failure.detail });
  };
}

export function observeForeign(log: Log, { scans }: Instruments): (event: ForeignEvent) => void {
  const repeats = new Repeats(systemClock);
  return (event) => {
    switch (event.kind) {
      case 'scanned': scans.add(1, event.source, 'worker'); break;
      case 'failed': if (repeats.isNews(event.source, `${event.code} ${event.detail}`)) log.warn('a source failed', { source: event.source, code: event.code, reason: event.detail }); break;
      default: event satisfies never;
    }
  };
}

/** Whoever holds so many connections comes again and again. */
export function tellCrowded(log: Log): () => void {
  const repeats = new Repeats(systemClock);
  return () => { if (repeats.isNews('connections', '')) log.warn('connections are closed unanswered: there are as many as the limit of open files allows', { count: connectionsMax() }); };
}

export function logNews(log: Log, news: readonly SourceNews[]): void {
  for (const { what, source: { name, dataset, trouble, rows, snapshot } } of news) {
    const fields = { source: name, dataset, reason: trouble, rows, snapshot };
    if (what === 'mounted' || what === 'gone') log.info(`source ${what}`, fields);
    else log.warn(`source ${what}`, fields);
  }
}

/** Called for every scan: a split makes a list and three texts. */
function sourceOf(mount: string): string {
  const first = mount.indexOf('/') + 1;
  const end = mount.indexOf('/', first);
  return first === 0 ? mount : mount.slice(first, end === -1 ? undefined : end);
}
