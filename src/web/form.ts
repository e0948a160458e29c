import { LIMITS } from '../config/limits.ts';
import { AppError } from '../model/errors.ts';
import type { PageRequest } from '../model/page.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The fields of a form, each at most once; what is missing is empty. A field the form does not have is refused: nothing is set on the side. */
export async function readForm<Name extends string>(request: PageRequest, names: readonly Name[]): Promise<Record<Name | 'csrf', string>> {
  const fields = new Map<string, string>([...names, 'csrf'].map((name) => [name, '']));
  const seen = new Set<string>();
  const body = (await request.body()) ?? new Uint8Array(0);
  if (body.byteLength > LIMITS.formBytesMax) throw new AppError('invalid_field', 'The form is longer than any of this site.');
  for (const [name, value] of new URLSearchParams(textOf(body))) {
    if (!fields.has(name)) throw new AppError('unknown_field', 'The form has a field that this page does not know.');
    if (seen.has(name)) throw new AppError('invalid_field', 'The form has a field twice.');
    seen.add(name);
    fields.set(name, value);
  }
  return Object.fromEntries(fields) as Record<Name | 'csrf', string>;
}

function textOf(body: Uint8Array): string {
  try {
    return UTF8.decode(body);
  } catch {
    throw new AppError('invalid_field', 'The form is not UTF-8.');
  }
}
