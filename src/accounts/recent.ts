import { LIMITS } from '../config/limits.ts';
import type { ErrorCode } from '../model/errors.ts';

/** One answered call, as its owner may look at it later. */
export type RecentRequest = {
  /** Its `X-Request-Id`. */
  readonly id: string;
  readonly unixMs: number;
  readonly keyId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly error: ErrorCode | null;
  readonly ms: number;
  readonly rows: number;
  readonly units: number;
};

type Ring = { readonly requests: RecentRequest[]; next: number };

/** The last calls of each account, in this process and since its start. Constant time a call; at most `recentAccountsMax` accounts, the earliest seen leaves first. */
export class RecentRequests {
  readonly #rings = new Map<string, Ring>();

  note(accountId: string, request: RecentRequest): void {
    const ring = this.#rings.get(accountId) ?? this.#opened(accountId);
    ring.requests[ring.next] = request;
    ring.next = (ring.next + 1) % LIMITS.recentRequestsKept;
  }

  /** The newest first. */
  of(accountId: string): RecentRequest[] {
    const ring = this.#rings.get(accountId);
    if (ring === undefined) return [];
    const { requests, next } = ring;
    return [...requests.slice(next), ...requests.slice(0, next)].reverse();
  }

  forget(accountId: string): void {
    this.#rings.delete(accountId);
  }

  #opened(accountId: string): Ring {
    if (this.#rings.size >= LIMITS.recentAccountsMax) this.#rings.delete(this.#rings.keys().next().value!);
    const ring: Ring = { requests: [], next: 0 };
    this.#rings.set(accountId, ring);
    return ring;
  }
}
