import { monotonicMs } from '../../lib/clock.ts';
import type { RequestHead, RequestHeaders } from '../exchange.ts';
import { addressText } from '../address.ts';
import type { HttpRequest, HttpResponse } from './native.ts';

/** The request object lives no longer than the call that brings it: all is copied here but the address, which costs more than the rest. */
export class UwsHead implements RequestHead {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: RequestHeaders;
  readonly arrivedMs: number;
  readonly #response: HttpResponse;
  #address: string | null = null;

  constructor(response: HttpResponse, request: HttpRequest, headers: RequestHeaders) {
    this.#response = response;
    this.method = request.getCaseSensitiveMethod();
    this.path = request.getUrl();
    // Of this build: nothing where there is no question mark.
    this.query = (request.getQuery() as string | undefined) ?? '';
    this.headers = headers;
    this.arrivedMs = monotonicMs();
  }

  get remoteAddress(): string {
    return (this.#address ??= this.#readAddress());
  }

  #readAddress(): string {
    try {
      return addressText(new Uint8Array(this.#response.getRemoteAddress()));
    } catch {
      // The library throws once the response has ended.
      return '';
    }
  }
}
