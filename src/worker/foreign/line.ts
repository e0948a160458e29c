import type { MessagePort } from 'node:worker_threads';
import type { ReaderMessage, ScanMessage } from '../../pool/foreign_protocol.ts';
import type { Patience } from './patience.ts';

/** The port of one scan: what the reader says comes in as credit and patience, and nothing goes out once it is closed. */
export class Line {
  readonly patience: Patience;
  readonly #port: MessagePort;
  /** Pieces that the reader still has room for, and those that it has room for in all. */
  #credit: number;
  readonly #room: number;
  /** Nothing has been sent since it said so. */
  #wanted = false;
  #waiting: ((heard: boolean) => void) | null = null;
  #open = true;

  constructor(port: MessagePort, patience: Patience, credit: number) {
    this.#port = port;
    this.patience = patience;
    this.#credit = credit;
    this.#room = credit;
    port.on('message', (message: ReaderMessage) => this.#hear(message));
    port.on('close', () => {
      this.#open = false;
      patience.cancel();
    });
    patience.signal.addEventListener('abort', () => this.#wake(false));
  }

  send(message: ScanMessage, transfer: readonly ArrayBuffer[] = []): void {
    if (message.kind === 'rows') this.#wanted = false;
    if (this.#open) this.#port.postMessage(message, transfer);
  }

  close(): void {
    this.#open = false;
    this.#port.close();
  }

  /** Resolves when a piece may be sent; false when the scan is over instead. */
  async credit(): Promise<boolean> {
    while (this.#credit === 0) if (!await this.#word()) return false;
    this.#credit -= 1;
    return this.patience.struck === null;
  }

  /** Resolves when the reader waits for a piece; false when the scan is over instead. */
  async wanted(): Promise<boolean> {
    while (!this.#wanted) if (!await this.#word()) return false;
    return this.patience.struck === null;
  }

  #hear(message: ReaderMessage): void {
    switch (message) {
      case 'more': this.#credit += 1; this.#wake(true); break;
      // It may have been said while a piece was on its way.
      case 'wanted': this.#wanted = this.#credit === this.#room; this.#wake(true); break;
      case 'cancel': this.patience.cancel(); break;
      default: message satisfies never;
    }
  }

  /** The next of the reader; false when the scan is over instead. */
  #word(): Promise<boolean> {
    return this.patience.struck === null ? new Promise((resolve) => { this.#waiting = resolve; }) : Promise.resolve(false);
  }

  #wake(heard: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(heard);
  }
}
