import type { Accounts } from '../../accounts/open.ts';
import type { Caller } from '../../accounts/caller.ts';
import { AppError } from '../../model/errors.ts';
import type { RequestHead } from '../exchange.ts';

/** As nearly all spell it: a look, and no match to be taken apart. */
const PLAIN = /^Bearer [\x21-\x7e]+$/;
const BEARER = /^bearer +([\x21-\x7e]+)[ \t]*$/i;

/** The key of `Authorization: Bearer`, the only place where one is looked for. */
function bearerKey(head: RequestHead): string | null {
  const header = head.headers.get('authorization');
  if (header === undefined) return null;
  return PLAIN.test(header) ? header.slice('Bearer '.length) : (BEARER.exec(header)?.[1] ?? null);
}

/** Who calls; at once where the key was lately seen. Rejects where the store cannot tell. */
export function guardKey(accounts: Pick<Accounts, 'authenticate'>, head: RequestHead): Caller | AppError | Promise<Caller | AppError> {
  const key = bearerKey(head);
  if (key === null) return unauthorized();
  const caller = accounts.authenticate(key);
  return caller instanceof Promise ? caller.then((found) => found ?? unauthorized()) : caller ?? unauthorized();
}

export function forbidden(): AppError {
  return new AppError('forbidden', 'This endpoint is for operators.');
}

/** The same for all, so that it tells nothing about the key. */
export function unauthorized(): AppError {
  return new AppError('unauthorized', 'A valid API key is needed: send "Authorization: Bearer <API_KEY>".');
}
