import { Matcher } from '../../filter/matcher.ts';
import { monotonicMs } from '../../lib/clock.ts';
import type { ScanReply, ScanRequest } from '../../pool/protocol.ts';
import { countMatches, lessDead, type Counted } from './count.ts';
import { countFacets } from './facets.ts';
import { gather } from './gather.ts';
import { Interrupt } from './interrupt.ts';
import { rankedPage, storedPage, type Page } from './page.ts';
import type { ScanTarget } from './target.ts';

/** One slice of a scan: its rows first, then what was asked about all matches. Nothing of it outlives the call but prepared readings. */
export function scan({ segment, dead, readings }: ScanTarget, request: ScanRequest, cancelFlags: Int32Array): ScanReply {
  const startedMs = monotonicMs();
  const interrupt = new Interrupt(request, cancelFlags);
  const reading = readings.read(request.filters, request.terms);
  const ranked = request.order === 'identity';
  const matcher = new Matcher(lessDead(reading, dead));
  const input = { segment, reading, matcher, request, interrupt };
  const page = ranked ? rankedPage(input) : storedPage(input);
  const { table, bytes } = gather({ segment, page, copy: request.copy, identities: request.identities, ranked });
  const counted: Counted = { reading, dead, rows: segment.rows, interrupt };
  const matched = request.count ? matchedOf(page, request, counted) : null;
  const facets = request.facets.length > 0 && !isStruck(page) ? countFacets(segment, request.facets, counted) : null;
  const unfinished = (request.count && matched === null) || (request.facets.length > 0 && facets === null);
  const stop = unfinished && !isStruck(page) ? interrupt.struck() ?? 'deadline' : page.stop;
  return { ok: true, rows: page.rows.length, table, bytes, stop, after: page.after, matched, facets, tookMs: monotonicMs() - startedMs };
}

/** A first page that is the last one has them all. */
function matchedOf(page: Page, { after }: ScanRequest, counted: Counted): number | null {
  if (isStruck(page)) return null;
  return page.stop === 'end' && after < 0 ? page.rows.length : countMatches(counted);
}

function isStruck({ stop }: Page): boolean {
  return stop === 'deadline' || stop === 'cancelled';
}
