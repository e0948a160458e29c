import { receiveMessageOnPort, type MessagePort, type Transferable } from 'node:worker_threads';
import { LIMITS } from '../config/limits.ts';
import { isWellFormed } from '../lib/well_formed.ts';
import type { PackedBatch, PackedReply } from './packed_protocol.ts';
import { makeTrays, type Trays } from './tray_protocol.ts';
import type { Mount } from './protocol.ts';

/**
 * How batches reach a scan thread and replies come home: through memory that both share, one slot for each batch that may be under way.
 * A message between threads costs either side some ten microseconds and wakes whoever is asleep; under load nobody is, and a slot costs one.
 *
 *   sender ── writes slot n mod slots, `sent` += 1, rings ──▶ thread      sleeps on `rung` while there is nothing to do
 *   sender ◀── writes the same slot, `done` += 1 ── thread                pings, by message, where the sender said it is about to sleep
 *
 * What does not fit its slot, or is no number and no text, follows as a message, in the order of the slots that say so.
 */
type Mailbox = {
  readonly words: Int32Array;
  readonly slots: readonly Slot[];
  readonly trays: Trays;
};

type Slot = { readonly there: LetterMemory; readonly back: LetterMemory };
type LetterMemory = { readonly numbers: Float64Array; readonly text: Uint8Array };

/** The thread's ends of the two ways of messages. */
type ThreadPorts = { readonly pings: MessagePort; readonly parcels: MessagePort };

/** A term of service, the task of a thread: batches from the mailbox, under one mount, until the sender leaves it. */
export type TermTask = { readonly mount: Mount; readonly mailbox: Mailbox; readonly ports: ThreadPorts };

/** Places of the words. */
const RUNG = 0;
const SENT = 1;
const DONE = 2;
const PING_WANTED = 3;
const LEAVE = 4;
const BEGUN = 5;
const WORDS = 6;

/** First the three numbers of its own, then how many numbers, texts and bytes of text follow; -1 where all of it is a message. Then the texts' lengths. */
const HEAD = 6;
const POSTED = -1;

/** In memory of its own, or that of a mailbox whose letters have all been read, by both ends, and which gets no more. */
export function makeMailbox({ slots, trays }: MailboxMemory = makeMailboxMemory()): Mailbox {
  return { words: new Int32Array(new SharedArrayBuffer(4 * WORDS)), slots, trays };
}

export type MailboxMemory = Pick<Mailbox, 'slots' | 'trays'>;

export function makeMailboxMemory(trays: Trays = makeTrays()): MailboxMemory {
  const letter = (numbers: number): LetterMemory => ({
    numbers: new Float64Array(new SharedArrayBuffer(8 * numbers)),
    text: new Uint8Array(new SharedArrayBuffer(LIMITS.letterTextBytes)),
  });
  return { slots: Array.from({ length: LIMITS.batchesUnderWayMax }, () => ({ there: letter(LIMITS.batchNumbers), back: letter(LIMITS.replyNumbers) })), trays };
}

type Head = readonly [number, number, number];
const NO_TEXTS: readonly string[] = [];

type Read = { readonly head: Head; readonly numbers: Float64Array; readonly texts: readonly string[] };

/** One way of one slot. */
class Letter {
  readonly #numbers: Float64Array;
  readonly #text: Buffer;

  constructor({ numbers, text }: LetterMemory) {
    this.#numbers = numbers;
    this.#text = Buffer.from(text.buffer);
  }

