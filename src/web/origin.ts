import type { PageRequest } from '../model/page.ts';

/** What a host is made of: nothing that means something to a shell. */
const HOST = /^[\w.:[\]-]+$/;
/** Stands where a request came with no host that could be shown. */
const UNKNOWN = '$GATEWAY';

/** Where this visitor reached the gateway, for forms to be compared with. */
export function originOf({ headers, client }: Pick<PageRequest, 'headers' | 'client'>): string {
  return `${client.secure ? 'https' : 'http'}://${headers.get('host') ?? ''}`;
}

/** The same, for a command that he copies. */
export function shownOrigin(request: Pick<PageRequest, 'headers' | 'client'>): string {
  return HOST.test(request.headers.get('host') ?? '') ? originOf(request) : UNKNOWN;
}
