import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { SourceFailure } from './source.ts';

/** Gives up after `connectMs`: the module's own timer looks at the clock every half second alone. */
export function connector(connectMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: 0 }) as (...given: Parameters<buildConnector.connector>) => Socket;
  return (options, connected) => {
    const timer = setTimeout(() => socket.destroy(new SourceFailure('unreachable', 'it did not take the connection in time')), connectMs);
    const socket = connect(options, (...outcome) => {
      clearTimeout(timer);
      connected(...outcome);
    });
  };
}
