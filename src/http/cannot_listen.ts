import { createServer } from 'node:net';
import type { ServerSettings } from './exchange.ts';
import { ListenError } from './listen_error.ts';

const NO_OWN_ADDRESS = /^(EADDRNOTAVAIL|ENOTFOUND|EAI_\w+)$/;

/** Which setting is wrong; the native server does not tell, so any other port of the host is tried. */
export async function cannotListen({ host, port, setting = 'LDS_PORT' }: ServerSettings, cause?: unknown): Promise<ListenError> {
  const message = (await isOwn(host))
    ? `${setting}: cannot listen on ${host}:${port}: the port is taken, or not for this user.`
    : `LDS_HOST: cannot listen on ${host}:${port}: the address is not of this machine.`;
  return new ListenError(message, { cause });
}

function isOwn(host: string): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', ({ code = '' }: NodeJS.ErrnoException) => { resolve(!NO_OWN_ADDRESS.test(code)); });
    probe.listen({ host, port: 0 }, () => { probe.close(() => { resolve(true); }); });
  });
}
