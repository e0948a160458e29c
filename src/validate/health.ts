import type { Reach } from './dns/client.ts';

export type ValidatorHealth = { readonly status: 'ok' | 'degraded' | 'down'; readonly detail: string };

/** What validations see of what they ask: without any resolver only syntax and lists are left, without the backend no mailbox is asked. */
export function healthOf({ servers, lost }: Reach, backendReachable: boolean): ValidatorHealth {
  const detail = `${servers - lost} of ${servers} resolvers${backendReachable ? '' : ', the mailbox backend is unreachable'}`;
  if (lost === servers) return { status: 'down', detail };
  return { status: lost > 0 || !backendReachable ? 'degraded' : 'ok', detail };
}
