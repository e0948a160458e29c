import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { ChildServer } from './child_server.ts';
import { missing } from './debian.ts';

const PROGRAMS = { nginx: '/usr/sbin/nginx', haproxy: '/usr/sbin/haproxy' } as const;

type Kind = keyof typeof PROGRAMS;

/** Why there can be no such proxy; false where there can. */
export function withoutProxy(kind: Kind): string | false {
  return missing(kind, existsSync(PROGRAMS[kind]));
}

/** nginx or HAProxy on a free port of the loopback. */
export class ProxyServer extends ChildServer {
  readonly port: number;

  private constructor(port: number) {
    super(mkdtempSync(join(tmpdir(), 'lds-proxy-')));
    this.port = port;
  }

  /** `configuration`: its file, for the port and a folder of its own. */
  static async start(kind: Kind, configuration: (port: number, folder: string) => string): Promise<ProxyServer> {
    const server = new ProxyServer(await freePort());
    const file = join(server.folder, 'configuration');
    writeFileSync(file, configuration(server.port, server.folder));
    server.launch(PROGRAMS[kind], kind === 'nginx' ? ['-p', server.folder, '-c', file] : ['-f', file]);
    await server.untilUp(() => new Promise((resolve) => {
      const socket = connect(server.port, '127.0.0.1', () => { resolve(true); socket.destroy(); });
      socket.on('error', () => { resolve(false); });
    }));
    return server;
  }
}
