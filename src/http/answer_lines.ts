import { STATUS_CODES } from 'node:http';
import type { Headers } from './exchange.ts';

const LINES: string[] = [];
for (const [status, text] of Object.entries(STATUS_CODES)) LINES[Number(status)] = `${status} ${text}`;

const UNSAFE_VALUE = /[^\t\x20-\x7e\x80-\xff]/;
const NAME = /^[A-Za-z0-9-]+$/;

/** `200 OK`, made once for each status. */
export function statusLine(status: number): string {
  const line = LINES[status];
  if (line === undefined) throw new RangeError(`no such status: ${status}`);
  return line;
}

/** A line break in a header would begin another header, or another answer. */
export function assertHeaders(headers: Headers): void {
  for (const [name, value] of headers) {
    if (!NAME.test(name) || UNSAFE_VALUE.test(value)) throw new TypeError(`unsafe header: ${name.replace(/[^A-Za-z0-9-]/g, '?')}`);
  }
}

export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}
