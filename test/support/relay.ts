import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP relay before a server, to cut where a test says. */
export class Relay {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  /** Looks at what a client sends, before the server gets it: true lets the server have it, and the client hears nothing any more and is cut off. Connections are counted from 1. */
  cutAfter: (sent: Buffer, connection: number) => boolean = () => false;
  #connections = 0;

  get connections(): number { return this.#connections; }

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.port = (server.address() as AddressInfo).port;
  }

  static async to(port: number): Promise<Relay> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      relay.#connections += 1;
      const nth = relay.#connections;
      const far = connect(port, '127.0.0.1');
      let cut = false;
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.on('data', (sent) => {
        cut ||= relay.cutAfter(sent, nth);
        far.write(sent);
      });
      far.on('data', (answer) => {
        if (cut) near.destroy();
        else near.write(answer);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const relay = new Relay(server, sockets);
    return relay;
  }

  /** Cuts all that is connected. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }
}
