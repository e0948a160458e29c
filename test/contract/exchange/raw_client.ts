import { connect, type Socket } from 'node:net';
import { LIMITS } from '../../../src/config/limits.ts';

/** A busy machine may hold either side up for seconds; a connection that nobody uses is closed a little later. */
const WAIT_MS = LIMITS.keepAliveMs - 2_000;

/** A caller who speaks bytes: nothing between the test and the server. Text is latin1, one character a byte. */
export class RawClient {
  readonly socket: Socket;
  text = '';
  closed = false;
  #changed: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (bytes) => { this.text += bytes.toString('latin1'); this.#changed(); });
    socket.on('close', () => { this.closed = true; this.#changed(); });
    // A reset is a close as well; what matters is what was read before it.
    socket.on('error', () => {});
  }

  static connect(port: number, host = '127.0.0.1'): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host, noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => { socket.off('error', reject); resolve(new RawClient(socket)); });
    });
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Waits until what has arrived satisfies; rejects with all that arrived otherwise. */
  until(satisfied: (text: string, closed: boolean) => boolean, waitMs = WAIT_MS): Promise<string> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => { reject(new Error(`still waiting after ${waitMs} ms; closed: ${this.closed}; read: ${this.text.slice(0, 2_000)}`)); }, waitMs);
      this.#changed = () => {
        if (!satisfied(this.text, this.closed)) return;
        clearTimeout(timer);
        resolve(this.text);
      };
      this.#changed();
    });
  }

  untilText(part: string): Promise<string> {
    return this.until((text) => text.includes(part));
  }

  untilClosed(): Promise<string> {
    return this.until((_, closed) => closed);
  }

  leave(): void {
    this.socket.destroy();
  }
}

export function request(line: string, headers: Readonly<Record<string, string>> = {}, body = ''): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${line} HTTP/1.1\r\nHost: service\r\n${lines.join('')}\r\n${body}`;
}

type RawAnswer = { readonly status: number; readonly headers: ReadonlyMap<string, string>; readonly body: string };

/** Splits one whole answer off; chunked bodies are put together, `complete` tells whether the last chunk came. */
export function readAnswer(text: string): RawAnswer & { readonly complete: boolean; readonly rest: string } {
  const [head = '', ...parts] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = new Map(lines.map((each): [string, string] => [each.slice(0, each.indexOf(':')).toLowerCase(), each.slice(each.indexOf(':') + 2)]));
  const status = Number(line.split(' ')[1]);
  const after = parts.join('\r\n\r\n');
  if (headers.get('transfer-encoding') === 'chunked') return { status, headers, ...readChunks(after) };
  const length = Number(headers.get('content-length') ?? 0);
  return { status, headers, body: after.slice(0, length), complete: after.length >= length, rest: after.slice(length) };
}

function readChunks(text: string): { body: string; complete: boolean; rest: string } {
  const pieces: string[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd === -1) return { body: pieces.join(''), complete: false, rest: '' };
    const bytes = Number.parseInt(text.slice(at, lineEnd), 16);
    if (bytes === 0) return { body: pieces.join(''), complete: text.startsWith('\r\n', lineEnd + 2), rest: text.slice(lineEnd + 4) };
    pieces.push(text.slice(lineEnd + 2, lineEnd + 2 + bytes));
    at = lineEnd + 2 + bytes + 2;
  }
}
