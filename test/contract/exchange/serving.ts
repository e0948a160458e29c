import type { TestContext } from 'node:test';
import type { Exchange, Handler, ServerSettings } from '../../../src/http/exchange.ts';
import { listenHttp, type HttpKind } from '../../../src/http/listen.ts';
import { RawClient } from './raw_client.ts';

export { KINDS } from '../../support/http_kinds.ts';
export { pause } from '../../support/runners.ts';

export type Serving = {
  readonly port: number;
  /** `METHOD path` of every request that reached the handler. */
  readonly seen: readonly string[];
  readonly refused: readonly string[];
  readonly faults: readonly unknown[];
  readonly server: Awaited<ReturnType<typeof listenHttp>>;
  client(): Promise<RawClient>;
};

/** A server that ends with its test and keeps book of what it is asked to run. */
export async function serving(t: TestContext, kind: HttpKind, handler: Handler, settings: Partial<ServerSettings> = {}): Promise<Serving> {
  const seen: string[] = [];
  const refused: string[] = [];
  const faults: unknown[] = [];
  const record: Handler = (exchange) => {
    seen.push(`${exchange.head.method} ${exchange.head.path}`);
    return handler(exchange);
  };
  const server = await listenHttp(kind, {
    host: '127.0.0.1',
    port: 0,
    onRefused: (reason) => { refused.push(reason); },
    onFault: (exchange, error) => { faults.push(error); exchange.answer(500, [], 'fault'); },
    ...settings,
  }, record);
  const clients: RawClient[] = [];
  t.after(async () => {
    for (const client of clients) client.leave();
    await server.close();
  });
  const client = async (): Promise<RawClient> => {
    const made = await RawClient.connect(server.port, settings.host === '::' ? '127.0.0.1' : settings.host);
    clients.push(made);
    return made;
  };
  return { port: server.port, seen, refused, faults, server, client };
}

/** Says where it is: an answer that tells the request it belongs to. */
export function echoPath(exchange: Exchange): void {
  exchange.answer(200, [['X-Path', exchange.head.path]], exchange.head.path);
}

/** A promise with its ends in hand. */
export function signal<T = void>(): { promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => { resolve = settle; });
  return { promise, resolve };
}
