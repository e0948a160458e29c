import type { MessagePort } from 'node:worker_threads';
import { monotonicMs } from '../lib/clock.ts';
import type { FailureCode } from '../sources/source.ts';
import type { CountedMessage, RowsMessage, ReaderMessage, ScanMessage, Struck } from './foreign_protocol.ts';

type ForeignEnd = {
  readonly why: 'end' | 'deadline' | 'cancelled' | 'failed';
  readonly failure: FailureCode | 'worker_lost' | 'scan_crashed' | null;
  /** For the log alone. */
  readonly detail: string;
};
export type ForeignEnding = ForeignEnd & {
  /** Rows came, or it was told that there are none. */
  readonly gave: boolean;
  /** When the last of them did; `-Infinity` where none has. */
  readonly gaveMs: number;
  /** A part of the source cannot be read, which is told before anything is given. */
  readonly incomplete: boolean;
  /** Somebody waited for more of them. */
  readonly awaited: boolean;
  /** How the counting failed beside the rows, if it did. */
  readonly uncounted: ForeignEnd | null;
};
type ForeignCounts = Omit<CountedMessage, 'kind' | 'missed'> & { readonly missed: Exclude<ForeignEnd['why'], 'end'> | null };

/** A scan of a foreign source, as its reader sees it. Nothing rejects, and everything is settled by the deadline, whatever the thread does. */
export interface ForeignScan {
  /** How it ended; null while it has not. */
  readonly end: ForeignEnd | null;
  readonly tookMs: number;
  /** Rows that came and could not be used. */
  readonly dropped: number;
  /** A part of the source cannot be read. */
  readonly incomplete: boolean;
  /** The next piece; null once no more will come. */
  next(): Promise<RowsMessage | null>;
  counted(): Promise<ForeignCounts>;
  /** The reader wants no more. */
  close(): void;
}

const LATE: ForeignEnd = { why: 'deadline', failure: null, detail: '' };
const UNCOUNTED = { matched: null, atMost: false, atLeast: false, facets: null } as const;

/** This side of the port. The scan itself begins when the other side is handed to a thread. */
export class PortScan implements ForeignScan {
  end: ForeignEnd | null = null;
  tookMs = 0;
  dropped = 0;
  incomplete = false;
  readonly #port: MessagePort;
  readonly #timer: NodeJS.Timeout;
  readonly #silenceMs: number;
  #silence: NodeJS.Timeout | undefined;
  readonly #pieces: RowsMessage[] = [];
  readonly #ended: (end: ForeignEnding) => void;
  readonly #counts: Promise<ForeignCounts>;
  readonly #startedMs = monotonicMs();
  #settleCounts: (counts: ForeignCounts) => void = () => {};
  #waiting: ((piece: RowsMessage | null) => void) | null = null;
  #open = true;
  /** When the last piece came. */
  #gaveMs = -Infinity;
  /** The last piece has come: what may still come is the count. */
  #allRows = false;
  #uncounted: ForeignEnd | null = null;

  /** Ended by the deadline, and where a piece that is waited for does not come for `silenceMs`. `ended` is told once, how the scan ended: after it the thread has nothing left to do for it. */
  constructor(port: MessagePort, { deadlineMs, silenceMs }: { readonly deadlineMs: number; readonly silenceMs: number }, ended: (end: ForeignEnding) => void) {
    this.#port = port;
    this.#ended = ended;
    this.#silenceMs = silenceMs;
    this.#counts = new Promise((resolve) => { this.#settleCounts = resolve; });
    port.on('message', (message: ScanMessage) => this.#take(message));
    port.on('close', () => {
      this.#open = false;
      this.#finish({ why: 'failed', failure: 'worker_lost', detail: 'the thread was lost' });
    });
    this.#timer = setTimeout(() => this.#finish(LATE), Math.max(0, deadlineMs - monotonicMs()));
  }

  next(): Promise<RowsMessage | null> {
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      this.#tell('more');
      return Promise.resolve(piece);
    }
    if (this.end !== null || this.#allRows) return Promise.resolve(null);
    if (this.#gaveMs !== -Infinity) this.#tell('wanted');
    this.#silence = setTimeout(() => this.#finish(LATE), this.#silenceMs);
    return new Promise((resolve) => { this.#waiting = resolve; });
  }

  counted(): Promise<ForeignCounts> { return this.#counts; }

  close(): void {
    this.#finish({ why: 'cancelled', failure: null, detail: '' });
  }

  /** For a scan that could not begin. */
  fail(end: ForeignEnd): void { this.#finish(end); }

  #take(message: ScanMessage): void {
    switch (message.kind) {
      case 'rows': this.#takeRows(message); break;
      case 'counted': this.#takeCounts(message); break;
      case 'dropped': this.dropped += message.rows; break;
      case 'incomplete': this.incomplete = true; break;
      case 'over': this.#finish({ why: 'end', failure: null, detail: '' }); break;
      case 'failed': this.#finish(endOf(message)); break;
      default: message satisfies never;
    }
  }

  #takeRows(piece: RowsMessage): void {
    if (this.end !== null) return;
    this.#gaveMs = monotonicMs();
    this.#allRows = piece.last;
    if (piece.rows > 0) this.#pieces.push(piece);
    const waiting = this.#waiting;
    if (waiting === null) return;
    this.#waiting = null;
    clearTimeout(this.#silence);
    void this.next().then(waiting);
  }

  #takeCounts({ matched, atMost, atLeast, facets, missed }: CountedMessage): void {
    this.#uncounted = missed === null ? null : endOf(missed);
    this.#settleCounts({ matched, atMost, atLeast, facets, missed: whyMissed(this.#uncounted) });
  }

  #finish(end: ForeignEnd): void {
    if (this.end !== null) return;
    const awaited = this.#waiting !== null;
    this.end = this.#allRows && end.why !== 'end' ? { ...end, why: 'end' } : end;
    this.tookMs = monotonicMs() - this.#startedMs;
    clearTimeout(this.#timer);
    clearTimeout(this.#silence);
    this.#settleCounts({ ...UNCOUNTED, missed: whyMissed(end) });
    this.#waiting?.(null);
    this.#waiting = null;
    this.#tell('cancel');
    this.#open = false;
    this.#port.close();
    this.#ended({ ...end, gave: this.#gaveMs !== -Infinity, gaveMs: this.#gaveMs, incomplete: this.incomplete, awaited, uncounted: this.#uncounted });
  }

  /** A message to a port that is closed can end the process. */
  #tell(message: ReaderMessage): void {
    if (this.#open) this.#port.postMessage(message);
  }
}

function whyMissed(end: ForeignEnd | null): ForeignCounts['missed'] {
  return end === null || end.why === 'end' ? null : end.why;
}

function endOf({ code, detail }: Struck): ForeignEnd {
  switch (code) {
    case 'deadline': case 'cancelled': return { why: code, failure: null, detail };
    case 'crashed': return { why: 'failed', failure: 'scan_crashed', detail };
    default: return { why: 'failed', failure: code, detail };
  }
}
