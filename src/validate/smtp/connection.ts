import { connect, type Socket } from 'node:net';
import { connect as connectTls, DEFAULT_CIPHERS } from 'node:tls';
import { LIMITS } from '../../config/limits.ts';
import { isFarewell, ReplyReader, SmtpFault, type FaultKind, type Reply } from './reply.ts';

const CIPHERS = ofAnyStrength(DEFAULT_CIPHERS);
const BREAKS_LINE = /[\r\n\0]/;

/** One connection to a mail host: lines out, replies in, each wait bounded. Every failure is a `SmtpFault`. */
export class SmtpConnection {
  #socket: Socket;
  #reader = new ReplyReader();
  readonly #replies: Reply[] = [];
  /** Replies that are still to be read, whether they have come or not; the first is the greeting. */
  #due = 1;
  #fault: SmtpFault | null = null;
  #waiting: { resolve(reply: Reply): void; reject(fault: SmtpFault): void } | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen(socket);
  }

  /** `address` is dialled as it stands: it was checked, and a name could lead elsewhere by now. `leaving` cuts the connection, whatever has become of it by then. */
  static open(address: string, { port, leaving }: { readonly port: number; readonly leaving: AbortSignal }, timeoutMs: number): Promise<SmtpConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: address, port, signal: leaving });
      const fail = (kind: FaultKind): void => {
        clearTimeout(timer);
        socket.destroy();
        reject(new SmtpFault(kind));
      };
      const refused = ({ code }: NodeJS.ErrnoException): void => fail(code === 'EMFILE' || code === 'ENFILE' ? 'hurried' : 'connect');
      const timer = setTimeout(() => fail(timeoutMs < LIMITS.smtpConnectMsFair ? 'hurried' : 'connect'), timeoutMs);
      socket.once('error', refused);
      socket.once('connect', () => {
        clearTimeout(timer);
        socket.off('error', refused);
        resolve(new SmtpConnection(socket));
      });
    });
  }

  /** This end of it, as a greeting names it. */
  get localLiteral(): string {
    const address = this.#socket.localAddress ?? '127.0.0.1';
    return address.includes(':') ? `[IPv6:${address}]` : `[${address}]`;
  }

  /** Several commands at once only where the host offered pipelining. A reply that is there before them answers none, and all that follow would be taken for those to other commands; but a host may bid farewell at any time. */
  send(commands: readonly string[]): void {
    for (const command of commands) if (BREAKS_LINE.test(command)) throw new Error('A command must be one line.');
    if (this.#fault !== null) return;
    if (this.#replies.length === 0 ? this.#reader.pending : this.#replies[0]!.code !== 421) return this.#fail('astray');
    this.#due += commands.length;
    this.#socket.write(commands.map((command) => `${command}\r\n`).join(''));
  }

  /** The next reply. */
  read(timeoutMs: number): Promise<Reply> {
    if (this.#replies.length > 0) return Promise.resolve(this.#take());
    if (this.#fault !== null) return Promise.reject(this.#fault);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#fail('timeout'), Math.max(1, timeoutMs));
      this.#waiting = {
        resolve: (reply) => { clearTimeout(timer); resolve(reply); },
        reject: (fault) => { clearTimeout(timer); reject(fault); },
      };
    });
  }

  async ask(command: string, timeoutMs: number): Promise<Reply> {
    this.send([command]);
    return this.read(timeoutMs);
  }

  /** The certificate is not checked: mail hosts rarely have one that would pass, and nothing secret is said. What came before the handshake is dropped as forged. */
  startTls(host: string, timeoutMs: number): Promise<void> {
    if (this.#reader.pending || this.#replies.length > 0) return Promise.reject(new SmtpFault('protocol'));
    const plain = this.#socket;
    plain.removeAllListeners();
    return new Promise((resolve, reject) => {
      const fail = (): void => {
        clearTimeout(timer);
        secure.destroy();
        plain.destroy();
        this.#fault = new SmtpFault('tls');
        reject(this.#fault);
      };
      const secure = connectTls({ socket: plain, servername: host, rejectUnauthorized: false, ciphers: CIPHERS });
      const timer = setTimeout(fail, timeoutMs);
      plain.on('error', fail);
      secure.once('error', fail);
      secure.once('close', fail);
      secure.once('secureConnect', () => {
        clearTimeout(timer);
        secure.off('error', fail).off('close', fail);
        this.#socket = secure;
        this.#reader = new ReplyReader();
        this.#listen(secure);
        resolve();
      });
    });
  }

  close(): void {
    this.#fault ??= new SmtpFault('closed');
    this.#socket.destroy();
  }

  /** Says goodbye without waiting for the answer. */
  quit(): void {
    if (this.#fault !== null) return;
    this.#fault = new SmtpFault('closed');
    this.#socket.end('QUIT\r\n');
    const timer = setTimeout(() => this.#socket.destroy(), LIMITS.smtpQuitMs);
    timer.unref();
    this.#socket.once('close', () => clearTimeout(timer));
  }

  #listen(socket: Socket): void {
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('error', () => this.#fail('closed'));
    socket.on('close', () => this.#fail('closed'));
  }

  #receive(chunk: Buffer): void {
    if (this.#fault !== null) return;
    try {
      this.#replies.push(...this.#reader.push(chunk));
    } catch (error) {
      if (!(error instanceof SmtpFault)) throw error;
      return this.#fail(error.kind);
    }
    // More than was asked for, and no farewell; a proxy may let two be heard.
    const more = this.#replies[this.#due];
    if (more !== undefined && !isFarewell(more)) return this.#fail('astray');
    if (this.#waiting === null || this.#replies.length === 0) return;
    const { resolve } = this.#waiting;
    this.#waiting = null;
    resolve(this.#take());
  }

  #take(): Reply {
    this.#due -= 1;
    return this.#replies.shift()!;
  }

  #fail(kind: FaultKind): void {
    this.#fault ??= new SmtpFault(kind);
    if (kind === 'astray') this.#replies.length = 0;
    this.#socket.destroy();
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.reject(this.#fault);
  }
}

/**
 * With keys of any strength that OpenSSL takes at all: what Node refuses as weak from 24 on, some hosts insist on. Where an operator named suites of
 * TLS 1.3 alone there is no list that a level could stand in: OpenSSL takes none without a cipher.
 */
export function ofAnyStrength(ciphers: string): string {
  return ciphers.split(':').every((name) => name.startsWith('TLS_')) ? ciphers : `${ciphers}:@SECLEVEL=0`;
}
