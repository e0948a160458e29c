import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../config/limits.ts';
import { SourceFailure } from './source.ts';

const NEWLINE = 0x0a;

/** Of an answer: to discard it closes the connection, where something may still come over it. */
export type Body = AsyncIterable<Uint8Array> & { destroy(): unknown };

/** `strict`: what is not UTF-8 is a failure, where it is else put right as well as it goes. */
type LineRules = { readonly lineBytesMax?: number; readonly strict?: boolean };

/** The lines of a body, piece by piece as they come; the body is read on only when they are asked for. A last line without an end counts. */
export async function* linesOf(body: AsyncIterable<Uint8Array>, { lineBytesMax = LIMITS.foreignLineBytesMax, strict = false }: LineRules = {}): AsyncGenerator<readonly string[]> {
  for await (const lines of wholeLines(body, lineBytesMax)) {
    if (strict && !isUtf8(lines)) throw new SourceFailure('malformed', 'the answer is not UTF-8');
    yield lines.toString().split('\n');
  }
}

/** The same as bytes: one or more whole lines each time, the last without its end. */
export async function* wholeLines(body: AsyncIterable<Uint8Array>, lineBytesMax: number = LIMITS.foreignLineBytesMax): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const piece of body) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      rest.push(bytes);
      restBytes += bytes.length;
      if (restBytes > lineBytesMax) throw new SourceFailure('malformed', 'a line is too long');
      continue;
    }
    yield Buffer.concat([...rest, bytes.subarray(0, end - 1)]);
    rest = end === bytes.length ? [] : [bytes.subarray(end)];
    restBytes = bytes.length - end;
  }
  if (restBytes > 0) yield Buffer.concat(rest);
}

/** At most so much of a body; the rest is not read. */
export async function beginningOf(body: Body, bytesMax: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  await gather(body, bytesMax, pieces);
  discard(body);
  return Buffer.concat(pieces).subarray(0, bytesMax).toString();
}

/** What is said beside a status that has told the failure, as far as it comes soon: such an answer may be cut, or never end. */
export async function saidIn(body: Body): Promise<string> {
  const pieces: Uint8Array[] = [];
  const timer = setTimeout(() => discard(body), LIMITS.httpFailureMs);
  // What has come will do.
  await gather(body, LIMITS.httpFailureBytesMax, pieces).catch(() => {});
  clearTimeout(timer);
  discard(body);
  return Buffer.concat(pieces).subarray(0, LIMITS.httpFailureBytesMax).toString();
}

async function gather(body: Body, bytesMax: number, pieces: Uint8Array[]): Promise<void> {
  let bytes = 0;
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes >= bytesMax) break;
  }
}

export function discard(body: Body): void {
  body.destroy();
}
