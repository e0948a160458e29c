import { LIMITS } from '../config/limits.ts';

/**
 * Pages on their way from a scan thread to the socket: their text is written once, where the service's own thread hands it to the kernel.
 *
 *   thread   takes the first tray that is free ▶ [ room before │ rows │ room behind ]
 *   service  writes the rest of its answer into the room, sends, releases the tray
 *
 * Nobody writes a tray that the other end holds. The first that is free is nearly always among the first few, whose memory is still in the caches of
 * the processor: a ring of the same size costs a fifth of a scan more. A page for which no tray is free, or that is too long for one, goes another way.
 */
export type Trays = { readonly held: Int32Array; readonly bytes: SharedArrayBuffer };

const FREE = 0;
const HELD = 1;
/** Room before the rows of a page: `{"results":[`. */
export const TRAY_FRONT_BYTES = 64;

/** Memory that is not written takes none. */
export function makeTrays(): Trays {
  return {
    held: new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * LIMITS.pageTrays)),
    bytes: new SharedArrayBuffer(LIMITS.trayBytes * LIMITS.pageTrays),
  };
}

/** What both ends have. */
abstract class TrayEnd {
  protected readonly held: Int32Array;
  protected readonly trays: readonly Buffer[];

  constructor({ held, bytes }: Trays) {
    this.held = held;
    this.trays = Array.from(held, (_, tray) => Buffer.from(bytes, tray * LIMITS.trayBytes, LIMITS.trayBytes));
  }
}

/** The thread's end. */
export class TrayWriter extends TrayEnd {
  /** A tray to write, which the other end must be told of, unless it is put back; null where none is free. */
  take(): { readonly tray: number; readonly bytes: Buffer } | null {
    for (let tray = 0; tray < this.trays.length; tray += 1) {
      // A thread that was given up may write for a moment yet beside the one that took its place.
      if (Atomics.compareExchange(this.held, tray, FREE, HELD) !== FREE) continue;
      return { tray, bytes: this.trays[tray]! };
    }
    return null;
  }

  /** Of which the other end will not be told. */
  putBack(tray: number): void { Atomics.store(this.held, tray, FREE); }
}

/** Rows at [start, end) of memory to be read and written until `release`, which counts once. */
export interface HeldText {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  release(): void;
}

/** Who gets every tray that was taken, once, with where its rows stand. */
export interface TrayTaker {
  receive(tray: number, start: number, end: number): HeldText;
}

/** The service's end. */
export class TrayReader extends TrayEnd implements TrayTaker {
  receive(tray: number, start: number, end: number): HeldText {
    return new TrayText(this.held, tray, { bytes: this.trays[tray]!, start, end });
  }
}

/** No closure, and never spread: either makes a hidden class for each text, which outlives it. */
class TrayText implements HeldText {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly #held: Int32Array;
  readonly #tray: number;
  #isOver = false;

  constructor(held: Int32Array, tray: number, { bytes, start, end }: Omit<HeldText, 'release'>) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.#held = held;
    this.#tray = tray;
  }

  release(): void {
    if (!this.#isOver) Atomics.store(this.#held, this.#tray, FREE);
    this.#isOver = true;
  }
}
