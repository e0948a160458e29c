import { LIMITS } from '../../config/limits.ts';
import { monotonicMs } from '../../lib/clock.ts';
import { within } from '../../lib/within.ts';
import { NO_LOOKUPS } from '../lookup_cache.ts';
import type { SmtpClass } from './classify.ts';
import { finding, heldMs, kept, type MailboxProbe } from './mailbox.ts';
import { PlacesInTurn } from './places_in_turn.ts';

/** What the backend says of the mailbox, as far as it is read; any of it may be missing. */
type Reported = {
  readonly can_connect_smtp?: unknown;
  readonly has_full_inbox?: unknown;
  readonly is_catch_all?: unknown;
  readonly is_deliverable?: unknown;
  readonly is_disabled?: unknown;
  readonly error?: unknown;
  readonly description?: unknown;
};

type Posted = Reported | 'unreachable' | 'late' | 'throttled';

/** Hands the mailbox stage to a Reacher server; the other stages stay here. After failures in a row it is left alone for a while. */
export function openReacherProbe(url: string): MailboxProbe {
  const endpoint = endpointOf(url);
  let calls = 0;
  let failures = 0;
  let openUntilMs = 0;
  const places = new PlacesInTurn(LIMITS.backendCallsMax);

  const call = async (email: string, wanted: () => boolean): Promise<Posted> => {
    calls += 1;
    const reported = await post(endpoint, email, wanted);
    failures = reported === 'unreachable' ? failures + 1 : 0;
    if (failures >= LIMITS.backendFailuresMax) openUntilMs = monotonicMs() + LIMITS.backendOpenMs;
    return reported;
  };

  return {
    async probe({ caller, email, routeTtlMs, endsMs }, interest) {
      const wanted = (): boolean => !interest.abandoned && monotonicMs() < endsMs;
      let attempted = false;
      const asked = places.within(caller, () => {
        if (!wanted()) return Promise.resolve('late' as const);
        if (monotonicMs() < openUntilMs) return Promise.resolve('unreachable' as const);
        attempted = true;
        return call(email, wanted);
      });
      // While there is time to hand over whether its turn came.
      const reported = await within(asked, Math.max(0, endsMs - LIMITS.smtpReserveMs - monotonicMs())) ? await asked : 'late';
      if (reported === 'late') return kept(finding('timeout', attempted), 0);
      if (reported === 'unreachable') return kept({ ...finding('connect_failed', false), backendDown: true }, 0);
      // Its own throttle: no mail host was asked.
      if (reported === 'throttled') return kept(finding('rate_limited', false), LIMITS.smtpCoolMs);
      const is = classOf(reported);
      // Of its own time, not of the caller's.
      const catchAll = typeof reported.is_catch_all === 'boolean' && is === 'accepted' ? reported.is_catch_all : null;
      return kept(finding(is, true, catchAll, false), is === 'timeout' ? LIMITS.smtpCoolMs : heldMs(is, routeTtlMs));
    },
    sessions: () => calls,
    reachable: () => failures < LIMITS.backendFailuresMax,
    counts: () => ({ catch_alls: NO_LOOKUPS, unwelcome: NO_LOOKUPS }),
  };
}

/** Its own words for trouble never make a mailbox dead. */
function classOf(smtp: Reported): SmtpClass {
  if (smtp.error !== undefined && smtp.error !== null) {
    if (smtp.description === 'IpBlacklisted' || smtp.description === 'NeedsRDNS') return 'blocked';
    return /time(?:d )?out/i.test(JSON.stringify(smtp.error)) ? 'timeout' : 'tempfail';
  }
  if (smtp.can_connect_smtp !== true) return 'connect_failed';
  if (smtp.is_disabled === true) return 'mailbox_disabled';
  if (smtp.has_full_inbox === true) return 'mailbox_full';
  if (smtp.is_deliverable === true || smtp.is_catch_all === true) return 'accepted';
  return smtp.is_deliverable === false ? 'mailbox_not_found' : 'policy';
}

function endpointOf(url: string): URL {
  const endpoint = new URL(url);
  if (endpoint.pathname === '/') endpoint.pathname = '/v0/check_email';
  return endpoint;
}

/** Of every address, not of the asked one: the URL is wrong, or its server does not let us in. */
const NOT_SERVED: ReadonlySet<number> = new Set([401, 403, 404, 405]);

/** Given up once nobody waits for it, or has the time: others want its place. */
async function post(endpoint: URL, email: string, wanted: () => boolean): Promise<Posted> {
  const leaving = new AbortController();
  const { signal } = leaving;
  const look = setInterval(() => { if (!wanted()) leaving.abort(); }, LIMITS.backendLookMs);
  try {
    const response = await fetch(endpoint, {
      method: 'POST', redirect: 'error', signal, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ to_email: email }),
    });
    if (!response.ok) {
      await response.body?.cancel();
      if (response.status === 429) return 'throttled';
      return response.status >= 500 || NOT_SERVED.has(response.status) ? 'unreachable' : { error: response.status };
    }
    return readSmtp(await readText(response));
  } catch (error) {
    if (signal.aborted) return 'late';
    if (error instanceof Error) return 'unreachable';
    throw error;
  } finally {
    clearInterval(look);
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    const piece = chunk as Uint8Array;
    bytes += piece.length;
    if (bytes > LIMITS.backendBytesMax) throw new Error('The backend says too much.');
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readSmtp(text: string): Reported {
  const answer = JSON.parse(text) as { smtp?: unknown } | null;
  const smtp = answer?.smtp;
  return typeof smtp === 'object' && smtp !== null ? smtp : { error: 'no report' };
}
