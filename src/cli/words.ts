import { accountEmail } from '../accounts/issue.ts';
import { type CommandInput, UsageError } from './command.ts';

type Values = CommandInput['values'];

export function textOption(values: Values, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** For a command that takes options alone. */
export function noWords([word]: CommandInput['files']): void {
  if (word !== undefined) throw new UsageError(`Nothing is expected beside the options: ${word.slice(0, 64)}`);
}

/** An option of another verb, passed over in silence, would have that done which nobody asked for. */
export function verbOptions(values: Values, verb: string, taken: readonly string[]): void {
  const other = Object.keys(values).find((name) => !taken.includes(name));
  if (other !== undefined) throw new UsageError(`${verb} takes no --${other}.`);
}

export function wholeOption(values: Values, name: string, min: number, max: number): number | undefined {
  const text = textOption(values, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new UsageError(`--${name} takes a whole number from ${min} to ${max}.`);
  return value;
}

/** The values by name of an option that takes NAME=VALUE and may be repeated. */
export function pairsOption(values: Values, option: string): Map<string, string[]> {
  const given = values[option];
  const pairs = new Map<string, string[]>();
  for (const pair of Array.isArray(given) ? given.map(String) : []) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`--${option} takes NAME=VALUE.`);
    const name = pair.slice(0, at);
    pairs.set(name, [...(pairs.get(name) ?? []), pair.slice(at + 1)]);
  }
  return pairs;
}

export function emailWord(text: string): string {
  const email = accountEmail(text);
  if (email === null) throw new UsageError('An account is named by its email address.');
  return email;
}

export function oneOf<Word extends string>(values: Values, name: string, words: readonly Word[]): Word | undefined {
  const text = textOption(values, name);
  const word = words.find((known) => known === text);
  if (text !== undefined && word === undefined) throw new UsageError(`--${name} takes one of: ${words.join(', ')}.`);
  return word;
}
