import { ListenError } from './listen_error.ts';
import type { Handler, HttpServer, ServerSettings } from './exchange.ts';

export type HttpKind = 'uws' | 'node';

/** Loads only the server that is asked for: the native one may be missing on this platform. */
export async function listenHttp(kind: HttpKind, settings: ServerSettings, handler: Handler): Promise<HttpServer> {
  if (kind === 'node') {
    const { listenNode } = await import('./node/listen.ts');
    return listenNode(settings, handler);
  }
  const { listenUws } = await loadUws();
  return listenUws(settings, handler);
}

async function loadUws(): Promise<typeof import('./uws/listen.ts')> {
  try {
    return await import('./uws/listen.ts');
  } catch (cause) {
    throw new ListenError('LDS_HTTP: the native HTTP server does not load on this platform: set LDS_HTTP=node.', { cause });
  }
}
