import { LIMITS } from '../config/limits.ts';

/** The right to stop one call's scans: they go on while the flag at `slot` holds `ticket`. */
export type CancelLease = { readonly slot: number; readonly ticket: number };

/**
 * Cancel flags that the scan loops read between blocks. One Int32 a running call:
 *
 *   flags[slot] = ticket   the call runs;   anything else   it was cancelled, or is over
 *
 * A ticket is never used twice in a row on a slot, so a late scan of an earlier call cannot mistake a new call for its own.
 */
export class CancelFlags {
  readonly shared = new SharedArrayBuffer(LIMITS.cancelSlots * Int32Array.BYTES_PER_ELEMENT);
  readonly #flags = new Int32Array(this.shared);
  readonly #free: number[] = Array.from({ length: LIMITS.cancelSlots }, (_, slot) => LIMITS.cancelSlots - 1 - slot);
  #ticket = 0;

  /** Null when as many calls run as there are flags. */
  lease(): CancelLease | null {
    const slot = this.#free.pop();
    if (slot === undefined) return null;
    this.#ticket = (this.#ticket % 0x7fff_fffe) + 1;
    Atomics.store(this.#flags, slot, this.#ticket);
    return { slot, ticket: this.#ticket };
  }

  cancel(lease: CancelLease): void {
    if (this.#flags[lease.slot] === lease.ticket) Atomics.store(this.#flags, lease.slot, 0);
  }

  isCancelled({ slot, ticket }: CancelLease): boolean {
    return this.#flags[slot] !== ticket;
  }

  /** Stops every call that runs. */
  cancelAll(): void {
    for (let slot = 0; slot < this.#flags.length; slot += 1) Atomics.store(this.#flags, slot, 0);
  }

  /** Ends a lease, once: what still scans under it stops. */
  release(lease: CancelLease): void {
    Atomics.store(this.#flags, lease.slot, 0);
    this.#free.push(lease.slot);
  }
}
