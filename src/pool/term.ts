import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { move, type Piscina, transferableSymbol, valueSymbol } from 'piscina';
import { LIMITS } from '../config/limits.ts';
import { makeMailbox, SenderEnd, type MailboxMemory, type TermTask } from './mailbox_protocol.ts';
import { packBatch, unpackReply } from './packed_protocol.ts';
import { TrayReader } from './tray_protocol.ts';
import type { BatchReply, Mount, Scans } from './protocol.ts';

type Sent = { readonly resolve: (reply: BatchReply) => void; readonly reject: (error: unknown) => void };

type TermParts = { readonly memory: MailboxMemory; readonly startMs: number; readonly onPing: () => void; readonly onLost: (error: unknown) => void };

/**
 * The sender's side of a term: batches go out at once, and come back where somebody looks for them (`take`) or on a ping. It ends when
 * it is left, when its thread dies, and when a batch has taken the thread for `hungMs`: then the thread is ended, and what was under way is lost.
 * A thread that has not taken up the term may still be starting, and is given `startMs`.
 */
export class Term {
  /** Whether batches can be sent. */
  open = true;
  readonly #end: SenderEnd;
  readonly #trays: TrayReader;
  readonly #ports: readonly MessagePort[];
  /** The pool takes an emitter for a signal. Aborting a task ends its thread. */
  readonly #signal = new EventEmitter();
  readonly #sent: Sent[] = [];
  readonly #startMs: number;
  readonly #onLost: (error: unknown) => void;
  #begun = false;
  #hangs = false;
  /** For how long nothing came back, as this side's looks tell it: a machine that stood still has not looked. */
  #silentMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(pool: Piscina<TermTask, void>, mount: Mount, { memory, startMs, onPing, onLost }: TermParts) {
    this.#startMs = startMs;
    this.#onLost = onLost;
    const pings = new MessageChannel();
    const parcels = new MessageChannel();
    const mailbox = makeMailbox(memory);
    this.#end = new SenderEnd(mailbox, parcels.port1);
    this.#trays = new TrayReader(mailbox.trays);
    this.#ports = [pings.port1, parcels.port1];
    pings.port1.on('message', onPing).unref();
    const task: TermTask = { mount, mailbox, ports: { pings: pings.port2, parcels: parcels.port2 } };
    void this.#serve(pool, move({ [transferableSymbol]: [pings.port2, parcels.port2], [valueSymbol]: task } as never) as unknown as TermTask);
  }

  get underWay(): number { return this.#sent.length; }

  send(scans: Scans, hungMs: number): Promise<BatchReply> {
    return new Promise((resolve, reject) => {
      this.#sent.push({ resolve, reject });
      this.#end.send(packBatch(scans));
      this.#timer ??= this.#watch(hungMs);
    });
  }

  /** Settles what has come back; whether anything had. */
  take(): boolean {
    let taken = false;
    for (let reply = this.#end.take(); reply !== null; reply = this.#end.take()) {
      taken = true;
      this.#sent.shift()?.resolve(unpackReply(reply, this.#trays));
    }
    if (taken) this.#silentMs = 0;
    return taken;
  }

  wantPing(wanted: boolean): void { this.#end.wantPing(wanted); }

  /** No batch more; those under way are answered still. */
  leave(): void {
    this.open = false;
    this.#end.leave();
  }

  async #serve(pool: Piscina<TermTask, void>, task: TermTask): Promise<void> {
    let lost: unknown = null;
    try {
      await pool.run(task, { signal: this.#signal });
    } catch (error) {
      lost = this.#hangs ? new Error(`it did not answer for ${Math.round(this.#silentMs)} ms, and was ended`) : error;
      this.#onLost(lost);
    }
    this.open = false;
    this.take();
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const port of this.#ports) port.close();
    for (const { reject } of this.#sent.splice(0)) reject(lost ?? new Error('the term ended before the batch'));
  }

  /** One timer for all batches. What has come back is no sign of a thread that hangs, even where nobody has taken it yet. */
  #watch(hungMs: number): NodeJS.Timeout {
    const everyMs = hungMs / LIMITS.batchHungLooks;
    return setTimeout(() => {
      this.#timer = null;
      this.take();
      if (this.#sent.length === 0) return;
      this.#silentMs = this.#hasJustBegun() ? 0 : this.#silentMs + everyMs;
      this.#hangs = this.#silentMs > (this.#begun ? hungMs : this.#startMs);
      if (this.#hangs) this.#signal.emit('abort');
      else this.#timer = this.#watch(hungMs);
    }, everyMs).unref();
  }

  #hasJustBegun(): boolean {
    if (this.#begun) return false;
    this.#begun = this.#end.begun;
    return this.#begun;
  }
}
