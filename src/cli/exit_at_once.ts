import { createRequire } from 'node:module';

/** Ends the process as it is: the platform's own exit would end its threads first. Returns where the system has no such call. */
export function exitAtOnce(code: number): void {
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    koffi.load(null).func('void _exit(int code)')(code);
  } catch {
    // Then the platform's own it is.
  }
}
