import { writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { LIMITS } from '../config/limits.ts';
import type { Lost } from './file_out.ts';
import { isoTime } from './iso_time.ts';

/** Of one UTF-16 unit. */
const UTF8_BYTES_MAX = 3;
const EMPTY = Buffer.alloc(0);

/**
 * Where log lines wait for the reader of stdout: at most one write is under way, what comes meanwhile is gathered into the next.
 *
 *   write ──▶ pages (≤ logWaitingBytesMax, then lines are dropped and counted) ──▶ under way ──▶ stream
 *
 * It never blocks and never throws. A line is bytes at once: as a text it is a tree of its parts, which the collector would copy piece by piece
 * while it waits, a tenth of a find. sonic-boom, pino's own, measures its whole buffer again at each line: with buffers of 64 KiB
 * that is 6 to 8 µs a line on the machine where this costs 0.6.
 */
export class LogSink {
  readonly #stream: Writable;
  /** Full ones, then the one that is being written, up to `#at`. */
  #full: Buffer[] = [];
  #page: Buffer = EMPTY;
  #at = 0;
  #waitingBytes = 0;
  /** The page that was written last, for the next. */
  #spare: Buffer | null = null;
  #dropped = 0;
  #droppedTold = 0;
  /** As it was before what was handed over last. */
  #droppedToldBefore = 0;
  #writing = false;
  #gone = false;
  #timer: NodeJS.Timeout | null = null;
  #settled: (() => void) | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', () => {
      this.#gone = true;
      this.#take();
    });
    stream.on('lost', (lines: Lost) => this.#lose(lines));
  }

  /** Lines lost since the start because nobody read them, or their file was full. */
  get dropped(): number {
    return this.#dropped;
  }

  /** `line` ends in a newline. */
  write(line: string): void {
    if (this.#gone || this.#waitingBytes + line.length > LIMITS.logWaitingBytesMax) {
      this.#dropped += 1;
      return;
    }
    const most = UTF8_BYTES_MAX * line.length;
    if (this.#at + most > this.#page.length) this.#turnPage(most);
    const bytes = this.#page.write(line, this.#at);
    this.#at += bytes;
    this.#waitingBytes += bytes;
    if (!this.#writing) this.#flushInTime();
  }

  /** A note of losses stands first: where it was lost, too, it is no line that anybody misses, and is told anew; but for the last one, or closing would not end. */
  #lose({ lost, written }: Lost): void {
    const isNoteLost = written === 0 && this.#droppedTold > this.#droppedToldBefore;
    if (isNoteLost && this.#settled === null) this.#droppedTold = this.#droppedToldBefore;
    this.#dropped += isNoteLost ? lost - 1 : lost;
  }

  #turnPage(bytes: number): void {
    if (this.#at > 0) this.#full.push(this.#page.subarray(0, this.#at));
    const spare = bytes <= LIMITS.logPageBytes ? this.#spare : null;
    if (spare !== null) this.#spare = null;
    this.#page = spare ?? Buffer.allocUnsafeSlow(Math.max(bytes, LIMITS.logPageBytes));
    this.#at = 0;
  }

  #flushInTime(): void {
    if (this.#waitingBytes >= LIMITS.logFlushBytes) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), LIMITS.logFlushMs);
  }

  /**
   * For a process about to die: as much as the descriptor `fd` takes at once, past the stream, whose own writes would not be finished.
   * Where one of those hangs half-done its line may be torn.
   */
  spill(fd: number): void {
    try {
      writeSync(fd, this.#take());
    } catch {
      // Full or closed: nobody is left to be told.
    }
  }

  /** Hands over everything, and resolves when the stream took it, or after `logCloseMsMax`. */
  async close(): Promise<void> {
    this.#flush();
    if (!this.#writing) return;
    await new Promise<void>((resolve) => {
      const late = setTimeout(resolve, LIMITS.logCloseMsMax);
      this.#settled = () => { clearTimeout(late); resolve(); };
    });
    this.#disarm();
  }

  #flush(): void {
    if (this.#writing || this.#gone) return;
    const bytes = this.#take();
    if (bytes.length === 0) return;
    this.#writing = true;
    this.#stream.write(bytes, () => this.#written(bytes));
  }

  #take(): Buffer {
    this.#disarm();
    const note = this.#lossNote();
    const pages = [...(note === '' ? [] : [Buffer.from(note)]), ...this.#full, ...(this.#at === 0 ? [] : [this.#page.subarray(0, this.#at)])];
    this.#full = [];
    this.#page = EMPTY;
    this.#at = 0;
    this.#waitingBytes = 0;
    return pages.length === 1 ? pages[0]! : Buffer.concat(pages);
  }

  #written({ buffer }: Buffer): void {
    this.#writing = false;
    if (buffer.byteLength === LIMITS.logPageBytes) this.#spare = Buffer.from(buffer);
    if (this.#settled !== null) this.#flush();
    else if (this.#waitingBytes > 0) this.#flushInTime();
    if (!this.#writing) this.#settled?.();
  }

  #lossNote(): string {
    const lost = this.#dropped - this.#droppedTold;
    this.#droppedToldBefore = this.#droppedTold;
    if (lost === 0) return '';
    this.#droppedTold = this.#dropped;
    return `{"level":40,"time":"${isoTime(Date.now())}","count":${lost},"msg":"log lines were dropped, because nobody read them or their file was full"}\n`;
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
