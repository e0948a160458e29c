import type { Call } from '../call.ts';
import { answerTagged, type Tagged, tagged } from '../etag.ts';

/** A handler of a description that is made and hashed anew only when what it describes has changed: anybody may ask for the longest of them. */
export function describing(version: () => number, describe: () => unknown): (call: Call) => void {
  let made: { readonly version: number; readonly description: Tagged } | null = null;
  return (call) => {
    const current = version();
    if (made?.version !== current) made = { version: current, description: tagged(JSON.stringify(describe())) };
    answerTagged(call, made.description);
  };
}
