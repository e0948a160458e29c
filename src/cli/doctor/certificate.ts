import { once } from 'node:events';
import { connect, isIP } from 'node:net';
import { connect as secured } from 'node:tls';
import { LIMITS } from '../../config/limits.ts';
import { DAY_MS, dayOf, isoDay } from '../../lib/day.ts';
import { warn, type Check } from './check.ts';

const DAYS_LOW = 14;
/** How PostgreSQL is asked to go on in TLS; it answers S where it does. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
/** What has the driver of PostgreSQL speak no TLS, or take any certificate, whatever its end. */
const UNCHECKED: ReadonlySet<string> = new Set(['disable', 'no-verify', '0']);

/** Of a server that is well: that it soon will not be, where its certificate ends. */
export async function untilItsCertificateEnds(check: Check, url: string): Promise<Check> {
  if (check.status !== 'ok') return check;
  const endsMs = await certificateEndsMs(url).catch(() => null);
  if (endsMs === null || endsMs - Date.now() > DAYS_LOW * DAY_MS) return check;
  return warn(check.name, `${check.detail}; its certificate ends on ${isoDay(dayOf(endsMs))}`, 'renew it there before that day: then it is refused');
}

/** Null where the server is not asked for TLS, or not for a certificate that holds. That it is a good one who connected before has found: its end alone is looked at. */
async function certificateEndsMs(url: string): Promise<number | null> {
  const { protocol, hostname, port, searchParams } = new URL(url);
  const isPostgres = protocol.startsWith('postgres');
  const asked = searchParams.get('sslmode') || searchParams.get('ssl') || searchParams.get('sslrootcert') || 'disable';
  if (isPostgres ? UNCHECKED.has(asked) : protocol !== 'https:' && protocol !== 'rediss:') return null;
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const signal = AbortSignal.timeout(LIMITS.foreignExaminedMs);
  const socket = connect({ host, port: Number(port || (isPostgres ? 5432 : protocol === 'https:' ? 443 : 6379)) });
  socket.on('error', () => {});
  try {
    if (isPostgres) {
      socket.write(SSL_REQUEST);
      await once(socket, 'data', { signal });
    }
    const tls = secured({ socket, rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) });
    tls.on('error', () => {});
    await once(tls, 'secureConnect', { signal });
    return Date.parse(tls.getPeerCertificate().valid_to);
  } finally {
    socket.destroy();
  }
}
