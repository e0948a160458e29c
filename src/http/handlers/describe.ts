import { byVersion } from '../../lib/by_version.ts';
import type { Call } from '../call.ts';
import { answerTagged, tagged } from '../etag.ts';

/** A handler of a description that is made and hashed anew only when what it describes has changed: anybody may ask for the longest of them. */
export function describing(version: () => number, describe: () => unknown): (call: Call) => void {
  const description = byVersion(version, () => tagged(JSON.stringify(describe())));
  return (call) => answerTagged(call, description());
}

/** The same of what never changes. It is made here, before anybody asks: what takes long holds no call up then. */
export function described(description: unknown): (call: Call) => void {
  const made = tagged(JSON.stringify(description));
  return (call) => answerTagged(call, made);
}
