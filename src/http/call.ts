import type { Caller } from '../accounts/caller.ts';
import type { Gauge } from '../accounts/caps.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Permit } from '../accounts/permit.ts';
import { PLANS } from '../accounts/plans.ts';
import { LIMITS } from '../config/limits.ts';
import { monotonicMs } from '../lib/clock.ts';
import { ownTurn } from '../lib/turns.ts';
import { AppError, type ErrorCode } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import { headerLines, NO_LINES, ownLines } from './answer_lines.ts';
import { apiLines } from './api_headers.ts';
import type { Cors } from './cors.ts';
import type { Exchange, HeaderLines, Headers, RequestHead } from './exchange.ts';
import { denied } from './guard/caps.ts';
import { unauthorized } from './guard/key.ts';
import { allowanceLines, rateLines, unitLines } from './guard/rate_headers.ts';
import type { BodyRead } from './incoming_body.ts';
import { problemOf, type ProblemAnswer } from './problem.ts';

/** What the caller left before it was answered is logged as; it never goes over the wire. */
export const STATUS_GONE = 499;

export type Answer = { readonly status: number; readonly headers?: Headers | HeaderLines; readonly body: Uint8Array | string; readonly contentType?: string; readonly cacheControl?: string };

/** How an endpoint words its failures; `head` says what its caller reads. */
export type ProblemForm = (error: unknown, requestId: string, head: RequestHead) => ProblemAnswer;

/** One request under way: who calls, what was granted, what the log line will say. Answers once. */
export class Call {
  readonly exchange: Exchange;
  readonly requestId: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly #problem: ProblemForm;
  readonly #accounts: Accounts;
  readonly #cors: Cors;
  /** When the request was let in and whole, on the monotonic clock. Deadlines count from here: the time of a slow upload is not the service's. */
  receivedMs: number;
  caller: Caller | null = null;
  /** The account of whoever is signed in to a page; a page has no caller. */
  visitorId: string | null = null;
  /** The id of what the call made. */
  made: string | null = null;
  /** Whether what it asked was done, though nobody may be there any more to be told. */
  done = false;
  permit: Permit | null = null;
  /** What a caller without a key has left of his day. */
  allowance: Gauge | null = null;
  status: number = STATUS_GONE;
  error: ErrorCode | null = null;
  /** Which one turned it away. */
  cap: string | null = null;
  rows = 0;
  bytes = 0;
  sources: readonly Outcome[] = [];

  constructor(
    exchange: Exchange, requestId: string, parameters: ReadonlyMap<string, string>, problem: ProblemForm, accounts: Accounts, cors: Cors,
  ) {
    this.exchange = exchange;
    this.receivedMs = exchange.head.arrivedMs;
    this.requestId = requestId;
    this.parameters = parameters;
    this.#problem = problem;
    this.#accounts = accounts;
    this.#cors = cors;
  }

  /** The whole body; null when the caller left meanwhile. */
  body(): Promise<Uint8Array | null> {
    const encoding = this.exchange.head.headers.get('content-encoding');
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
      throw new AppError('unsupported_encoding', 'The body must be sent as it is, without Content-Encoding.');
    }
    return this.exchange.readBody(LIMITS.bodyBytesMax).then((body) => this.#received(body));
  }

  /** To read a long one takes up to 10 ms at once: of many that are whole at the same time each waits for a turn of its own. */
  #received(body: BodyRead): Uint8Array | null | Promise<Uint8Array | null> {
    this.receivedMs = monotonicMs();
    if (body === 'gone') return null;
    // A slow one takes as long as it likes to, and what its key opened may have ended meanwhile.
    if (this.permit?.revoked === true) throw unauthorized();
    if (body === 'too_large') throw new AppError('payload_too_large', `The body is larger than ${LIMITS.bodyBytesMax.toLocaleString('en')} bytes.`);
    const turn = body.byteLength > LIMITS.bodyUntimedBytes ? ownTurn(LIMITS.mainTurnMs) : null;
    return turn === null ? body : turn.then(() => (this.exchange.live ? body : null));
  }

  /** What it may cost at most beyond what it was let in with; charged is what it did. Throws where a cap is in the way. */
  async reserve(units: number): Promise<void> {
    const denial = await this.permit!.reserveMore(units);
    if (denial !== null) throw denied(denial);
  }

  /** Says what the call cost; from then on the answer's headers tell it. */
  settle(units: number): void {
    this.permit?.settle(units);
  }

  /** Null on a plan without a budget. */
  unitsRemaining(): number | null {
    const caller = this.permit?.caller ?? this.caller;
    return caller === null ? null : this.#accounts.standing(caller).daily.remaining;
  }

  answer({ status, headers = NO_LINES, body, contentType, cacheControl }: Answer): void {
    this.answerWith(status, this.#lines(headers, contentType, cacheControl), body);
  }

  /** With these headers and none of the API's. */
  answerWith(status: number, headers: Headers | HeaderLines, body: Uint8Array | string): void {
    this.done = status < 400;
    if (!this.exchange.live) return;
    this.status = status;
    this.bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
    this.exchange.answer(status, headers, body);
  }

  answerJson(value: unknown): void {
    this.answer({ status: 200, body: JSON.stringify(value) });
  }

  answerCreated(value: { readonly id: string }): void {
    this.made = value.id;
    this.answer({ status: 201, body: JSON.stringify(value) });
  }

  answerNothing(): void {
    this.answer({ status: 204, body: '' });
  }

  begin(contentType: string, headers: Headers = []): void {
    if (!this.exchange.live) return;
    this.status = 200;
    this.exchange.begin(200, this.#lines(headers, contentType));
  }

  fail(error: unknown): void {
    this.settle(0);
    const { code, cap } = problemOf(error);
    this.error = code;
    this.cap = cap;
    if (!this.exchange.live) return;
    const { status, headers, body } = this.#problem(error, this.requestId, this.exchange.head);
    this.status = status;
    this.bytes = Buffer.byteLength(body);
    this.exchange.answer(status, ownLines(headers + this.#common()), body);
  }

  #lines(own: Headers | HeaderLines, contentType?: string, cacheControl?: string): HeaderLines {
    return ownLines(apiLines(this.requestId, contentType, cacheControl) + (typeof own === 'string' ? own : headerLines(own)) + this.#common());
  }

  /** What answers have beside their own, failures too. */
  #common(): string {
    const cors = this.#cors.answer(this.exchange.head);
    return cors.length === 0 ? this.#standing() : this.#standing() + headerLines(cors);
  }

  /** Rate limits on every answer to a known caller, the price on those that were charged. */
  #standing(): string {
    if (this.caller === null) return this.allowance === null ? NO_LINES : allowanceLines(this.allowance);
    const charged = this.permit?.charged ?? 0;
    const capped = PLANS[this.caller.plan] !== null;
    if (!capped) return charged === 0 ? NO_LINES : unitLines(charged, null);
    const standing = this.#accounts.standing(this.caller);
    return charged === 0 ? rateLines(standing) : rateLines(standing) + unitLines(charged, standing.daily.remaining);
  }
}
