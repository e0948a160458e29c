import type { Caller } from '../../accounts/caller.ts';
import type { Ask } from '../../accounts/caps.ts';
import type { Denial } from '../../accounts/denial.ts';
import type { Accounts } from '../../accounts/open.ts';
import { Permit } from '../../accounts/permit.ts';
import { AppError } from '../../model/errors.ts';

/** Lets the call in or says which cap is in its way; at once where the caps are this gateway's own. Whoever gets the permit settles it, whatever happens. */
export function guardCaps(accounts: Pick<Accounts, 'admit'>, caller: Caller, ask: Ask): Permit | AppError | Promise<Permit | AppError> {
  const verdict = accounts.admit(caller, ask);
  return verdict instanceof Promise ? verdict.then(judged) : judged(verdict);
}

function judged(verdict: Permit | Denial): Permit | AppError {
  return verdict instanceof Permit ? verdict : denied(verdict);
}

/** The 429 of a denial. */
export function denied({ cap, detail, retryAfterSeconds }: Denial): AppError {
  return new AppError('rate_limited', detail, { retryAfter: retryAfterSeconds, cap });
}
