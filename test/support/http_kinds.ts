import type { HttpKind } from '../../src/http/listen.ts';

/** `LDS_HTTP=node npm test` is for a platform that the native server does not load on. Elsewhere that it does not is a failure, not a skip. */
export const WITHOUT_NATIVE: string | false = process.env['LDS_HTTP'] === 'node' && 'LDS_HTTP=node: without the native server';

/** What a gateway of this platform serves through. */
export const OWN_KIND: HttpKind = WITHOUT_NATIVE === false ? 'uws' : 'node';

export const KINDS: readonly HttpKind[] = WITHOUT_NATIVE === false ? ['uws', 'node'] : ['node'];
