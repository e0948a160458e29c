import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Session } from 'chdb';

/** The engine of ClickHouse 26 in this process, behind as much of its HTTP interface as a source asks for. */
export class ChdbServer {
  readonly url: string;
  readonly #session: Session;
  readonly #server: Server;

  private constructor(session: Session, server: Server) {
    this.#session = session;
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<ChdbServer> {
    const session = new Session();
    const server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        try {
          response.end(session.query(Buffer.concat(pieces).toString()));
        } catch (error) {
          response.statusCode = 500;
          response.end(String(error));
        }
      });
    }).listen(0, '127.0.0.1');
    // The engine holds the thread while it works: connections would seem idle, and be closed under a request on its way.
    server.keepAliveTimeout = 0;
    await new Promise((resolve) => { server.once('listening', resolve); });
    return new ChdbServer(session, server);
  }

  query(statement: string): string { return this.#session.query(statement); }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => { this.#server.close(resolve); });
    this.#session.cleanup();
  }
}
