/** One thing that was looked at. `advice` says what to do about it, where there is something to do. */
export type Check = { readonly name: string; readonly status: 'ok' | 'warn' | 'fail'; readonly detail: string; readonly advice?: string };

export function ok(name: string, detail: string): Check {
  return { name, status: 'ok', detail };
}

export function warn(name: string, detail: string, advice: string): Check {
  return { name, status: 'warn', detail, advice };
}

export function fail(name: string, detail: string, advice: string): Check {
  return { name, status: 'fail', detail, advice };
}

/** What the system calls the failure, such as ENOENT. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
