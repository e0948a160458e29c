import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';

const NEWLINE = 0x0a;

/** The lines of one write that the file did not take, and those that it took. */
export type Lost = { readonly lost: number; readonly written: number };

/**
 * Lines into a file, which may be full for a while: what it does not take is told as `lost`, and the next write is tried as any. The stream of
 * Node for a stdout that is a file takes nothing more once a write has failed.
 */
export class FileOut extends Writable {
  readonly #fd: number;
  /** The last line has no end. */
  #torn = false;

  constructor(fd: number) {
    super();
    this.#fd = fd;
  }

  override _write(lines: Buffer, _: BufferEncoding, done: () => void): void {
    if (this.#torn) this.#torn = this.#write(Buffer.of(NEWLINE)) === 0;
    const at = this.#torn ? 0 : this.#write(lines);
    if (at > 0) this.#torn = lines[at - 1] !== NEWLINE;
    if (at < lines.length) this.emit('lost', { lost: linesIn(lines.subarray(at)), written: linesIn(lines.subarray(0, at)) } satisfies Lost);
    done();
  }

  /** How many bytes the file took. */
  #write(bytes: Buffer): number {
    let at = 0;
    try {
      while (at < bytes.length) at += writeSync(this.#fd, bytes, at);
    } catch {
      // What is missing is told by how far it came.
    }
    return at;
  }
}

export function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}

function linesIn(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}
