import { z } from 'zod';
import type { Administration } from '../../../accounts/administration.ts';
import { FORM_EXPECTED, SUPPRESSION_FORMS, suppressionTerms, type SuppressionForm } from '../../../accounts/suppress.ts';
import { LIMITS } from '../../../config/limits.ts';
import { nextTurn, turnIsOver } from '../../../lib/turns.ts';
import { AppError } from '../../../model/errors.ts';
import { SUPPRESSION_KINDS, type SuppressionTerm } from '../../../model/suppression/term.ts';
import type { Call } from '../../call.ts';
import { NUMBER_CURSOR, oneOf, PAGE, readBody, readParameters } from './form.ts';

const TAKEN = `a string, or an array of 1 to ${LIMITS.suppressionsInBodyMax} strings`;

/** Checked in one step: an issue for each of ten thousand values would cost more than the values. */
const VALUES = z.custom<string | readonly string[]>((value) => typeof value === 'string' || (Array.isArray(value) && value.length > 0
  && value.length <= LIMITS.suppressionsInBodyMax && value.every((each) => typeof each === 'string')), TAKEN)
  .meta({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: LIMITS.suppressionsInBodyMax }] });

export const SUPPRESSION_BODY = z.strictObject({
  email: VALUES.optional().describe('addresses; only their SHA-256 is kept'),
  email_sha256: VALUES.optional().describe('SHA-256 of the trimmed, lower-case address, in hexadecimal'),
  domain: VALUES.optional().describe('of the address or the company, with all domains below it'),
  linkedin_url: VALUES.optional().describe('profiles or company pages'),
}).meta({ minProperties: 1 });

const LIST = z.strictObject({ limit: PAGE.limit, cursor: NUMBER_CURSOR, kind: oneOf(SUPPRESSION_KINDS).optional() });
const EXAMPLE = { email: ['jo@example.com'], domain: ['example.org'] };

/** A change is whole or not at all, and has taken effect when it is answered. */
export function suppressionHandlers(administration: Administration) {
  return {
    add: (call: Call) => change(call, async (terms) => ({ added: await administration.suppress(terms) })),
    remove: (call: Call) => change(call, async (terms) => ({ removed: await administration.unsuppress(terms) })),
    list: async (call: Call) => {
      const { limit, cursor, kind } = readParameters(call, LIST);
      const { rows, next } = await administration.suppressions(kind ?? null, { afterRevision: cursor ?? 0, rowsMax: limit ?? LIMITS.adminRowsDefault });
      call.answerJson({ suppressions: rows.map(({ form, value, created_at }) => ({ [form]: value, created_at })), next_cursor: next });
    },
  };
}

async function change(call: Call, act: (terms: readonly SuppressionTerm[]) => Promise<object>): Promise<void> {
  const body = await readBody(call, SUPPRESSION_BODY, EXAMPLE);
  if (body === null) return;
  const terms: SuppressionTerm[] = [];
  for (const form of SUPPRESSION_FORMS) terms.push(...await termsOf(form, body[form]));
  if (terms.length === 0) throw new AppError('invalid_field', `Say what to suppress: ${SUPPRESSION_FORMS.join(', ')}.`, { example: EXAMPLE });
  call.answerJson(await act(terms));
}

/** Lets others run: a name beyond ASCII costs tens of microseconds, and a body may hold ten thousand. */
async function termsOf(form: SuppressionForm, values: string | readonly string[] | undefined): Promise<SuppressionTerm[]> {
  if (values === undefined) return [];
  const terms: SuppressionTerm[] = [];
  for (const [at, value] of (typeof values === 'string' ? [values] : values).entries()) {
    if (at % LIMITS.suppressionsUntimed === 0 && turnIsOver(LIMITS.mainTurnMs)) await nextTurn();
    const found = suppressionTerms(form, value);
    if (found === null) throw new AppError('invalid_field', `The field ${form}${typeof values === 'string' ? '' : `[${at}]`} takes ${FORM_EXPECTED[form]}.`, { example: EXAMPLE });
    terms.push(...found);
  }
  return terms;
}
