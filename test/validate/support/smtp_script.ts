import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export type ScriptedSmtp = { readonly port: number; readonly lines: readonly string[]; readonly connections: () => number; close(): Promise<void> };

/** What to answer to a command: text that is sent as it stands, `null` to keep silent, `cut` to close. */
export type Answering = (line: string, socket: Socket) => string | null | 'cut';

/** A mail host of few words, for what no honest one would do. `banner` null: it keeps silent from the start. */
export async function scriptSmtp(answering: Answering, banner: string | null = '220 mx.acme.com ESMTP\r\n', port = 0, address = '127.0.0.1'): Promise<ScriptedSmtp> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    if (banner !== null) socket.write(banner);
    let rest = '';
    socket.on('data', (chunk) => {
      const parts = (rest + chunk.toString('latin1')).split('\r\n');
      rest = parts.pop()!;
      for (const line of parts) {
        lines.push(line);
        const reply = answering(line, socket);
        if (reply === 'cut') socket.destroy();
        else if (reply !== null) socket.write(reply);
      }
    });
  });
  await new Promise<void>((resolve) => { server.listen(port, address, resolve); });
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => { server.close(resolve); });
    },
  };
}

/** An ordinary dialogue; `rcpt` says what becomes of each recipient. */
export function polite(rcpt: (address: string) => string | null | 'cut', offers: readonly string[] = []): Answering {
  return (line) => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO') return ['250-mx.acme.com', ...offers.map((offer) => `250-${offer}`), '250 HELP'].map((one) => `${one}\r\n`).join('');
    if (verb === 'RCPT') return rcpt(/<(.*)>/.exec(line)![1]!);
    if (verb === 'QUIT') return '221 bye\r\n';
    return '250 ok\r\n';
  };
}

/** An ordinary mail host, for as long as a test takes. */
export async function mailHost(t: TestContext, rcpt: (address: string) => string | null): Promise<ScriptedSmtp> {
  const server = await scriptSmtp(polite(rcpt, ['PIPELINING']));
  t.after(() => server.close());
  return server;
}

/** What a host with two mailboxes says. */
export function known(address: string): string {
  return /^(?:jane|joe)@/.test(address) ? '250 2.1.5 ok\r\n' : '550 5.1.1 user unknown\r\n';
}
