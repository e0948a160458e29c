import { z } from 'zod';
import type { Administration, UsageBy } from '../../../accounts/administration.ts';
import { LIMITS } from '../../../config/limits.ts';
import { dayOf, isoDay } from '../../../lib/day.ts';
import { AppError } from '../../../model/errors.ts';
import type { Call } from '../../call.ts';
import { oneOf, readParameters } from './form.ts';

const TAKEN = 'a day since 1970-01-01, such as 2025-01-31';
const DAY = z.iso.date(TAKEN).refine((text) => Date.parse(text) >= 0, TAKEN);
const PARAMETERS = z.strictObject({ from: DAY.optional(), to: DAY.optional(), by: oneOf(['day', 'account', 'endpoint']).optional() });
const EXAMPLE = { from: '2025-01-01', to: '2025-01-31', by: 'account' };
const NAMES: Readonly<Record<UsageBy, string>> = { day: 'day', account: 'account_id', endpoint: 'endpoint' };

/** `GET /admin/usage`: what everybody used from one day to another, both inclusive; the last 31 days by day unless told. */
export function usageHandler(administration: Administration, unixMs: () => number): (call: Call) => Promise<void> {
  return async (call) => {
    const { from, to, by = 'day' } = readParameters(call, PARAMETERS, EXAMPLE);
    const toDay = to === undefined ? dayOf(unixMs()) : dayOf(Date.parse(to));
    const fromDay = from === undefined ? toDay - LIMITS.usageDaysShown + 1 : dayOf(Date.parse(from));
    if (fromDay > toDay) throw new AppError('invalid_field', 'The parameter from takes a day that is not after to.', { example: EXAMPLE });
    if (toDay - fromDay >= LIMITS.usageDaysMax) throw new AppError('invalid_field', `The parameters from and to take at most ${LIMITS.usageDaysMax} days at once.`, { example: EXAMPLE });
    const groups = await administration.usage(fromDay, toDay, by);
    call.answerJson({
      from: isoDay(fromDay), to: isoDay(toDay), by,
      usage: groups.map(({ name, requests, units }) => ({ [NAMES[by]]: name, requests, units })),
      total: { requests: sum(groups.map(({ requests }) => requests)), units: sum(groups.map(({ units }) => units)) },
    });
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
