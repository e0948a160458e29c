import type { Gauge, Uncounted } from '../../accounts/caps.ts';
import type { Accounts } from '../../accounts/open.ts';
import { LIMITS } from '../../config/limits.ts';
import { dayOf } from '../../lib/day.ts';
import type { Call } from '../call.ts';

/** `GET /v1/usage`: the key holder's plan, what is left of each cap, and his use by day. */
export function usageHandler(accounts: Accounts): (call: Call) => Promise<void> {
  return async (call) => {
    const caller = call.caller!;
    const today = dayOf(Date.now());
    const [days, { plan, burst, daily, umbrella }] = await Promise.all([
      accounts.usageOf(caller.accountId, today - LIMITS.usageDaysShown + 1, today), accounts.look(caller),
    ]);
    call.answerJson({
      plan,
      caps: { burst: shown(burst, 'requests in any 60 s'), daily: shown(daily, 'units a day, from 00:00 UTC'), umbrella: shown(umbrella, 'requests at once') },
      days,
    });
  };
}

function shown({ limit, used, remaining, resetSeconds }: Gauge | Uncounted, of: string): object {
  return { limit, used, remaining, resets_in_s: resetSeconds, of };
}
