import type { Duplex } from 'node:stream';
import type { Waiting } from '../stalls.ts';
import type { Surroundings } from '../surroundings.ts';
import { cutConnection } from './connections.ts';

const backlogs = new WeakMap<Duplex, Backlog>();

/** What one connection holds of answers that have ended and are not taken yet: of one, or of several that were asked for in one go. */
export class Backlog implements Waiting {
  /** The platform minds how long the reader may take for the next byte, and sees him take less than a piece. */
  readonly patienceMs = Infinity;
  patienceEndsMs: number | null = null;
  rosterPlace = -1;
  readonly #socket: Duplex;
  readonly #around: Surroundings;
  #heldBytes = 0;
  #isCut = false;

  constructor(socket: Duplex, around: Surroundings) {
    this.#socket = socket;
    this.#around = around;
  }

  static of(socket: Duplex, around: Surroundings): Backlog {
    const known = backlogs.get(socket);
    if (known !== undefined) return known;
    const made = new Backlog(socket, around);
    backlogs.set(socket, made);
    return made;
  }

  /** An answer, until the end of it, however little of it is left. Where too much is held for all, none is held behind another: one read brings hundreds of requests. */
  hold(bytes: number): void {
    if (this.#isCut || bytes === 0) return;
    const isBehindAnother = this.#heldBytes > 0;
    this.#count(bytes);
    if (!isBehindAnother) {
      this.patienceEndsMs = null;
      this.#around.stalls.add(this);
    } else if (this.#isTooMuchForAll()) this.cut();
  }

  took(): void {
    this.patienceEndsMs = null;
  }

  /** All of an answer was taken, or its reader left. */
  release(bytes: number): void {
    if (this.#isCut || bytes === 0) return;
    this.took();
    this.#count(-bytes);
    if (this.#heldBytes === 0) this.#around.stalls.remove(this);
  }

  /** Where too much is held for all: whoever took nothing from one sweep to the next goes first, until it is little enough. */
  look(): void {
    if (this.patienceEndsMs !== null && this.#isTooMuchForAll()) this.cut();
  }

  /** What it held counts no more at once: the platform tells later that the connection is closed, and another need not be cut for it. */
  cut(): void {
    this.#isCut = true;
    this.#count(-this.#heldBytes);
    this.#around.stalls.remove(this);
    cutConnection(this.#socket);
  }

  #count(bytes: number): void {
    this.#heldBytes += bytes;
    this.#around.unread.bytes += bytes;
  }

  #isTooMuchForAll(): boolean {
    return this.#around.unread.bytes > this.#around.bounds.unreadBytesMax;
  }
}
