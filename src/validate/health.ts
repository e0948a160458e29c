import type { Health } from '../model/health.ts';
import type { Reach } from './dns/client.ts';

/** What validations see of what they ask: without any resolver only syntax and lists are left, without the backend no mailbox is asked. */
export function healthOf({ servers, lost }: Reach, backendReachable: boolean): Health {
  const detail = `${servers - lost} of ${servers} resolvers${backendReachable ? '' : ', the mailbox backend is unreachable'}`;
  if (lost === servers) return { status: 'down', detail };
  return { status: lost > 0 || !backendReachable ? 'degraded' : 'ok', detail };
}