  /** False where it does not fit, or is no text that UTF-8 can hold. */
  write(head: Head, numbers: Float64Array, texts: readonly string[]): boolean {
    const text = texts.join('');
    if (HEAD + texts.length + numbers.length > this.#numbers.length || 3 * text.length > this.#text.length || !isWellFormed(text)) return false;
    this.#numbers.set(head);
    this.#numbers[3] = numbers.length;
    this.#numbers[4] = texts.length;
    this.#numbers[5] = this.#text.write(text);
    for (let at = 0; at < texts.length; at++) this.#numbers[HEAD + at] = texts[at]!.length;
    this.#numbers.set(numbers, HEAD + texts.length);
    return true;
  }

  writePosted(): void { this.#numbers[3] = POSTED; }

  /** Null where it was posted. The numbers are a copy: the slot is written again while they are read. */
  read(): Read | null {
    const [one, two, three, count, texts, bytes] = this.#numbers as unknown as readonly [number, number, number, number, number, number];
    if (count === POSTED) return null;
    const begin = HEAD + texts;
    return { head: [one, two, three], numbers: this.#numbers.slice(begin, begin + count), texts: this.#texts(texts, bytes) };
  }

  #texts(count: number, bytes: number): readonly string[] {
    if (count === 0) return NO_TEXTS;
    const text = this.#text.toString('utf8', 0, bytes);
    const texts: string[] = [];
    let from = 0;
    for (let at = HEAD; at < HEAD + count; at++) texts.push(text.slice(from, from += this.#numbers[at]!));
    return texts;
  }
}

/** What both ends have: letters, and messages for what does not go into them. */
abstract class MailboxEnd {
  protected readonly words: Int32Array;
  protected readonly there: readonly Letter[];
  protected readonly back: readonly Letter[];
  readonly #parcels: MessagePort;

  constructor({ words, slots }: Mailbox, parcels: MessagePort) {
    this.words = words;
    this.there = slots.map(({ there }) => new Letter(there));
    this.back = slots.map(({ back }) => new Letter(back));
    this.#parcels = parcels;
  }

  protected post(letter: Letter, parcel: PackedBatch | PackedReply, buffers: readonly Transferable[] = []): void {
    letter.writePosted();
    this.#parcels.postMessage({ ...parcel, numbers: parcel.numbers.slice() }, buffers);
  }

  protected parcel<T extends PackedBatch | PackedReply>(): T {
    const received = receiveMessageOnPort(this.#parcels);
    if (received === undefined) throw new Error('a letter speaks of a message that did not come');
    return received.message as T;
  }
}

/** The end of the service's own thread, which never waits. */
export class SenderEnd extends MailboxEnd {
  #sent = 0;
  #taken = 0;

  send(batch: PackedBatch): void {
    const letter = this.there[slotOf(this.#sent, this.there.length)]!;
    if (!letter.write([batch.epoch, batch.sliceMs, batch.scans], batch.numbers, batch.texts)) this.post(letter, batch);
    this.#sent = (this.#sent + 1) | 0;
    Atomics.store(this.words, SENT, this.#sent);
    ring(this.words);
  }

  /** The next reply that has come, in the order of the batches; null where none has. */
  take(): PackedReply | null {
    if (Atomics.load(this.words, DONE) === this.#taken) return null;
    const read = this.back[slotOf(this.#taken, this.back.length)]!.read();
    this.#taken = (this.#taken + 1) | 0;
    if (read === null) return this.parcel<PackedReply>();
    const { head: [thread, epoch, replies], numbers, texts } = read;
    return { thread, epoch, replies, numbers, texts, bytes: [], facets: [] };
  }

  /** Whether the thread has taken up the term. */
  get begun(): boolean { return Atomics.load(this.words, BEGUN) === 1; }

  wantPing(wanted: boolean): void { Atomics.store(this.words, PING_WANTED, wanted ? 1 : 0); }

  /** Ends the term once all that was sent is answered. */
  leave(): void {
    Atomics.store(this.words, LEAVE, 1);
    ring(this.words);
  }
}

/** The end of the scan thread, which sleeps while there is nothing to do. */
export class ThreadEnd extends MailboxEnd {
  readonly #pings: MessagePort;
  #taken = 0;

  constructor(mailbox: Mailbox, { pings, parcels }: ThreadPorts) {
    super(mailbox, parcels);
    this.#pings = pings;
    Atomics.store(this.words, BEGUN, 1);
  }

  /** Waits for the next batch; null at the end of the term. */
  next(): PackedBatch | null {
    for (;;) {
      const rung = Atomics.load(this.words, RUNG);
      if (Atomics.load(this.words, SENT) !== this.#taken) return this.#read();
      if (Atomics.load(this.words, LEAVE) === 1) return null;
      Atomics.wait(this.words, RUNG, rung);
    }
  }

  /** Answers the batch that was read last. */
  answer(reply: PackedReply): void {
    const letter = this.back[slotOf(this.#taken - 1, this.back.length)]!;
    const fits = reply.bytes.length === 0 && reply.facets.length === 0 && letter.write([reply.thread, reply.epoch, reply.replies], reply.numbers, reply.texts);
    if (!fits) this.post(letter, reply, reply.bytes.map(({ buffer }) => buffer as ArrayBuffer));
    Atomics.store(this.words, DONE, this.#taken);
    if (Atomics.exchange(this.words, PING_WANTED, 0) === 1) this.#pings.postMessage(null);
  }

  #read(): PackedBatch {
    const read = this.there[slotOf(this.#taken, this.there.length)]!.read();
    this.#taken = (this.#taken + 1) | 0;
    if (read === null) return this.parcel<PackedBatch>();
    const { head: [epoch, sliceMs, scans], numbers, texts } = read;
    return { epoch, sliceMs, scans, numbers, texts };
  }
}

/** Counters run over the end of 32 bits; the number of slots is a power of two. */
function slotOf(count: number, slots: number): number {
  return (count >>> 0) % slots;
}

function ring(words: Int32Array): void {
  Atomics.add(words, RUNG, 1);
  Atomics.notify(words, RUNG);
}
