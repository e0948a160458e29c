import { requirePackage } from './require_package.ts';

type ForeignCalls = typeof import('koffi');

let calls: ForeignCalls | null | undefined;

/** What calls the system where Node has no call of its own; null where it does not load. In a thread that may be ended only within `unbroken`. */
export function foreignCalls(): ForeignCalls | null {
  if (calls === undefined) calls = load();
  return calls;
}

function load(): ForeignCalls | null {
  try {
    return requirePackage('koffi') as ForeignCalls;
  } catch {
    return null;
  }
}
