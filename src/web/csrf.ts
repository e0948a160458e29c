import { createHmac, createSecretKey, hash, timingSafeEqual, type KeyObject } from 'node:crypto';
import { AppError } from '../model/errors.ts';
import type { PageRequest } from '../model/page.ts';
import { originOf } from './origin.ts';

/** Makes and checks what proves that a form was ours and was given to this very visitor. */
export class FormSeal {
  readonly #secret: KeyObject;

  constructor(secret: Uint8Array) {
    this.#secret = createSecretKey(secret);
  }

  /** `binding` is something that only this visitor's browser sends: the token of his session, or of his form cookie. */
  token(binding: string): string {
    return createHmac('sha256', this.#secret).update(binding).digest('base64url');
  }

  check(binding: string, token: string): void {
    if (binding === '') throw new AppError('csrf', 'This form came without the cookie that belongs to it. Load its page again and send it once more; where that does not help, allow this site its cookies.');
    if (!this.fits(binding, token)) throw foreign();
  }

  fits(binding: string, token: string): boolean {
    const [expected, given] = [this.token(binding), token].map((text) => hash('sha256', text, 'buffer'));
    return timingSafeEqual(expected!, given!);
  }
}

/** Throws where another site, or no browser of today, sent the form. */
export function checkSameOrigin(request: PageRequest): void {
  const site = request.headers.get('sec-fetch-site');
  if (site === undefined ? request.headers.get('origin') !== originOf(request) : site !== 'same-origin') throw foreign();
}

function foreign(): AppError {
  return new AppError('csrf', 'This form is not from this site, or too old. Go back, load the page again and send it once more.');
}
