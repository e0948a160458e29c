import type { MessagePort } from 'node:worker_threads';
import type { ReaderMessage, ScanMessage } from '../../pool/foreign_protocol.ts';
import type { Patience } from './patience.ts';

/** The port of one scan: what the reader says comes in as credit and patience, and nothing goes out once it is closed. */
export class Line {
  readonly patience: Patience;
  readonly #port: MessagePort;
  /** Pieces that the reader still has room for. */
  #credit: number;
  #waiting: ((granted: boolean) => void) | null = null;
  #open = true;

  constructor(port: MessagePort, patience: Patience, credit: number) {
    this.#port = port;
    this.patience = patience;
    this.#credit = credit;
    port.on('message', (message: ReaderMessage) => { if (message === 'more') this.#grant(); else patience.cancel(); });
    port.on('close', () => {
      this.#open = false;
      patience.cancel();
    });
    patience.signal.addEventListener('abort', () => this.#wake(false));
  }

  send(message: ScanMessage, transfer: readonly ArrayBuffer[] = []): void {
    if (this.#open) this.#port.postMessage(message, transfer);
  }

  close(): void {
    this.#open = false;
    this.#port.close();
  }

  /** Resolves when a piece may be sent; false when the scan is over instead. */
  credit(): Promise<boolean> {
    if (this.patience.struck !== null) return Promise.resolve(false);
    if (this.#credit > 0) {
      this.#credit -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => { this.#waiting = resolve; });
  }

  #grant(): void {
    if (this.#waiting === null) this.#credit += 1;
    else this.#wake(true);
  }

  #wake(granted: boolean): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(granted);
  }
}
