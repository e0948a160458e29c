import { z } from 'zod';
import { LIMITS } from '../../../config/limits.ts';
import { suggestion } from '../../../lib/nearest.ts';
import { isWellFormed } from '../../../lib/well_formed.ts';
import { AppError } from '../../../model/errors.ts';
import { readJson } from '../../body/json.ts';
import type { Call } from '../../call.ts';

/** A form of an operator's body or query: each message says what is taken, and never what was given. */
type Form = z.ZodObject;

/** The body as its form; null when the caller left. `example` is a body that would have worked. */
export async function readBody<F extends Form>(call: Call, form: F, example: object): Promise<z.output<F> | null> {
  const bytes = await call.body();
  return bytes === null ? null : checked(form, readJson(bytes, example), 'field', example);
}

/** The query's parameters as their form. Each may come once. `example`: parameters that would have worked. */
export function readParameters<F extends Form>(call: Call, form: F, example: object = { limit: LIMITS.adminRowsDefault }): z.output<F> {
  const values: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(call.exchange.head.query)) {
    if (name in values) throw new AppError('invalid_field', `The parameter ${echoed(name)} comes twice.`, { example });
    values[name] = value;
  }
  return checked(form, { ...values }, 'parameter', example);
}

function checked<F extends Form>(form: F, value: unknown, what: 'field' | 'parameter', example: object): z.output<F> {
  const parsed = form.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  if (issue.code === 'unrecognized_keys') {
    const name = issue.keys[0]!;
    throw new AppError('unknown_field', `There is no ${what} ${echoed(name)}${suggestion(name, Object.keys(form.shape))}.`, { example });
  }
  const path = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : String(part))).join('');
  throw new AppError('invalid_field', path === '' ? issue.message : `The ${what} ${path} takes ${issue.message}.`, { example });
}

function echoed(name: string): string {
  return isWellFormed(name) ? name.replace(/[^\x21-\x7e]/g, '?').slice(0, LIMITS.echoedNameCharactersMax) : '?';
}

export function whole(min: number, max: number) {
  const taken = `a whole number from ${min} to ${max}`;
  return z.int(taken).min(min, taken).max(max, taken);
}

export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, `one of ${words.join(', ')}`);
}

/** The number that a parameter of the query writes. */
const written = <T extends z.ZodType>(number: T) => z.preprocess((text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text), number);

export const ID = z.string('an id').regex(/^[a-z]{3}_[0-9A-Za-z]{1,64}$/, 'an id');

export const PAGE = {
  limit: written(whole(1, LIMITS.adminRowsMax)).optional(),
  cursor: ID.optional(),
};

export const NUMBER_CURSOR = written(whole(0, Number.MAX_SAFE_INTEGER)).optional();

export function pageOf({ limit, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined }): { readonly afterId: string | null; readonly rowsMax: number } {
  return { afterId: cursor ?? null, rowsMax: limit ?? LIMITS.adminRowsDefault };
}

export function nothingThere(what: string): AppError {
  return new AppError('not_found', `There is no ${what} of that name.`);
}
