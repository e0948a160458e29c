import { LIMITS } from '../../config/limits.ts';

export type Reply = {
  readonly code: number;
  /** RFC 3463, as `5.1.1`. */
  readonly enhanced: string | null;
  /** The lines joined. Stays inside the service: it is the host's own wording. */
  readonly text: string;
};

/** What kept a dialogue from its answer; `mute`: it had all the time for its first word, as if nobody was there; `hurried`: there was not the time for a connection, or no file left to open for one; `astray`: nobody knows any more which command a reply belongs to. */
export type FaultKind = 'connect' | 'mute' | 'hurried' | 'timeout' | 'closed' | 'protocol' | 'astray' | 'tls';

export class SmtpFault extends Error {
  override readonly name = 'SmtpFault';
  readonly kind: FaultKind;

  constructor(kind: FaultKind) {
    super(`SMTP: ${kind}`);
    this.kind = kind;
  }
}

const LINE = /^([2-5]\d\d)(?:([ -])([\s\S]*))?$/;
const ENHANCED = /^([245]\.\d{1,3}\.\d{1,3})(?:\s|$)/;
const LF = 10;

/** Bytes to replies. Whatever is not SMTP, or more of it than any reply needs, is a fault at once. */
export class ReplyReader {
  #rest: Buffer = Buffer.alloc(0);
  #lines: string[] = [];
  #code = 0;
  #bytes = 0;

  /** True where a reply has begun, or bytes wait for their line to end. */
  get pending(): boolean {
    return this.#rest.length > 0 || this.#lines.length > 0;
  }

  push(chunk: Buffer): Reply[] {
    this.#bytes += chunk.length;
    if (this.#bytes > LIMITS.smtpSessionBytesMax) throw new SmtpFault('protocol');
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const replies: Reply[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      const reply = this.#line(bytes.subarray(start, end));
      if (reply !== null) replies.push(reply);
      start = end + 1;
    }
    if (bytes.length - start > LIMITS.smtpLineBytesMax) throw new SmtpFault('protocol');
    this.#rest = bytes.subarray(start);
    return replies;
  }

  #line(bytes: Buffer): Reply | null {
    if (bytes.length > LIMITS.smtpLineBytesMax || this.#lines.length === LIMITS.smtpReplyLinesMax) throw new SmtpFault('protocol');
    const [, code, separator, text = ''] = LINE.exec(bytes.toString('utf8').replace(/\r$/, '')) ?? [];
    if (code === undefined) throw new SmtpFault('protocol');
    if (this.#lines.length > 0 && Number(code) !== this.#code) throw new SmtpFault('protocol');
    this.#code = Number(code);
    this.#lines.push(text);
    if (separator === '-') return null;
    const lines = this.#lines;
    this.#lines = [];
    return replyOf(this.#code, lines);
  }
}

export function replyOf(code: number, lines: readonly string[]): Reply {
  const enhanced = lines.map((line) => ENHANCED.exec(line.trimStart())?.[1]).find((found) => found !== undefined) ?? null;
  return { code, enhanced, text: lines.join('\n') };
}

export function isFarewell({ code }: Reply): boolean {
  return code === 221 || code === 421;
}
