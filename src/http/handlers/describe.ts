import type { Call } from '../call.ts';
import { answerTagged } from '../etag.ts';

/** A handler of a description that is made anew only when what it describes has changed. */
export function describing(version: () => number, describe: () => unknown): (call: Call) => void {
  let made = { version: Number.NaN, text: '' };
  return (call) => {
    const current = version();
    if (made.version !== current) made = { version: current, text: JSON.stringify(describe()) };
    answerTagged(call, made.text);
  };
}
