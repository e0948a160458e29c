import { LIMITS } from '../config/limits.ts';
import { SourceFailure } from './source.ts';

const NEWLINE = 0x0a;

/** The lines of a body, piece by piece as they come; the body is read on only when they are asked for. A last line without an end counts. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[]> {
  let rest: Buffer[] = [];
  let restBytes = 0;
  for await (const piece of body) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      rest.push(bytes);
      restBytes += bytes.length;
      if (restBytes > LIMITS.foreignLineBytesMax) throw new SourceFailure('malformed', 'a line is too long');
      continue;
    }
    const whole = Buffer.concat([...rest, bytes.subarray(0, end - 1)]);
    rest = end === bytes.length ? [] : [bytes.subarray(end)];
    restBytes = bytes.length - end;
    yield whole.toString().split('\n');
  }
  if (restBytes > 0) yield [Buffer.concat(rest).toString()];
}
