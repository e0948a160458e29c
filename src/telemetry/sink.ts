import { writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { LIMITS } from '../config/limits.ts';
import { isoTime } from './iso_time.ts';

/**
 * Where log lines wait for the reader of stdout: at most one write is under way, what comes meanwhile is gathered into the next.
 *
 *   write ──▶ waiting (≤ logWaitingCharactersMax, then lines are dropped and counted) ──▶ under way ──▶ stream
 *
 * It never blocks and never throws. sonic-boom, pino's own, measures its whole buffer again at each line: with buffers of 64 KiB
 * that is 6 to 8 µs a line on the machine where this costs 0.4.
 */
export class LogSink {
  readonly #stream: Writable;
  #waiting = '';
  #dropped = 0;
  #droppedTold = 0;
  #writing = false;
  #gone = false;
  #timer: NodeJS.Timeout | null = null;
  #settled: (() => void) | null = null;

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', () => {
      this.#gone = true;
      this.#waiting = '';
    });
  }

  /** Lines lost since the start because nobody read them. */
  get dropped(): number {
    return this.#dropped;
  }

  /** `line` ends in a newline. */
  write(line: string): void {
    if (this.#gone || this.#waiting.length + line.length > LIMITS.logWaitingCharactersMax) {
      this.#dropped += 1;
      return;
    }
    this.#waiting += line;
    if (this.#writing) return;
    if (this.#waiting.length >= LIMITS.logFlushCharacters) this.#flush();
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
    const text = this.#take();
    if (text === '') return;
    this.#writing = true;
    this.#stream.write(Buffer.from(text), () => this.#written());
  }

  #take(): string {
    this.#disarm();
    const text = this.#lossNote() + this.#waiting;
    this.#waiting = '';
    return text;
  }

  #written(): void {
    this.#writing = false;
    if (this.#settled !== null || this.#waiting.length >= LIMITS.logFlushCharacters) this.#flush();
    else if (this.#waiting !== '') this.#timer ??= setTimeout(() => this.#flush(), LIMITS.logFlushMs);
    if (!this.#writing) this.#settled?.();
  }

  #lossNote(): string {
    const lost = this.#dropped - this.#droppedTold;
    if (lost === 0) return '';
    this.#droppedTold = this.#dropped;
    return `{"level":40,"time":"${isoTime(Date.now())}","count":${lost},"msg":"log lines were dropped, because nobody read them"}\n`;
  }

  #disarm(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
